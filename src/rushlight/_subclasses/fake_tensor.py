"""`torch._subclasses.fake_tensor`: whether a tensor is a fake tensor of PyTorch's compiler."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor


class FakeTensor(Tensor):
    """The class of PyTorch's fake tensors, for `isinstance`: there are no instances.

    >>> import rushlight as torch
    >>> isinstance(torch.ones(2, device="meta"), torch._subclasses.FakeTensor)
    False
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise noted(
            NotImplementedError("fake tensors cannot be made: nothing here traces with them"),
            'Write `torch.empty(shape, device="meta")` for a tensor that has a shape and no elements.',
        )


def is_fake(x: object) -> bool:
    """Returns False: nothing here traces with fake tensors.

    Tensors without data are on the device `meta`; PyTorch returns False for those, too.
    """
    return isinstance(x, FakeTensor)

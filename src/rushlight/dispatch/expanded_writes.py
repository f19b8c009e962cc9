"""Writes to named places of an expanded tensor, which PyTorch deprecates: all elements of one place change together."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.determinism import levels_to_the_program
from rushlight.core.inplace_errors import is_expanded
from rushlight.core.tensor import Tensor, look_at
from rushlight.declarations.declare import Op

# What may still write to named places of an expanded tensor without a history: its name in the warning, an example.
DEPRECATED = {
    "index_fill": ("index_fill_", "tensor[mask] = scalar"), "masked_fill": ("masked_fill_", "tensor[mask] = scalar"),
    "index_put": ("index_put_", "tensor[indices] = tensor"), "put_indices": ("index_put_", "tensor[indices] = tensor"),
}  # fmt: skip


def may_write_expanded(tensor: Tensor, op, arguments: tuple, keywords: dict) -> bool:
    """Whether a tensor is expanded, and an operator of these does not add to what is there, which is refused."""
    if not is_expanded(tensor):
        return False
    names = [each.name for each in op.arguments[1:]] if isinstance(op, Op) else []
    given = dict(zip(names, arguments, strict=False)) | keywords
    return not given.get("accumulate", False)


def write_expanded(tensor: Tensor, result: Tensor, name: str) -> bool:
    """Writes what an operator has changed, and nothing else, to the one place that several elements have.

    True: what is left to write is one value for each place.
    """
    called, example = DEPRECATED[name]
    warnings.warn(
        f"Use of {called} on expanded tensors is deprecated. Please clone() the tensor before performing this "
        f"operation. This also applies to advanced indexing e.g. {example}",
        UserWarning,
        stacklevel=levels_to_the_program(),
    )
    old, new = tensor._array, result._array
    np.copyto(old, new, where=(new != old) & ((new == new) | (old == old)))
    look_at(result, old.copy())
    return True

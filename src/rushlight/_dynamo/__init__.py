"""`torch._dynamo`: marks for functions and tensors. Nothing is captured here.

The marks of functions are those of `torch.compiler`, under their older names. The marks of tensors are attributes, as
in PyTorch, with assumptions for a capture.
"""

from __future__ import annotations

from collections.abc import Iterable

from rushlight._dynamo import eval_frame as eval_frame
from rushlight._dynamo import exc as exc
from rushlight._dynamo.eval_frame import OptimizedModule as OptimizedModule
from rushlight.compiler import BACKENDS
from rushlight.compiler import allow_in_graph as allow_in_graph
from rushlight.compiler import assume_constant_result as assume_constant_result
from rushlight.compiler import disable as disable
from rushlight.compiler import is_compiling as is_compiling
from rushlight.compiler import reset as reset
from rushlight.core.tensor import Tensor

DEBUGGERS = frozenset(("eager", "aot_eager"))  # left out of the list by PyTorch


def graph_break(msg: str = "") -> None:
    """Does nothing: there is no captured graph."""


def list_backends(exclude_tags: Iterable[str] | None = ("debug", "experimental")) -> list[str]:
    """Returns the backends of `torch.compile`; with empty `exclude_tags` also those for debugging."""
    return sorted(name for name in BACKENDS if not exclude_tags or name not in DEBUGGERS)


def mark_static_address(t: Tensor, guard: bool = False) -> None:
    """Marks a tensor whose memory address stays the same.

    >>> import rushlight as torch
    >>> buffer = torch.zeros(2)
    >>> torch._dynamo.mark_static_address(buffer)
    >>> buffer._dynamo_static_input_type
    'unguarded'
    """
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"


def mark_static(t: Tensor, index: int | Iterable[int] | None = None) -> None:
    """Marks dimensions, all by default, as constant."""
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static expects a tensor/nn.Module class but received {type(t)}")
    mark(t, "_dynamo_static_indices", range(t.ndim) if index is None else index)


def mark_dynamic(
    t: Tensor,
    index: int | Iterable[int],
    *,
    hint_override: int | None = None,
    min: int | None = None,
    max: int | None = None,
    specialize_on: list | None = None,
) -> None:
    """Marks dimensions as varying between calls. The other arguments tune a capture, and have no effect."""
    mark(t, "_dynamo_dynamic_indices", index)


def maybe_mark_dynamic(t: Tensor, index: int | Iterable[int]) -> None:
    """Marks dimensions as possibly varying between calls."""
    mark(t, "_dynamo_weak_dynamic_indices", index)


def mark(t: Tensor, name: str, index: int | Iterable[int]) -> None:
    marked = {index} if isinstance(index, int) else set(index)
    setattr(t, name, getattr(t, name, set()) | marked)
    t._has_dynamo_dim_marking = True

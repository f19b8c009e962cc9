"""`torch._dynamo`, as far as programs mark functions and tensors with it: nothing is captured here.

The marks of functions are those of `torch.compiler`, by their older address. The marks of tensors are attributes, as in
PyTorch, and say what a capture may take for granted.
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

DEBUGGERS = frozenset(("eager", "aot_eager"))  # which PyTorch leaves out of the list


def graph_break(msg: str = "") -> None:
    """Ends the graph that is being captured: there is none."""


def list_backends(exclude_tags: Iterable[str] | None = ("debug", "experimental")) -> list[str]:
    """The names that `torch.compile` takes as its backend; with no `exclude_tags` also those for debugging."""
    return sorted(name for name in BACKENDS if not exclude_tags or name not in DEBUGGERS)


def mark_static_address(t: Tensor, guard: bool = False) -> None:
    """Marks a tensor that stays where it is in memory.

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
    """Marks dimensions, all by default, whose lengths are constants."""
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
    """Marks dimensions whose lengths vary from call to call. The others tune a capture, and do nothing here."""
    mark(t, "_dynamo_dynamic_indices", index)


def maybe_mark_dynamic(t: Tensor, index: int | Iterable[int]) -> None:
    """Marks dimensions whose lengths may vary from call to call."""
    mark(t, "_dynamo_weak_dynamic_indices", index)


def mark(t: Tensor, name: str, index: int | Iterable[int]) -> None:
    marked = {index} if isinstance(index, int) else set(index)
    setattr(t, name, getattr(t, name, set()) | marked)
    t._has_dynamo_dim_marking = True

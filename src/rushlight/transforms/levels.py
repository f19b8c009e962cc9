"""The levels of `vmap`, forward mode and Taylor mode, and what goes in and out of them; see `core/traced.py`."""

from __future__ import annotations

from typing import Any

import rushlight._generated.functions as F
from rushlight.core.modes import MODE, TRANSFORMS
from rushlight.core.storage import InferenceStorage
from rushlight.core.tensor import Tensor
from rushlight.core.traced import ACTIVE, ENTERED, STACK, TRACED, BatchedArray, DualArray, Level, TaylorArray
from rushlight.dispatch.override import observe_constructors
from rushlight.dispatch.planned import made_of
from rushlight.transforms import batched_steps, batching, dual_steps, forward, forward_writes, taylor


class BatchLevel(Level):
    """The level of a `vmap` over `size` samples; `randomness` is "error", "same" or "different"."""

    array_type = BatchedArray

    def __init__(self, number: int, size: int, randomness: str):
        super().__init__(number)
        self.size, self.randomness = size, randomness

    interpret, compute, step = batching.interpret, batching.compute, batched_steps.step  # as methods: a call less

    def lifted(self, tensor: Tensor) -> BatchedArray:
        return BatchedArray(self, tensor, False)

    def write(self, tensor: Tensor, source: Tensor, name: str) -> None:
        batching.write(self, tensor, source, name)


class DualLevel(Level):
    """The level of a `jvp`, or of `forward_ad.dual_level`."""

    array_type = DualArray
    refuses_below = True

    def __init__(self, number: int, by_program: bool = False):
        super().__init__(number)
        self.by_program = self.shares_history = by_program  # whether it was entered by `forward_ad`
        self.changed: list = []  # weak references to tensors of lower levels that a write made tensors of this one

    interpret, compute, step = forward.interpret, forward.compute, dual_steps.step

    def lifted(self, tensor: Tensor) -> DualArray:
        return DualArray(self, tensor)

    def write(self, tensor: Tensor, source: Tensor, name: str) -> None:
        forward_writes.write(self, tensor, source)

    def end(self) -> None:
        forward_writes.restore(self)


class TaylorLevel(Level):
    """The level of a `jet`."""

    array_type = TaylorArray
    refuses_below = True

    def interpret(self, op, values: dict) -> Any:
        return taylor.interpret(self, op, values)

    def lifted(self, tensor: Tensor) -> TaylorArray:
        return TaylorArray(self, tensor)

    def write(self, tensor: Tensor, source: Tensor, name: str) -> None:
        taylor.write(self, tensor, source)


class entered:
    """Enters a new level above those under way in this thread."""

    __slots__ = ("arguments", "kind", "level", "token")

    def __init__(self, kind: type[Level], *arguments):
        self.kind, self.arguments = kind, arguments

    def __enter__(self) -> Any:
        stack = STACK.get()
        # A transform without a level of its own, such as `grad`, has a number too: PyTorch counts all under way.
        number = max(stack[-1].number + 1 if stack else 1, TRANSFORMS.get())
        self.level = level = self.kind(number, *self.arguments)
        if not ENTERED:
            ENTERED.append(True)
        ACTIVE.append(level)
        self.token = STACK.set((*stack, level))
        return level

    def __exit__(self, *exception: Any) -> None:
        level = self.level
        try:
            level.end()
        finally:
            level.alive = False
            ACTIVE.remove(level)
            STACK.reset(self.token)


def batch_level(size: int, randomness: str = "error"):
    """Enters the level of a vmap."""
    observe_constructors("vmap")  # random ones ask the level
    return entered(BatchLevel, size, randomness)


def dual_level():
    """Enters the level of a jvp. Raises RuntimeError inside a level that the program has entered."""
    if any([type(level) is DualLevel and level.by_program for level in STACK.get()]):
        raise RuntimeError(NESTED)
    return entered(DualLevel)


def program_level():
    """Enters the level of `forward_ad`. Raises RuntimeError inside another level of forward mode."""
    if any([type(level) is DualLevel for level in STACK.get()]):
        raise RuntimeError(NESTED)
    return entered(DualLevel, True)


def on(array: Any) -> Tensor:
    """Returns a tensor on a traced array."""
    tensor = made_of(array)
    if (mode := MODE.get()) is not True and mode is not False and mode.inference:
        tensor._store = InferenceStorage()
    return tensor


NESTED = "Nested forward mode AD is not supported at the moment"


def is_of(level: Level, value) -> bool:
    """Whether a value is a traced tensor of that level."""
    return isinstance(value, Tensor) and type(value._array) in TRACED and value._array.level is level


def lift(tensor: Tensor) -> Tensor:
    """Returns a tensor without history inside the innermost level under way, on the same elements.

    A transform that records a graph inside levels, such as `vjp`, starts from it: the edges of the new tensor belong to
    that graph, those of the tensor to the graphs outside.
    """
    stack = STACK.get()
    if not stack or is_of(stack[-1], tensor):
        return tensor
    return on(stack[-1].lifted(tensor))


# ---- vmap


def batched(level: BatchLevel, tensor: Tensor, dim: int) -> Tensor:
    """Returns a tensor as the samples along `dim`."""
    return on(BatchedArray(level, tensor if dim == 0 else F.movedim(tensor, dim, 0)))


def unbatched(level: BatchLevel, result: Tensor, dim: int) -> Tensor:
    """Returns a result of a vmapped function with the batch at `dim`, expanded if it does not depend on the samples."""
    if is_of(level, result) and result._array.batched:
        value = result._array.value
    else:
        value = result._array.value if is_of(level, result) else result
        value = F.expand(value, (level.size, *value.shape))
    return value if dim == 0 else F.movedim(value, 0, dim)


# ---- forward mode


def dual(level: DualLevel, primal: Tensor, tangent: Tensor | None) -> Tensor:
    """Returns a tensor with a tangent."""
    return on(DualArray(level, primal, tangent))


def undual(level: DualLevel, tensor: Tensor) -> tuple[Tensor, Tensor | None]:
    """Returns the primal and the tangent of a tensor; None if it has none."""
    if not is_of(level, tensor):
        return tensor, None
    return tensor._array.value, tensor._array.tangent


# ---- Taylor mode


def taylor_level():
    """Enters the level of a jet."""
    return entered(TaylorLevel)


def expanded(level: TaylorLevel, primal: Tensor, terms: tuple) -> Tensor:
    """Returns a tensor with the coefficients of a Taylor series."""
    return on(TaylorArray(level, primal, terms))


def coefficients(level: TaylorLevel, tensor: Tensor) -> tuple[Tensor, tuple]:
    """Returns the value of a tensor and its coefficients, none if it is constant."""
    if not is_of(level, tensor):
        return tensor, ()
    return tensor._array.value, tensor._array.terms

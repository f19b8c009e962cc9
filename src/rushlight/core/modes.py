"""The modes in which an operation runs: whether it is recorded, and which hooks and overrides are active.

One context variable holds `True` (recording), `False` (no_grad), `INFERENCE`, or another `Modes` record if anything
else is active. The generated fast paths handle the first three and pass everything else to the general path.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, NamedTuple

from rushlight.core.autocast import Autocast
from rushlight.core.origin import Made, here

MODE: ContextVar[Any] = ContextVar("rushlight.mode", default=True)
TRANSFORMS: ContextVar[int] = ContextVar("rushlight.transforms", default=0)  # how many of `torch.func` are under way


class Anomaly:
    """Settings of anomaly mode, and the node whose backward is running under it."""

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        self.evaluating: Any = None

    def remember(self, node, trace: list[str]) -> None:
        """Stores in a new node where it was made, and in whose backward."""
        node.metadata["traceback_"] = trace
        if node.made is None:
            place, op = here(), getattr(type(node), "op", None)
            node.made = Made(op.name if op is not None else type(node).__name__, place.code, place.offset)
            node.made.tracked = True
        if self.evaluating is not None:
            node.metadata["parent_"] = self.evaluating


class Once:
    """A flag for one call only."""

    def __init__(self):
        self.taken = False

    def take(self) -> bool:
        """Returns True the first time it is called, then False."""
        taken, self.taken = self.taken, True
        return not taken


class Modes(NamedTuple):
    """The whole state; all fields at their defaults equal plain recording."""

    grad: bool = True
    inference: bool = False
    anomaly: Anomaly | None = None  # if set, nodes store where they were made
    saved_hooks: tuple = ()  # (pack, unpack) pairs, innermost last
    before_write: Any = None  # called with a tensor before its memory is written
    saved_hooks_disabled: str | None = None  # the error message for code that adds saved-tensor hooks
    function_modes: tuple = ()  # torch_function modes, innermost last
    dispatch_modes: tuple = ()  # torch_dispatch modes, innermost last
    subclass_disabled: bool = False  # inside DisableTorchFunctionSubclass
    modes_disabled: bool = False  # inside DisableTorchFunction
    once: Once | None = None  # inside redispatch_function: the next call is not overridden
    autocast: Autocast | None = None  # None: autocast is off
    forward: bool = True  # whether results get tangents
    computed: Any = None  # the result of the next call of one operator, which is recorded only

    @property
    def observed(self) -> bool:
        """Whether modes see calls of plain tensors."""
        return bool(self.function_modes or self.dispatch_modes)


class Inference(Modes):
    """The state in inference mode, where nothing is recorded: false, like the state in `no_grad`."""

    def __bool__(self):
        return False


INFERENCE = Inference(grad=False, inference=True)
PLAIN = {Modes(grad=True): True, Modes(grad=False): False, Modes(grad=False, inference=True): INFERENCE}
RECORDING, NOT_RECORDING = Modes(), Modes(grad=False)
GRAD_ONLY = {"grad"}


def current() -> Modes:
    """Returns the state as a record, also if it is stored in a short form."""
    mode = MODE.get()
    if mode is True or mode is False:
        return RECORDING if mode else NOT_RECORDING
    return Modes(*mode)


def recording() -> bool:
    """Whether operations are recorded."""
    mode = MODE.get()
    return mode if mode is True or mode is False else mode.grad


def following() -> bool:
    """Whether results get tangents in forward mode: not in inference mode, nor where that is switched off."""
    mode = MODE.get()
    return mode is True or mode is False or (mode.forward and not mode.inference)


def announce_write(tensor) -> None:
    """Calls `before_write`, if set, before the memory of a tensor is written."""
    mode = MODE.get()
    if mode is not True and mode is not False and mode.before_write is not None:
        mode.before_write(tensor)


def change(**fields) -> Token:
    """Replaces some fields of the state; reset with `MODE.reset(token)`."""
    mode = MODE.get()
    if (mode is True or mode is False) and fields.keys() == GRAD_ONLY:
        return MODE.set(bool(fields["grad"]))
    changed = current()._replace(**fields)
    return MODE.set(PLAIN.get(changed, changed) if changed.anomaly is None else changed)


class Never:
    """Calls a function without `__torch_function__` overrides; can replace the `__torch_function__` of a class.

    It is not a Python function, which would become a method of the class.
    """

    __name__ = __qualname__ = "_disabled_torch_function_impl"

    def __call__(self, func, types, args=(), kwargs=None):
        token = change(subclass_disabled=True)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            MODE.reset(token)


NEVER = Never()

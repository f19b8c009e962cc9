"""What is going on around an operation: whether it is recorded, and who else wants to see it.

One context variable holds `True` (recording), `False` (no_grad), `INFERENCE`, or another `Modes` record when anything
else is active. The generated fast paths handle the first three and hand everything else to the general path.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, NamedTuple

from rushlight.core.autocast import Autocast
from rushlight.core.origin import Made, here

MODE: ContextVar[Any] = ContextVar("rushlight.mode", default=True)


class Anomaly:
    """Settings of anomaly mode, and the node whose backward is running under it."""

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        self.evaluating: Any = None

    def remember(self, node, trace: list[str]) -> None:
        """Notes on a fresh node where it was made, and in whose backward."""
        node.metadata["traceback_"] = trace
        if node.made is None:
            place, op = here(), getattr(type(node), "op", None)
            node.made = Made(op.name if op is not None else type(node).__name__, place.code, place.offset)
            node.made.tracked = True
        if self.evaluating is not None:
            node.metadata["parent_"] = self.evaluating


class Once:
    """What is true of one call only."""

    def __init__(self):
        self.taken = False

    def take(self) -> bool:
        """True, the first time."""
        taken, self.taken = self.taken, True
        return not taken


class Modes(NamedTuple):
    """The whole state; every field at its default is the same as plain recording."""

    grad: bool = True
    inference: bool = False
    anomaly: Anomaly | None = None  # with it, nodes keep where they were made
    saved_hooks: tuple = ()  # (pack, unpack) pairs, innermost last
    before_write: Any = None  # what is called with a tensor whose memory is about to be written to
    saved_hooks_disabled: str | None = None  # the message of whoever tries to add some
    function_modes: tuple = ()  # torch_function modes, innermost last
    subclass_disabled: bool = False  # inside DisableTorchFunctionSubclass
    modes_disabled: bool = False  # inside DisableTorchFunction
    once: Once | None = None  # inside redispatch_function: the next call is not overridden
    autocast: Autocast | None = None  # None is the same as the state in which it is off


class Inference(Modes):
    """The state in inference mode, where nothing is recorded: false, as that of `no_grad` is."""

    def __bool__(self):
        return False


INFERENCE = Inference(grad=False, inference=True)
PLAIN = {Modes(grad=True): True, Modes(grad=False): False, Modes(grad=False, inference=True): INFERENCE}
RECORDING, NOT_RECORDING = Modes(), Modes(grad=False)
GRAD_ONLY = {"grad"}


def current() -> Modes:
    """The state as a record, whatever its short form."""
    mode = MODE.get()
    if mode is True or mode is False:
        return RECORDING if mode else NOT_RECORDING
    return Modes(*mode)


def recording() -> bool:
    """Whether operations are recorded."""
    mode = MODE.get()
    return mode if mode is True or mode is False else mode.grad


def announce_write(tensor) -> None:
    """Tells whoever keeps what was saved for backward that the memory of a tensor is about to be written to."""
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
    """Calls a function without its being overridden: a value that stands in the place of a `__torch_function__`.

    It is no function of Python's, which would become a method of the class that has it.
    """

    __name__ = __qualname__ = "_disabled_torch_function_impl"

    def __call__(self, func, types, args=(), kwargs=None):
        token = change(subclass_disabled=True)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            MODE.reset(token)


NEVER = Never()

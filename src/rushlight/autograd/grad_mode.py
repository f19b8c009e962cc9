"""`no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`: contexts that are decorators too.

As a decorator on a generator function the mode is in force while the generator runs, and not between its steps.
https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Self, TypeVar, overload

from rushlight.core.modes import MODE, change, current
from rushlight.dispatch.message import type_name

get_mode, set_mode = MODE.get, MODE.set
F = TypeVar("F", bound=Callable[..., Any])

MULTITHREADING: ContextVar[bool] = ContextVar("rushlight.multithreading", default=True)
CLASSES = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


class Mode:
    """A context manager over the mode that can decorate functions, generator functions and classes."""

    recording: bool | None = None  # whether operations are recorded inside, if that is all that the mode changes
    _outside: tuple = ()  # (mode before entering, this value before entering)

    def fields(self) -> dict:
        """Returns the fields of the mode that change."""
        return {"grad": self.recording}

    def again(self) -> Mode:
        """Returns a new context manager of the same type, for each decorated call."""
        return type(self)()

    def clone(self) -> Mode:
        """Returns another context manager with the same mode."""
        return self.again()

    def __enter__(self) -> None:
        mode, recording = get_mode(), self.recording
        self._outside = (mode, self._outside)
        if recording is not None and (mode is True or mode is False):
            set_mode(recording)
        else:
            change(**self.fields())

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        before, self._outside = self._outside
        set_mode(before)

    def __call__(self, function: F) -> F:
        if inspect.isclass(function):
            warnings.warn(CLASSES, FutureWarning, stacklevel=2)
            function.__init__ = self(function.__init__)  # type: ignore[method-assign]
            return function
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def decorated(*arguments, **keywords):
            with self.again():
                return function(*arguments, **keywords)

        return decorated  # type: ignore[return-value]

    def _around_generator(self, function):
        @functools.wraps(function)
        def decorated(*arguments, **keywords):
            generator = function(*arguments, **keywords)
            try:
                with self.again():
                    response = generator.send(None)
                while True:
                    try:
                        request = yield response
                    except GeneratorExit:
                        with self.again():
                            generator.close()
                        raise
                    except BaseException as error:  # thrown in by the caller: passed on to the generator
                        with self.again():
                            response = generator.throw(error)
                    else:
                        with self.again():
                            response = generator.send(request)
            except StopIteration as stop:
                return stop.value

        return decorated


def restore(modes) -> None:
    """Restores a saved mode."""
    change(**modes._asdict())


class _Plain(Mode):
    """A mode without arguments: `@no_grad` works as `@no_grad()` does."""

    @overload
    def __new__(cls, orig_func: None = None) -> Self: ...
    @overload
    def __new__(cls, orig_func: F) -> F: ...  # type: ignore[misc]
    def __new__(cls, orig_func: Any = None) -> Any:
        if orig_func is not None:
            return cls()(orig_func)
        return object.__new__(cls)


class no_grad(_Plain):
    """Nothing is recorded inside. Gradients do not flow through what is computed there.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    __module__ = "torch.autograd.grad_mode"

    recording = False


class enable_grad(_Plain):
    """Operations are recorded inside, also within `no_grad`."""

    __module__ = "torch.autograd.grad_mode"

    recording = True


class set_grad_enabled(Mode):
    """Recording on or off: at once when called, until the end of a `with` block, or around a decorated function."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(mode)}")
        self.mode = mode
        self._before = current()
        change(grad=self.mode)

    def __repr__(self) -> str:
        return f"{self.__module__}.{type(self).__name__}(mode={self.mode})"

    def fields(self) -> dict:
        return {"grad": self.mode}

    def clone(self) -> set_grad_enabled:
        """Returns another context manager with the same mode, which is in force at once."""
        return type(self)(self.mode)

    def again(self) -> set_grad_enabled:
        fresh = object.__new__(type(self))
        fresh.mode = self.mode
        fresh._before = current()
        return fresh

    def __enter__(self) -> None:
        change(grad=self.mode)

    def __exit__(self, *exception: Any) -> None:
        restore(self._before)

    def __call__(self, function: F) -> F:
        restore(self._before)
        return super().__call__(function)


class inference_mode(Mode):
    """Nothing is recorded, versions are not counted, and tensors made inside can never be recorded later."""

    __module__ = "torch.autograd.grad_mode"

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]
    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def fields(self) -> dict:
        return {"grad": False, "inference": True} if self.mode else {"grad": True, "inference": False}

    def again(self) -> inference_mode:
        return inference_mode(self.mode)


class set_multithreading_enabled(Mode):
    """Whether a backward pass may use several threads: at once when called, or until the end of a `with` block.

    A pass is one loop in one thread, so the setting is kept and changes nothing.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._token = MULTITHREADING.set(mode)

    def again(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        """Does nothing: the setting is in force since the call."""

    def __exit__(self, *exception: Any) -> None:
        MULTITHREADING.reset(self._token)


def is_multithreading_enabled() -> bool:
    """Whether a backward pass may use several threads."""
    return MULTITHREADING.get()


def is_grad_enabled() -> bool:
    """Whether operations are recorded now."""
    mode = MODE.get()
    return mode if mode is True or mode is False else mode.grad


def is_inference_mode_enabled() -> bool:
    """Whether results are inference tensors now."""
    return current().inference

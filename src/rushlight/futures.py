"""`torch.futures`: results that another thread is still computing.

https://docs.pytorch.org/docs/stable/futures.html
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from rushlight.core.device import device as Place
from rushlight.core.errors import noted

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")
S = TypeVar("S")


class Driver(Protocol):
    """What computes a result only during waits and tests, as a collective does; it completes the future."""

    def hold(self) -> Any:
        """Computes until there is a result or an error."""

    def test(self) -> Any:
        """Computes what can be computed now."""


class BaseFuture:
    """The base class of all futures: `torch.Future`."""

    __module__ = "torch"
    __qualname__ = "Future"


BaseFuture.__name__ = "Future"


class Future(BaseFuture, Generic[T]):
    """A result that comes later: one thread sets it, others wait for it.

    >>> future = Future()
    >>> doubled = future.then(lambda done: done.value() * 2)
    >>> future.set_result(3)
    >>> doubled.wait()
    6
    """

    __module__ = "torch.futures"

    def __init__(self, *, devices: list[int | str | Place] | None = None):
        for device in map(Place, devices or ()):
            if device.index is None:
                raise ValueError(f"Expected devices to have indices, got {device}")
        self._set = threading.Condition()
        self._done = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], None]] = []
        self._driver: Driver | None = None

    def __reduce__(self):
        raise RuntimeError("Can not pickle torch.futures.Future")

    def done(self) -> bool:
        """Whether there is a result or an error."""
        if not self._done and self._driver is not None:
            self._driver.test()
        return self._done

    def wait(self) -> T:
        """Waits for the result and returns it. Raises the error if there is one."""
        if not self._done and self._driver is not None:
            self._driver.hold()
        with self._set:
            self._set.wait_for(lambda: self._done)
        return self.value()

    def value(self) -> T:
        """Returns the result, which must be set. Raises the error if there is one."""
        if not self._done:
            raise noted(
                RuntimeError("completed() INTERNAL ASSERT FAILED: this future has no result yet"),
                "Ask done() first, or call wait().",
            )
        if self._error is not None:
            raise self._error
        return self._result

    def set_result(self, result: T) -> None:
        """Sets the result and runs callbacks. Raises RuntimeError if there is one already."""
        self._complete(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Sets an error, which `wait` raises. Raises RuntimeError if there is a result already."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def _complete(self, result: Any, error: BaseException | None) -> None:
        with self._set:
            if self._done:
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future can only be marked "
                    "completed once."
                )
            self._result, self._error, self._done = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._set.notify_all()
        for callback in callbacks:
            callback(self)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """Returns a future of `callback(self)`, which runs when the result is set, or at once if it is."""
        _need_callable("then", callback)
        following: Future[S] = Future()
        following._driver = self._driver

        def run(done: Future[T]) -> None:
            try:
                result = callback(done)
            except Exception as error:
                words = f"Got the following error when running the callback: {type(error).__name__}: {error}"
                failed = RuntimeError(words)
                failed.__cause__ = error
                following.set_exception(failed)
            else:
                following.set_result(result)

        self._call_when_done(run)
        return following

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Calls `callback(self)` when the result is set, or at once if it is. Its exceptions are printed."""
        _need_callable("add_done_callback", callback)

        def run(done: Future[T]) -> None:
            try:
                callback(done)
            except Exception:
                sys.stderr.write(f"Got the following error when running the callback: {traceback.format_exc()}")

        self._call_when_done(run)

    def _call_when_done(self, run: Callable[[Future[T]], None]) -> None:
        with self._set:
            if not self._done:
                self._callbacks.append(run)
                return
        run(self)


def _need_callable(name: str, callback: Any) -> None:
    if not callable(callback):
        raise TypeError(f"{name}(): incompatible function arguments. The following argument types are supported:")


def check_future(name: str, value: Any) -> None:
    """Raises RuntimeError for None, TypeError for anything else that is no future."""
    if value is None:
        raise RuntimeError("Future can't be None")
    if not isinstance(value, BaseFuture):
        raise TypeError(f"{name}(): incompatible function arguments. The following argument types are supported:")


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """Returns a future that is done when all futures are, or when one has an error, which it takes."""
    every: Future[list[Future]] = Future()
    waiting = list(futures)
    for future in waiting:
        check_future("_collect_all", future)
    drivers = [future._driver for future in waiting if future._driver is not None]
    every._driver = Drivers(drivers) if drivers else None
    lock = threading.Lock()

    def one_more(done: Future) -> None:
        with lock:
            if every._done:
                return
            error = next((x._error for x in waiting if x._error is not None), None)
            if error is not None:
                every.set_exception(error)
            elif all(x._done for x in waiting):
                every.set_result(waiting)

    if not waiting:
        every.set_result([])
    for future in waiting:
        future._call_when_done(one_more)
    return every


class Drivers:
    """The drivers of several futures."""

    def __init__(self, drivers: list[Driver]) -> None:
        self.drivers = drivers

    def hold(self) -> None:
        """Computes all results, one after the other."""
        for driver in self.drivers:
            driver.hold()

    def test(self) -> None:
        """Computes what can be computed now."""
        for driver in self.drivers:
            driver.test()


def wait_all(futures: Iterable[Future]) -> list[Any]:
    """Waits for all futures and returns their results. Raises the first error."""
    return [x.wait() for x in collect_all(list(futures)).wait()]

"""What a collective that has been started is: `Work`. Tests and waits drive it; there is no thread."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import local
from typing import Any

from rushlight.core.device import WAITS
from rushlight.core.tensor import Tensor
from rushlight.distributed.account import LOGGER
from rushlight.distributed.comparison import posted
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.waiting import failed, wait
from rushlight.futures import Future

__all__ = ["Work", "progress", "settle", "under_way"]

IN_FLIGHT: dict[int, Work] = {}  # works that are not waited for yet, by id: their memory must stay
MANY = 64  # after so many works under way, those are let go that have ended without being waited for
ABANDONED: list[tuple] = []  # requests that are not waited for any more, with their memory: MPI may still write to it


def progress() -> None:
    """Moves the data of all collectives that are under way, without waiting.

    MPI moves data only inside its calls: call this often while computing, as DistributedDataParallel does in each hook
    of backward. It takes 0.5 us for each collective that is under way.
    """
    for work in list(IN_FLIGHT.values()):
        work.test()


class Followed(local):
    """Works of this thread for which a stream waits, and the program does not."""

    def __init__(self) -> None:
        self.works: list[Work] = []


FOLLOWED = Followed()


def settle(kind: str = "") -> None:
    """Waits for the works for which streams of this thread wait.

    It is called when the program waits for a GPU, which would never end if a rank has died. Raises RuntimeError as
    `Work.wait` does.
    """
    if settle in WAITS.listeners:
        WAITS.listeners.remove(settle)
    works, FOLLOWED.works = FOLLOWED.works, []
    for work in works:
        work.hold()


def under_way(work: Work) -> Work:
    """Keeps a work, whose memory must stay, until it is done; returns it."""
    if len(IN_FLIGHT) % MANY == 0:
        progress()
    IN_FLIGHT[id(work)] = work
    return work


class Work:
    """A collective, a send or a receive that has been started.

    `requests` are MPI's, `tensors` the results; `finish` writes what was received into them, once.
    """

    __module__ = "torch.distributed"

    def __init__(
        self,
        group: Any,  # a ProcessGroup; its module imports this one
        name: str,
        requests: Sequence[Any],
        tensors: list[Tensor],
        finish: Callable[[tuple], None] | None = None,  # is given the line of the program that made the call
        key: tuple[int, int, int] | None = None,  # (sequence, kind, elements), which all ranks must have in common
        needs: Sequence[int] = (),  # ranks of the world without which it cannot end
        size: int = 0,  # bytes
    ) -> None:
        self.group, self.world, self.name, self.requests, self.tensors = group, group.world, name, requests, tensors
        self.finish, self.key, self.needs, self.bytes, self.caller = finish, key, needs, size, group.caller
        self.began = time.perf_counter()
        self.done = False
        self.turn = [None]  # is taken by a thread while it tests: MPI allows one. A lock takes longer
        self.error: BaseException | None = None
        self.future: Future | None = None
        self.source = -1

    # ---- PyTorch's methods

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Waits until it is done, and returns True. Raises RuntimeError if a rank has ended or the time is over.

        Between GPUs the current stream waits, and the program goes on, unless it gives a time. It hears of a failure
        when it next waits for a GPU.
        """
        return self.follow() if timeout is None and not self.done and self.can_follow() else self.hold(timeout)

    def can_follow(self) -> bool:
        """Whether a stream can wait for it, and has to."""
        return all(hasattr(request, "follow") for request in self.requests) and not self.test()

    def follow(self) -> bool:
        """Lets the current stream wait for it, and what is received be copied then. Returns True."""
        for request in self.requests:
            request.follow()
        finish, self.finish = self.finish, None
        if finish is not None:
            finish(self.caller)
        IN_FLIGHT[id(self)] = self
        FOLLOWED.works.append(self)
        if settle not in WAITS.listeners:
            WAITS.listeners.append(settle)
        return True

    def hold(self, timeout: timedelta | None = None) -> bool:
        """Waits in the program until it is done, and returns True."""
        try:
            if not self.done and not self.test():
                wait(self, timeout or self.group.timeout)
        except BaseException as error:
            if isinstance(error, DistBackendError):
                self.end(error)  # every further wait raises it again
            elif not self.done:
                IN_FLIGHT[id(self)] = self  # interrupted: MPI still has its memory
            raise
        if self.error is not None:
            raise self.error
        return True

    def is_completed(self) -> bool:
        """Whether it is done. Does not wait."""
        return self.test()

    def is_success(self) -> bool:
        """Whether it has ended without an error."""
        return self.done and self.error is None

    def exception(self) -> BaseException | None:
        """Returns the error that it has ended with, or None."""
        return self.error

    def result(self) -> list[Tensor]:
        """Returns the tensors that it has written."""
        return self.tensors

    def source_rank(self) -> int:
        """Returns the rank that a received tensor is from."""
        return self.source

    def synchronize(self) -> None:
        """Waits until it is done."""
        self.wait()

    def get_future(self) -> Future[list[Tensor]]:
        """Returns a future of the results. Waiting for it, or for what `then` returns, drives the work."""
        if self.future is None:
            self.future = Future()
            self.future._driver = self
            if self.done:
                self._tell_future()
        return self.future

    # ---- how it is driven

    def test(self) -> bool:
        """Moves data as far as it can be moved now; returns whether all is done."""
        if self.done:
            return True
        if (sums := self.world.sums) is not None and sums.queue:
            sums.advance()  # the others may need this rank's part before they come to this call
        try:
            self.turn.pop()
        except IndexError:
            return self.done  # another thread tests it just now
        try:
            for request in self.requests:
                if not request.Test():
                    return False
            if not self.done:
                self.end(None)
            return True
        except DistBackendError:
            raise
        except RuntimeError as error:  # the library's
            self.compare()
            raise failed(self, f"{getattr(request, 'library', 'MPI')}: {error}") from error
        finally:
            self.turn.append(None)

    def end(self, error: BaseException | None) -> None:
        """Writes the results, compares the call with those of the others, and tells the future."""
        if error is None:
            try:
                self.compare()
                if self.finish is not None:
                    self.finish(self.caller)
            except Exception as failure:  # the next `wait` raises it
                error = failure
        else:
            self.abandon()
        self.done, self.error = True, error
        seconds = self.group.account.add(self.name, self.bytes, self.began)
        if LOGGER.isEnabledFor(logging.DEBUG):
            LOGGER.debug("%s: %d bytes, %.3f ms", self.describe(), self.bytes, 1e3 * seconds)
        IN_FLIGHT.pop(id(self), None)
        self.requests = ()
        if self.future is not None:
            self._tell_future()

    def _tell_future(self) -> None:
        assert self.future is not None
        if isinstance(self.error, Exception):
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.tensors)

    def abandon(self) -> None:
        """Waits no more; keeps the memory, to which MPI may still write."""
        ABANDONED.append((self.requests, self.finish))

    def compare(self) -> None:
        """Raises if another rank has made another call instead of this one."""
        if self.key is None:
            return
        sequence, kind, elements = self.key
        calls, number = self.world.calls, self.group.number
        other = calls.other(self.needs, number, sequence, kind, elements)
        if other is None:
            return
        mine, theirs = calls.at(self.world.rank, number, sequence), calls.at(other, number, sequence)
        words = f"rank {self.world.rank} called {mine}, and rank {other} called {theirs}"
        raise failed(self, f"Ranks have made different calls: {words}")

    def compare_posted(self) -> None:
        """Raises if a rank on another machine waits in another call; posts this one for the others to see."""
        elsewhere = [rank for rank in self.needs if rank not in self.world.calls.start]
        if self.key is None or not elsewhere:
            return
        rank, number = self.world.rank, self.group.number
        mine = self.world.calls.at(rank, number, self.key[0])
        for other, call in posted(self.group.store, self.key, rank, elsewhere, mine).items():
            if call[0] == self.key[0] and tuple(call[:3]) != self.key:
                words = f"rank {rank} called {mine}, and rank {other} called {call[3]}"
                raise failed(self, f"Ranks have made different calls: {words}")

    def refused(self, words: str) -> Exception:
        """Returns the error of what was received and does not fit; no call can succeed after it."""
        return failed(self, words)

    def missing_at(self, rank: int) -> bool:
        """Whether a rank that is on this machine, or has left, has not made this call yet."""
        if self.key is None:
            return False
        made = self.world.line.left.get(rank)
        if made is not None:
            return made.get(self.group.number, 0) < self.key[0]
        if rank not in self.world.calls.start:
            return False
        last = self.world.calls.last(rank, self.group.number)
        return last is None or last.sequence < self.key[0]

    def describe(self) -> str:
        """Returns its name, its number and its group in words."""
        number = f" #{self.key[0]}" if self.key else ""
        return f"{self.name}{number} of {self.group}"

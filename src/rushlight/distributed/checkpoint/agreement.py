"""What processes tell each other while they save or load; one process alone needs no group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import distributed as dist

__all__ = ["CheckpointException", "Processes"]


class CheckpointException(BaseException):
    """Raised on every process if one of them failed; `failures` maps ranks to what happened there."""

    def __init__(self, msg: str, failures: dict[int, Any]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, Any]:
        """The exceptions by rank."""
        return self._failures

    def __str__(self) -> str:
        lines = [f"rank {rank}: {type(error).__name__}: {error}" for rank, error in self._failures.items()]
        return f"CheckpointException ranks:{self._failures.keys()}\n" + "\n".join(lines)


class Processes:
    """The processes that save or load together."""

    def __init__(self, group: Any, alone: bool, collectives: bool = True) -> None:
        known = not alone and dist.is_available() and dist.is_initialized()
        self.group = group
        self.rank = dist.get_rank(group) if known else 0
        self.alone = not known or not collectives  # each process decides for itself
        self.size = 1 if self.alone else dist.get_world_size(group)
        self.is_first = self.alone or self.rank == 0

    def every(self, name: str, step: Callable[[], Any]) -> list[Any]:
        """Runs a step in every process; returns the results of all. Raises CheckpointException if one has failed."""
        results = self._gathered(attempted(step))
        self._raise(name, self._failures(results))
        return results

    def planned(self, name: str, step: Callable[[], Any], together: Callable[[list[Any]], list[Any]]) -> Any:
        """Runs a step in every process, and another with all results in the first; returns what that gives this one.

        Raises CheckpointException on every process if one has failed.
        """
        results = self._gathered(attempted(step), first_only=True)
        parts: list[Any] = []
        if self.is_first:
            failures = self._failures(results)
            made = failures or attempted(lambda: together(results))
            if isinstance(made, Exception):
                failures = {self.rank: made}
            parts = [(failures, None if failures else each) for each in (made if not failures else results)]
        failures, own = self._scattered(parts)
        self._raise(name, failures)
        return own

    def _failures(self, results: list[Any]) -> dict[int, Any]:
        first = self.rank if self.alone else 0
        return {rank: each for rank, each in enumerate(results, first) if isinstance(each, Exception)}

    def _raise(self, name: str, failures: dict[int, Any]) -> None:
        if failures:
            raise CheckpointException(name, failures) from failures.get(self.rank)

    def _gathered(self, own: Any, first_only: bool = False) -> list[Any]:
        if self.alone:
            return [own]
        results: list[Any] = [None] * self.size
        if first_only:
            dist.gather_object(own, results if self.is_first else None, group=self.group, group_dst=0)
        else:
            dist.all_gather_object(results, own, group=self.group)
        return results

    def _scattered(self, parts: list[Any]) -> Any:
        if self.alone:
            return parts[0]
        own: list[Any] = [None]
        dist.scatter_object_list(own, parts if self.is_first else None, group=self.group, group_src=0)
        return own[0]


def attempted(step: Callable[[], Any]) -> Any:
    """Returns what a step returns, or the exception that it raises."""
    try:
        return step()
    except Exception as error:
        return error

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

    def __init__(self, group: Any, alone: bool) -> None:
        self.alone = alone or not (dist.is_available() and dist.is_initialized())
        self.group = group
        self.rank = 0 if self.alone else dist.get_rank(group)
        self.size = 1 if self.alone else dist.get_world_size(group)

    def every(self, name: str, step: Callable[[], Any]) -> list[Any]:
        """Runs a step in every process; returns the results of all. Raises CheckpointException if one has failed."""
        try:
            own: Any = step()
        except Exception as error:
            own = error
        results = self._gathered(own)
        failures = {rank: result for rank, result in enumerate(results) if isinstance(result, Exception)}
        if failures:
            raise CheckpointException(name, failures) from failures.get(self.rank)
        return results

    def _gathered(self, own: Any) -> list[Any]:
        if self.alone:
            return [own]
        results: list[Any] = [None] * self.size
        dist.all_gather_object(results, own, group=self.group)
        return results

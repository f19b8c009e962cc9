"""Whether replays pay off where Python checks the guards: small functions take less time as they are written."""

from __future__ import annotations

ROUNDS = 8  # calls of each kind


class Payoff:
    """Times of calls in turns, in nanoseconds: replayed, guards included, and as written."""

    def __init__(self) -> None:
        self.replayed: list[int] = []
        self.written: list[int] = []

    @property
    def is_known(self) -> bool:
        """Whether enough calls were timed."""
        return len(self.written) >= ROUNDS

    @property
    def is_turn_of_written(self) -> bool:
        """Whether the next call is to be made as written, and timed."""
        return len(self.written) < min(len(self.replayed), ROUNDS)

    @property
    def is_written_faster(self) -> bool:
        """Whether all calls are to be made as written from now on."""
        return self.is_known and min(self.written) < min(self.replayed)

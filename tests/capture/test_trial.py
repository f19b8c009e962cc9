"""How long a program is tried by kernels and call by call: until it is clear which is faster."""

from types import SimpleNamespace

import pytest

from rushlight.capture import program
from rushlight.capture.program import Trial


def replays_until_kept(monkeypatch, kernels, calls):
    """Returns how many replays are timed, and which is kept, if they take such times."""
    clock = SimpleNamespace(now=0)
    monkeypatch.setattr(program, "perf_counter_ns", lambda: clock.now)
    owner = SimpleNamespace(replay="kernels", changes_at=1)
    trial = owner.trial = object.__new__(Trial)
    trial.program, trial.turns, trial.calls, trial.times = owner, [("kernels", 1), ("calls", 2)], 0, [[], []]
    while owner.trial is not None:
        replay, _ = trial.next()
        clock.now += kernels if replay == "kernels" else calls
        trial.ended(replay)
    return trial.calls, owner.replay, owner.changes_at


@pytest.mark.parametrize(
    ("kernels", "calls", "wanted"),
    [
        (10, 30, (4, "kernels", 1)),  # three times as fast: two replays of each kind
        (10, 15, (8, "kernels", 1)),
        (15, 10, (8, "calls", 2)),
        (40, 10, (8, "calls", 2)),  # kernels may be compiled again, and get faster
    ],
)
def test_a_program_that_is_clearly_faster_is_kept_soon(monkeypatch, kernels, calls, wanted):
    assert replays_until_kept(monkeypatch, kernels, calls) == wanted

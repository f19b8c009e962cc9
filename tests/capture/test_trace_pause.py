"""Kernels that are made while a run is watched: their frames are not seen, and other trace functions see them."""

import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.core.trace_pause import PAUSABLE, trace_paused

PROGRAM = """
import sys
import rushlight as torch
from rushlight.capture.watch import Watcher

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.GELU(), torch.nn.LayerNorm(512), torch.nn.Linear(512, 4))
x, target = torch.randn(256, 64), torch.randint(4, (256,))

def step():
    loss = torch.nn.functional.cross_entropy(model(x), target)
    loss.backward()
    return loss

seen, modules = [], set(sys.modules)
judge = Watcher.trace

def trace(self, frame, event, arg):
    seen.append(frame.f_globals.get("__name__", ""))
    return judge(self, frame, event, arg)

Watcher.trace = trace
torch.compile(step)()
assert any(name.startswith("rushlight.kernels") for name in set(sys.modules) - modules), "no kernel was loaded"
print(torch.compiler.report()["graphs"], len(seen), sum(name == "rushlight.lower.source_keys" for name in seen))
"""


def test_a_watched_run_does_not_see_how_kernels_are_made(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    actual = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert actual.returncode == 0, actual.stderr
    graphs, seen, of_keys = map(int, actual.stdout.split())
    assert graphs == 1 and seen > 100 and of_keys == 0


def frames_in(block):
    """Returns the names of the functions that a trace function sees in a block, and what is set after it."""
    names = []

    def trace(frame, event, arg):
        names.append(frame.f_code.co_name)

    PAUSABLE.append(trace) if block is pausable else None
    sys.settrace(trace)
    try:
        block()
        after = sys.gettrace()
    finally:
        sys.settrace(None)
        PAUSABLE.remove(trace) if block is pausable else None
    assert after is trace
    return names


def deepest():
    return 1


@trace_paused()
def pausable():
    return deepest()


@trace_paused()
def debugged():
    return deepest()


def test_a_trace_function_that_may_be_paused_is_set_again():
    assert "deepest" not in frames_in(pausable)
    assert "deepest" in frames_in(debugged)


def test_it_is_set_again_after_an_error():
    def trace(frame, event, arg):
        return None

    PAUSABLE.append(trace)
    sys.settrace(trace)
    try:
        with pytest.raises(ZeroDivisionError), trace_paused():
            assert sys.gettrace() is None
            _ = 1 / 0
        assert sys.gettrace() is trace
    finally:
        sys.settrace(None)
        PAUSABLE.remove(trace)


def test_no_trace_function_stays_after_runs_that_end_in_an_error():
    @torch.compile
    def wrong(x):
        return torch.relu(x) @ x

    for _ in range(4):
        with pytest.raises(RuntimeError):
            wrong(torch.ones(2, 3))
    assert PAUSABLE == [] and sys.gettrace() is None

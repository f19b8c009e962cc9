"""The stack of frames: how deep it is, which instruction follows, and what is watched in this version of Python."""

import ctypes
import gc
import math
import sys
import types
import weakref

import pytest

import rushlight as torch
from rushlight.capture import frames, report
from rushlight.capture.watch import Watcher

readable = pytest.mark.skipif(not frames.READABLE, reason="frames of this Python are not read")


def rows(count):
    for number in range(count):
        yield number, -number


def through(count):
    return (yield from rows(count))


def program(n):
    """A function with most of what there is in a function."""
    total, names = 0, {}
    for one, other in through(n):
        total += one if one > 1 else -other
        names[f"{one!r:>3}{other}"] = [each * 2 for each in (one, other) if each]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NONE", "1")
        first, *others = sorted(names, key=lambda name, more=1: len(name) * more)
    while total < 40 and n is not None:
        total = max(total, math.floor(n), *[len(each) for each in names.values()]) + 7
    try:
        del names[first]
    finally:
        others[:1] = [*others[1:], *(total, n)]
    assert n, n
    return others[:2], {**names, "n": n}, total if total else -1


def seen_of(function, look):
    """Calls a function, and has each instruction of this file looked at."""

    def trace(frame, event, arg):
        if frame.f_code.co_filename != __file__:
            return None
        if event == "call":
            frames.show_instructions(frame, trace)
        elif event == "opcode":
            look(frame)
        return trace

    before = sys.gettrace()
    frames.start_tracing(trace)
    try:
        return function()
    finally:
        sys.settrace(before)


@readable
def test_what_is_on_the_stack_is_found():
    """The values of calls are found; Python 3.11 says itself how many values there are."""
    stacks = []

    def look(frame):
        instruction = frames.info_of(frame.f_code).at[frame.f_lasti]
        if instruction.opname == "BINARY_OP" and instruction.argrepr != "[]":
            stacks.append(frames.stack(frame, 2))
        if sys.version_info < (3, 12):
            inner = ctypes.c_void_p.from_address(id(frame) + frames.INNER).value
            assert (
                frames.depth(frame) == ctypes.c_int.from_address(inner + 64).value - frames.info_of(frame.f_code).locals
            )

    wanted = program(4)
    assert seen_of(lambda: program(4), look) == wanted
    assert [0, 0] in stacks
    assert [3, 2] in stacks
    assert all([all([type(each) in (int, list) for each in values]) for values in stacks])


@readable
def test_each_instruction_follows_the_one_before():
    last = {}

    def look(frame):
        if frame in last:
            assert frame.f_lasti in frames.info_of(frame.f_code).next[last[frame]]
        last[frame] = frame.f_lasti

    seen_of(lambda: program(4), look)
    assert len(last) > 5


@readable
def test_a_run_of_which_an_instruction_was_not_seen_is_not_closed(monkeypatch):
    """As when the interpreter shows no instructions of a frame any more."""
    instruction = Watcher.instruction

    def some(self, state):
        if state.info.at[state.frame.f_lasti].opname != "BINARY_OP":
            instruction(self, state)

    def f(x):
        return x * 2 + 1

    torch.compiler.reset()
    monkeypatch.setattr(Watcher, "instruction", some)
    compiled = torch.compile(f)
    assert compiled(torch.ones(1)).item() == 3
    assert compiled(torch.ones(1)).item() == 3
    assert torch.compiler.report()["graphs"] == 0
    assert report.BREAKS[-1].what == "an instruction was not seen"


@readable
def test_frames_of_one_function_of_which_some_are_watched():
    """A function of ours, which is not watched, runs the code of a decorator that the program runs too."""
    layer, wanted = torch.nn.Linear(2, 1), []

    def f(x):
        layer(x).square().mean().backward()
        norm = torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        return norm, x * 2

    compiled = torch.compile(f, options={"trial": False})
    for _ in range(3):
        layer.zero_grad()
        wanted.append(compiled(torch.ones(3, 2)))
        assert torch.is_grad_enabled()
    assert torch.equal(wanted[0][0], wanted[2][0])


def many_constants():
    """Returns a function whose jump on a tensor leads to an instruction with a prefix: its constant is a late one."""
    numbers = "; ".join([f"n = {number}.5" for number in range(300)])
    text = f"def f(x):\n    if x.sum() > 0:\n        n = 0.0; {numbers}\n    return x * 1000.5\n"
    other = f"def g(x):\n    {numbers}\n    if x.sum() > 0:\n        x = x + 1\n    return 1000.5 * x\n"
    space: dict = {}
    exec(text + other, space)
    return space["f"], space["g"]


@pytest.mark.parametrize("function", many_constants(), ids=["before", "after"])
def test_a_condition_that_leads_to_a_prefixed_instruction(function):
    assert isinstance(function, types.FunctionType)
    compiled = torch.compile(function, options={"trial": False})
    for sign in (1, -1, -1, 1, 1, -1):
        x = torch.ones(2) * sign
        assert torch.equal(compiled(x), function(x))


def test_instructions_of_functions_that_are_gone_are_forgotten():
    kept = weakref.ref(first := compile("x = 1", "program", "exec"))
    frames.info_of(first)
    del first
    for number in range(frames.CODES):
        frames.info_of(compile(f"x = {number + 2}", "program", "exec"))
    gc.collect()
    assert kept() is None

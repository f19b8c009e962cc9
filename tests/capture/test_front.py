"""The program in front of a compiled function: when it is replayed, when another decides, and what errors do."""

import gc
import sys
import threading
import traceback
import weakref

import pytest

import rushlight as torch
from rushlight.capture import frames
from rushlight.capture.front import REPLAYS, Front, InFront
from rushlight.capture.guard_machine import checker
from rushlight.capture.paths import ARGUMENT, EQUAL, GETTER, KEYWORD, TENSOR, TYPE, Guard, Paths, meta_of
from rushlight.core.dtype import DEFAULTS

MISSED = object()
CALLS = 20_000


class Case:
    """A front whose program takes a tensor of shape (2,) and returns what `replay` does with it."""

    def __init__(self, kind, replay=lambda x: ("replayed", x), guards=()):
        self.watching, self.errors = [], []
        self.front = Front(self.otherwise, MISSED, self.watching)
        if kind == "python":
            self.front.call = self.front.in_python
        self.paths = Paths()
        place = self.paths.path(None, ARGUMENT, 0)
        guards = [Guard(place, TENSOR, meta_of(torch.zeros(2))), *[Guard(place, *each) for each in guards]]
        self.program = InFront(checker(guards, [place]).check, replay, self.failed, True, (), 1, DEFAULTS.floating)
        self.program.check((torch.zeros(2),), {})
        self.front.use(self.program)

    def otherwise(self, args, kwargs):
        if args and args[0] == "raise":
            raise KeyError("otherwise")
        return "otherwise", args, kwargs

    def failed(self, args, kwargs, error):
        self.errors.append(error)
        if type(error) is ZeroDivisionError:
            return "failed", args, kwargs
        raise error

    def __call__(self, *args, **kwargs):
        return self.front.call(args, kwargs)


@pytest.fixture(params=["machine", "python"])
def case(request):
    return lambda *args, **kwargs: Case(request.param, *args, **kwargs)


def test_a_call_that_fits_is_replayed(case):
    one, x = case(), torch.ones(2)
    before = int(REPLAYS[0])
    assert one(x) == ("replayed", x)
    assert int(REPLAYS[0]) == before + 1


def test_a_call_with_other_arguments(case):
    one, x = case(), torch.ones(2)
    assert one(x, 5) == ("otherwise", (x, 5), {})
    assert one(x, key=1) == ("otherwise", (x,), {"key": 1})
    one.front.use(one.program._replace(positional=2, names=("a", "b")))
    assert one(x)[0] == "otherwise"
    assert one(x, 1)[0] == "otherwise"
    assert one(x, 1, a=1, b=2) == ("replayed", x)
    assert one(x, 1, a=1, b=2, c=3)[0] == "otherwise"
    assert one(x, 1, b=2, a=1)[0] == "otherwise"
    assert one(x, a=1, b=2)[0] == "otherwise"
    assert one(x, 1, a=1, c=2)[0] == "otherwise"


def test_a_call_that_does_not_fit_is_decided_otherwise(case):
    one = case()
    before = int(REPLAYS[0])
    for args in (torch.ones(3),), (), (4, 5):
        assert one(*args, k=1) == ("otherwise", args, {"k": 1})
    with pytest.raises(KeyError):
        one("raise")
    assert int(REPLAYS[0]) == before


def test_without_a_program_all_is_decided_otherwise(case):
    one, x = case(), torch.ones(2)
    one.front.use(None)
    assert one(x)[0] == "otherwise"
    one.front.use(one.program)
    assert one(x)[0] == "replayed"


def test_modes_of_the_thread(case):
    one, x = case(), torch.ones(2)
    with torch.no_grad():
        assert one(x)[0] == "otherwise"
        with torch.enable_grad():
            assert one(x)[0] == "replayed"
    with torch.inference_mode():
        assert one(x)[0] == "otherwise"
    with torch.autocast("cpu"):
        assert one(x)[0] == "otherwise"
    seen = []
    torch.func.vmap(lambda y: (seen.append(one(x)[0]), y)[1])(torch.ones(3, 2))
    assert seen == ["otherwise"]
    assert one(x)[0] == "replayed"
    one.front.use(one.program._replace(mode=False))
    assert one(x)[0] == "otherwise"
    with torch.no_grad():
        assert one(x)[0] == "replayed"


def test_the_default_dtype(case):
    one, x = case(), torch.ones(2)
    torch.set_default_dtype(torch.float64)
    try:
        assert one(x)[0] == "otherwise"
    finally:
        torch.set_default_dtype(torch.float32)
    assert one(x)[0] == "replayed"


def test_while_another_call_is_watched(case):
    one, x = case(), torch.ones(2)
    one.watching.append(1)
    assert one(x)[0] == "otherwise"
    one.watching.pop()
    assert one(x)[0] == "replayed"


def test_a_replay_that_finds_that_the_program_goes_on_otherwise(case):
    one, x = case(lambda x: MISSED), torch.ones(2)
    before = int(REPLAYS[0])
    assert one(x) == ("otherwise", (x,), {})
    assert int(REPLAYS[0]) == before


def test_a_guard_that_python_checks(case):
    one, x = case(guards=[(TYPE, torch.Tensor)]), torch.ones(2)
    assert one(x)[0] == "replayed"
    place = one.paths.path(one.paths.path(None, ARGUMENT, 0), GETTER, lambda x: x._array[0])
    wanted = [one.paths.path(None, ARGUMENT, 0)]
    check = checker([Guard(place, EQUAL, x._array[0]), Guard(wanted[0], TENSOR, meta_of(x))], wanted).check
    assert check((x,), {})
    one.front.use(one.program._replace(check=check))
    assert one(x)[0] == "replayed"
    assert one(torch.zeros(2))[0] == "otherwise"
    assert one(torch.zeros(3))[0] == "otherwise"


def test_a_guard_in_python_that_raises(case):
    one, x = case(), torch.ones(2)

    def refuses(x):
        if x._array[0] == 0:
            raise RuntimeError("no")
        return 1

    place = one.paths.path(one.paths.path(None, ARGUMENT, 0), GETTER, refuses)
    check = checker([Guard(place, EQUAL, 1)], [one.paths.path(None, ARGUMENT, 0)]).check
    assert check((x,), {})
    one.front.use(one.program._replace(check=check))
    assert one(x)[0] == "replayed"
    with pytest.raises(RuntimeError, match="no"):
        one(torch.zeros(2))


def test_what_a_replay_raises(case):
    def replay(x):
        if x._array[0] == 0:
            return 1 / 0
        raise KeyboardInterrupt if x._array[0] == 1 else ValueError("told")

    one = case(replay)
    zeros = torch.zeros(2)
    assert one(zeros) == ("failed", (zeros,), {})
    assert [each.name for each in traceback.extract_tb(one.errors[0].__traceback__)][-1] == "replay"
    with pytest.raises(KeyboardInterrupt):
        one(torch.ones(2))
    with pytest.raises(ValueError, match="told") as raised:
        one(torch.ones(2) * 2)
    names = [each.name for each in traceback.extract_tb(raised.value.__traceback__)]
    assert "replay" in names
    assert sys.exc_info() == (None, None, None)


def test_a_replay_may_put_another_program_in_front(case):
    def replay(x):
        one.front.use(None)
        gc.collect()
        return x

    one, x = case(replay), torch.ones(2)
    assert one(x) is x
    assert one(x)[0] == "otherwise"


def test_a_replay_without_values_and_with_many(case):
    one = case()
    paths = Paths()
    for count in 0, 1, 50:
        wanted = [paths.path(None, KEYWORD, f"k{at}") for at in range(count)]
        check = checker([], wanted).check
        kwargs = {f"k{at}": object() for at in range(count)}
        assert check((), kwargs) is not None
        one.front.use(
            one.program._replace(check=check, replay=lambda *values: values, names=tuple(kwargs), positional=0)
        )
        for _ in range(3):
            assert one(**kwargs) == tuple(kwargs.values())


def test_counts_of_references_stay(case):
    def replay(x):
        return 1 / 0 if len(x) == 3 else x

    one = case(replay)
    x, other = torch.ones(2), torch.ones(3)
    objects = [x, other, one.program.replay, one.program.failed, one.program.check, MISSED, True, ()]
    before = [sys.getrefcount(each) for each in objects]
    for _ in range(CALLS):
        one(x)
    for _ in range(CALLS // 10):
        one(other)
    after = [sys.getrefcount(each) for each in objects]
    assert all([abs(one - two) <= 3 for one, two in zip(before, after, strict=True)]), (before, after)


def test_a_front_is_let_go(case):
    one = case()
    one(torch.ones(2))
    gone = weakref.ref(one.front)
    del one
    gc.collect()
    assert gone() is None


def test_threads_replay_while_programs_change(case):
    one, over, problems = case(), threading.Event(), []
    first, second = one.program, one.program._replace(replay=lambda x: ("second", x))

    def calls():
        x = torch.ones(2)
        while not over.is_set():
            result = one(x)
            if result[0] not in ("replayed", "second", "otherwise"):
                problems.append(result)

    threads = [threading.Thread(target=calls) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for number in range(2000):
            one.front.use((first, second, None)[number % 3])
        over.set()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not problems


def test_the_builtin_function_takes_two_arguments():
    front = Case("machine").front
    for args in (), ((),), ((), {}, 1):
        with pytest.raises(TypeError):
            front.call(*args)


# ---- compiled functions

CALLS_TO_FRONT = 12  # watched, timed, and in front


def in_front(function, *args, **kwargs):
    """Returns a compiled function after so many calls that its program is in front."""
    if not frames.READABLE:
        pytest.skip("this Python cannot be watched")
    compiled = torch.compile(function)
    for _ in range(CALLS_TO_FRONT):
        compiled(*args, **kwargs)
    assert compiled._rushlight_compiled.front.program is not None
    return compiled


def scaled(x, scale=2.0, **more):
    return x * scale + more.get("shift", 0.0)


def test_defaults_are_not_taken_for_arguments():
    x = torch.ones(2)
    compiled = in_front(scaled, x)
    for _ in range(CALLS_TO_FRONT):
        assert compiled(x, 3.0).tolist() == [3.0, 3.0]
        assert compiled(x).tolist() == [2.0, 2.0]
        assert compiled(x, shift=1.0).tolist() == [3.0, 3.0]
        assert compiled(x, scale=4.0).tolist() == [4.0, 4.0]


def test_a_stance_without_programs():
    calls = []

    def counted(x):
        return x * len(calls)

    x = torch.ones(2)
    compiled = in_front(counted, x)
    calls.append(1)
    assert compiled(x).tolist() == [1.0, 1.0]
    before = int(REPLAYS[0])
    with torch.compiler.set_stance("force_eager"):
        assert compiled(x).tolist() == [1.0, 1.0]
        assert int(REPLAYS[0]) == before


def test_an_error_of_the_function():
    def divided(x, table):
        return x / table["a"]

    x = torch.ones(2)
    compiled = in_front(divided, x, {"a": 2.0})
    with pytest.raises(KeyError):
        compiled(x, {})
    with pytest.raises(TypeError):
        compiled()
    assert compiled(x, {"a": 2.0}).tolist() == [0.5, 0.5]

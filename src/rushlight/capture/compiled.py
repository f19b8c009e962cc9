"""A compiled function: each call is replayed if a run that was watched fits, else watched, else run as written."""

from __future__ import annotations

import os
import sys
import weakref
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from threading import get_ident
from time import perf_counter_ns
from typing import Any

import rushlight.capture.call_opcodes  # enters its handlers, and those of `opcodes`
import rushlight.capture.later_opcodes  # noqa: F401
from rushlight.capture import frames, guard_machine, report
from rushlight.capture.front import REPLAYS, Front
from rushlight.capture.origins import Forbidden, NotClosed
from rushlight.capture.payoff import Payoff
from rushlight.capture.program import Program
from rushlight.capture.replay import MISS
from rushlight.capture.report import COUNTS
from rushlight.capture.stance import STANCE
from rushlight.capture.watch import Watcher, without_collection
from rushlight.compiler import REGISTERED, VARYING_LIMIT, VARYING_MARKS
from rushlight.core import dtype as dtypes
from rushlight.core.determinism import DETERMINISM
from rushlight.core.device import CPU, DEFAULT, ELSEWHERE
from rushlight.core.errors import noted
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.tensor import Tensor
from rushlight.core.traced import STACK

TRIES = 3  # watched runs that were not closed, before the function is run as written
MISSES = 8  # calls in a row that no program fits, before a function with all its programs is run as written

WATCHING: list[Watcher] = []  # the watcher at work: compiled functions of all threads run as written then


class CompiledFunction:
    """A callable that computes what `function` computes. While a list of `idle` has items, it runs it as written."""

    idle: tuple[list, ...] = (WATCHING, STANCE.eager)
    replays = REPLAYS  # counts them

    def __init__(
        self,
        function: Callable,
        *,
        fullgraph: bool = False,
        limit: int | None = None,
        backend: Callable | str | None = None,
        options: dict[str, Any] | None = None,
    ):
        self.asked = {"backend": backend, "options": options}
        backend = STANCE.backend or backend
        self.function, self.backend = function, REGISTERED.get(backend, backend) if type(backend) is str else backend
        self.fullgraph = fullgraph
        self.options = {**(options or {}), **({"kernels": False} if backend == "aot_eager" else {})}
        COMPILED.add(self)
        self.limit = limit
        self.programs: dict[tuple, tuple[Program, ...]] = {}  # by what surrounds a call
        self.front = Front(
            self.otherwise, MISS, *self.idle, ELSEWHERE, replays=self.replays
        )  # has the last program replayed
        self.open = 0  # runs in a row that were not closed
        self.payoffs: dict[tuple, Payoff] = {}
        self.missed: Counter[tuple] = Counter()  # calls in a row that none of as many programs as are allowed fits
        self.breaks: list[report.Break] = []
        self.recompiles: list[report.Recompile] = []  # why there are several programs

    def call(self) -> Callable:
        """Returns the function that programs call."""

        call = self.front.call

        def compiled(*args: Any, **kwargs: Any) -> Any:
            return call(args, kwargs)

        CALLED[compiled] = weakref.ref(self)
        for listen in LISTENERS:
            listen(compiled, self)
        return compiled

    def otherwise(self, args: tuple, kwargs: dict) -> Any:
        """Replays another program, or watches the call, or runs the function as written."""
        surroundings = surrounding(args, kwargs)
        if surroundings is None or any(self.idle) or self.is_resting(surroundings):
            return self.function(*args, **kwargs)
        payoff, begin = self.payoff_of(surroundings), perf_counter_ns()
        if payoff is not None and payoff.is_written_faster:
            return self.function(*args, **kwargs)
        if payoff is not None and payoff.is_turn_of_written:
            result = self.function(*args, **kwargs)
            payoff.written.append(perf_counter_ns() - begin)
            return result
        programs = self.programs.get(surroundings, ())
        for program in programs:
            if (values := program.check(args, kwargs)) is None:
                continue
            settled = program.trial is None
            if (result := program.run(values, self.function, args, kwargs)) is not MISS:
                self.replays[0] += 1
                self.missed.pop(surroundings, None)
                if payoff is None or payoff.is_known:
                    self.front.use(program.in_front(self.function, args, kwargs))
                elif settled:
                    payoff.replayed.append(perf_counter_ns() - begin)
                if programs[0] is not program:
                    self.put_first(surroundings, program)
                return result
        return self.unfitting(surroundings, programs, args, kwargs)

    def unfitting(self, surroundings: tuple, programs: tuple, args: tuple, kwargs: dict) -> Any:
        """Makes a call that no program fits."""
        if STANCE.name == "fail_on_recompile" or (STANCE.error_on_recompile and programs):
            raise refused(self.function, programs, args, kwargs)
        if STANCE.name == "eager_on_recompile" or not self.may_watch(programs):
            self.missed[surroundings] += len(programs) >= self.allowed()
            return self.function(*args, **kwargs)
        return self.watched(surroundings, args, kwargs)

    def payoff_of(self, surroundings: tuple) -> Payoff | None:
        """Returns what says whether replays pay off; None where machine code checks the guards."""
        if guard_machine.is_available() or not self.options.get("trial", True):
            return None
        return self.payoffs.setdefault(surroundings, Payoff())

    def put_first(self, surroundings: tuple, program: Program) -> None:
        """Has a program be tried first. Other threads may be going through the list that it had."""
        others = self.programs.get(surroundings, ())
        self.programs[surroundings] = (program, *[each for each in others if each is not program])

    def may_watch(self, programs: tuple) -> bool:
        """Whether the call is watched: not in a debugger, and not if too many programs were made already."""
        if not frames.may_trace() or self.is_hopeless():
            return False
        if (limit := self.allowed()) > len(programs):
            return True
        if STANCE.fail_on_recompile_limit_hit:
            raise import_module("rushlight._dynamo.exc").FailOnRecompileLimitHit(
                f"recompile_limit reached with fail_on_recompile_limit_hit=True: {limit} programs of "
                f"{report.name_of(self.function)}"
            )
        return False

    def allowed(self) -> int:
        """Returns how many programs there may be for the same surroundings."""
        return STANCE.recompile_limit if self.limit is None else self.limit

    def is_resting(self, surroundings: tuple) -> bool:
        """Whether no program fitted for so long that none is tried, but for rare trials: guards that fail are slow."""
        missed = self.missed[surroundings] if self.missed else 0
        if missed < MISSES or STANCE.refuses or len(self.programs.get(surroundings, ())) < self.allowed():
            return False
        self.missed[surroundings] = missed + 1
        return not is_power_of_two(missed)

    def is_hopeless(self) -> bool:
        """Whether so many runs were not closed that the function runs as written, but for rare trials."""
        if self.open < TRIES or self.fullgraph:
            return False
        self.open += 1
        return not is_power_of_two(self.open)

    def reset(self) -> None:
        """Forgets all programs."""
        self.programs.clear()
        self.front.use(None)
        self.open = 0
        self.missed.clear()
        self.payoffs.clear()
        self.breaks.clear()
        self.recompiles.clear()

    def watched(self, surroundings: tuple, args: tuple, kwargs: dict) -> Any:
        """Runs the function and watches it, unless another is watched; a closed run becomes a program."""
        if self.limit is None and has_varying(args, kwargs):
            self.limit = VARYING_LIMIT
        programs = self.programs.get(surroundings, ())
        why = report.reason(self.function, programs[0].guards, args, kwargs) if programs else None
        watcher = Watcher(self.function)
        watcher.fullgraph = self.fullgraph
        if not begin(watcher):
            return self.function(*args, **kwargs)
        self.is_watched()
        try:
            result = watcher.run(args, kwargs)
        except BaseException as error:
            self.open += 1
            self.has_broken(watcher.problem or NotClosed(f"{type(error).__name__} is raised"), ())
            watcher.forget()
            raise
        finally:
            WATCHING.remove(watcher)
        with without_collection():  # a program is some hundred thousand objects, which stay
            program = self.program_of(watcher, surroundings, args, kwargs, result)
        watcher.forget()
        if program is None:
            self.open += 1
            self.has_broken(watcher.problem, watcher.problem_place)
            self.refuse(watcher.problem)
            return result
        self.open = 0
        self.has_program(program, why)
        self.put_first(surroundings, program)
        return result

    def is_watched(self) -> None:
        """Reports that a call is watched."""
        COUNTS["recorded"] += 1

    def has_broken(self, problem: Any, place: tuple) -> None:
        """Reports a call that is not closed."""
        self.breaks.append(report.note_break(self.function, problem, place))

    def has_program(self, program: Program, why: report.Recompile | None) -> None:
        """Reports a program; `why` says so if there was one before."""
        report.note_program(self.function, program, why)
        if why is not None:
            self.recompiles.append(why)

    def refuse(self, problem: Any) -> None:
        """Raises an error for a call that is not closed, if it is to be."""
        if type(problem) is Forbidden:
            self.open = 0  # each call is an error
            raise AssertionError(problem.what)
        if self.fullgraph:
            raise unsupported(self.breaks[-1])

    def program_of(
        self, watcher: Watcher, surroundings: tuple, args: tuple, kwargs: dict, result: Any
    ) -> Program | None:
        """Returns the program of a run, None if it is not closed."""
        try:
            run = watcher.closed()
            if run is None:
                return None
            program = Program(run, watcher.sample, self.options, surroundings, self.backend)
            self.check(program, args, kwargs, result)
            return program
        except NotClosed as problem:
            watcher.problem = problem
            return None

    def check(self, program: Program, args: tuple, kwargs: dict, result: Any) -> None:
        """Raises NotClosed if a program is not to be used; `result` is that of the call which was watched."""


COMPILED: weakref.WeakSet[CompiledFunction] = weakref.WeakSet()  # all there are
# By what programs call; weak both ways, for a compiled function may call itself
CALLED: weakref.WeakKeyDictionary[Any, weakref.ref[CompiledFunction]] = weakref.WeakKeyDictionary()
LISTENERS: list[Callable[[Any, CompiledFunction], None]] = []  # called with both when a function has been compiled


def begin(watcher: Watcher) -> bool:
    """Notes that a watcher is at work; returns False, and does not, if that of another thread is.

    CPython 3.12 crashes where two threads have instructions traced. The caller does not wait for the other thread,
    which may be waiting for this one.
    """
    WATCHING.append(watcher)
    if WATCHING[0] is watcher:
        return True
    WATCHING.remove(watcher)
    return False


def forget_other_threads() -> None:
    """Removes watchers at work in threads that a forked process does not have."""
    WATCHING[:] = [watcher for watcher in WATCHING if watcher.thread == get_ident()]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_other_threads)


def has_varying(args: tuple, kwargs: dict) -> bool:
    """Whether a tensor among the arguments is marked by `torch._dynamo.mark_dynamic`."""
    tensors = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
    return any([mark in vars(each) for each in tensors for mark in VARYING_MARKS])


def is_power_of_two(count: int) -> bool:
    return count & (count - 1) == 0


def surrounding(args: tuple, kwargs: dict) -> tuple | None:
    """Returns what a program depends on besides its guards; None if the call has to run as written."""
    mode = MODE.get()
    if mode is not True and mode is not False and mode is not INFERENCE:
        if not is_plain(mode):
            return None
    if STACK.get() or is_traced_by_fx():
        return None
    place = DEFAULT.get() if ELSEWHERE else CPU
    return (mode, len(args), tuple(kwargs), dtypes.DEFAULTS.floating, DETERMINISM.wanted, place)


def is_traced_by_fx() -> bool:
    """Whether `torch.fx` traces the program, which it has imported then: it traces functions as they are written."""
    module = sys.modules.get("rushlight.fx._symbolic_trace")
    return module is not None and module.is_fx_tracing()


def is_plain(mode: Modes) -> bool:
    """Whether a mode has nothing but autocast and recording."""
    return mode._replace(autocast=None) in (Modes(), Modes(grad=False), Modes(grad=False, inference=True))


def refused(function: Callable, programs: tuple[Program, ...], args: tuple, kwargs: dict) -> Exception:
    """Returns the error for a call that needs another program, where the stance or a setting forbids it."""
    why = report.reason(function, programs[0].guards if programs else None, args, kwargs)
    if STANCE.name != "fail_on_recompile":
        return import_module("rushlight._dynamo.exc").RecompileError(str(why))
    error = RuntimeError(
        "Detected recompile when torch.compile stance is 'fail_on_recompile'. "
        f"filename: {why.filename!r}, function name: {why.function!r}, line number: {why.line}"
    )
    return noted(error, f"{why.place} {why.wanted}, and was {why.actual}.") if why.guard else error


def unsupported(why: report.Break) -> Exception:
    """Returns the error of `fullgraph=True`."""
    return noted(import_module("rushlight._dynamo.exc").Unsupported(why.what), str(why))

"""A compiled function: each call is replayed if a run that was watched fits, else watched, else run as written."""

from __future__ import annotations

import operator
import warnings
import weakref
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from time import perf_counter_ns
from typing import Any

import rushlight.capture.call_opcodes  # enters its handlers, and those of `opcodes`
import rushlight.capture.later_opcodes  # noqa: F401
from rushlight.capture import frames, guard_machine, report
from rushlight.capture.calls import A_TENSOR, Call, Check, Result, Run
from rushlight.capture.front import REPLAYS, Front, InFront
from rushlight.capture.grouping import Group, groups_of, without
from rushlight.capture.guard_machine import checker
from rushlight.capture.notes import itself
from rushlight.capture.origins import FAULTS, Forbidden, NotClosed
from rushlight.capture.paths import Guard
from rushlight.capture.payoff import Payoff
from rushlight.capture.replay import MISS, replay_of, values_read
from rushlight.capture.report import COUNTS
from rushlight.capture.stance import STANCE
from rushlight.capture.steady import check_inputs, have_changed
from rushlight.capture.steps import Step, steps_of
from rushlight.capture.watch import Watcher
from rushlight.compiler import REGISTERED
from rushlight.core import dtype as dtypes
from rushlight.core.determinism import DETERMINISM
from rushlight.core.errors import noted
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.traced import STACK, Untraceable
from rushlight.graph.recording import record
from rushlight.graph.segment import Segment, example_of

TRIAL = 4  # timed replays of each kind
TRIES = 3  # watched runs that were not closed, before the function is run as written
MISSES = 8  # calls in a row that no program fits, before a function with all its programs is run as written

get_mode, set_mode = MODE.get, MODE.set


def fx_face() -> Any:
    """Returns the module that makes graphs of `torch.fx`, which only backends of a program's own need."""
    return import_module("rushlight.capture.fx_face")


class Program:
    """One closed run, ready to be replayed.

    `sample` gives the object that an expression was in the run. `left` are the calls that are in no segment, with the
    errors that say why. Raises NotClosed if the run is not closed after all.
    """

    def __init__(
        self,
        run: Run,
        sample: Callable[[Any], Any],
        options: dict[str, Any],
        surroundings: tuple,
        backend: Callable | str | None = None,
    ):
        self.mode, self.count, self.names, self.floating, self.deterministic = surroundings
        self.watched, self.backend = run, backend if callable(backend) else None
        self.left: list[tuple[Call, Exception]] = []
        self.segments: list[Segment] = []
        more: list[Guard] = []
        self.parts: list[tuple[set[int], Any]] = []  # numbers of calls, and what computes them
        self.forms = forms_of(run, sample)
        if backend == "eager":
            items, more = list(run.items), []
        elif self.backend is not None:
            items, more = self.compiled([part for each in groups_of(run) for part in plain(each)], sample, options), []
        else:
            groups, more = steps_of(run, groups_of(run), sample, options)
            self.parts += [(item.numbers, item) for item in groups if type(item) is Step]
            items = self.compiled(groups, sample, options)
        self.graphs = (
            [fx_face().graph_module(each, sample) for each in groups_of(run) if type(each) is Group]
            if options.get("graphs")
            else []
        )
        refuse_late_checks(items)
        refuse_errors_in_blocks(items)
        check_inputs(items, sample)
        self.wanted = values_read(run, items)
        self.guards = [*run.guards, *more]
        self.check = checker(self.guards, self.wanted).check
        self.replay, self.source, self.changes_at = replay_of(run, self.wanted, items)
        has_programs = any([type(item) not in (Call, Check) for item in items])
        timed = has_programs and self.backend is None and options.get("trial", True)
        self.trial = Trial(self, options) if timed else None

    def compiled(self, waiting: list, sample: Callable[[Any], Any], options: dict[str, Any]) -> list:
        """Returns items whose groups have a segment; a group of which a call cannot be recorded is divided there."""
        result: list = []
        mode = get_mode()
        while waiting:
            item = waiting.pop(0)
            if type(item) is Group and have_changed(item, sample):
                result.extend(item.items)
                continue
            if type(item) is Group:
                item.plain = item.function(sample)
                if self.backend is not None:
                    if reads_elements(item, sample):
                        waiting = without(item, item.at[0], self.watched) + waiting
                        continue
                    try:
                        item.compiled, item.late = fx_face().compiled_by(self.backend, item, sample, options), True
                        result.append(item)
                    except RuntimeError as error:
                        if not STANCE.suppress_errors:
                            raise
                        self.left.append((item.calls[0], error))
                        result.extend(item.items)
                    continue
                try:
                    segment = segment_of(item, sample, options)
                except FAULTS:
                    raise
                except Exception as error:  # noqa: BLE001  whatever cannot be recorded is called
                    set_mode(mode)  # a `with` block inside was not left
                    self.left.append((item.calls[item.at[0]], without_frames(error)))
                    waiting = without(item, item.at[0], self.watched) + waiting
                    continue
                item.compiled = segment.call
                self.segments.append(segment)
                self.parts.append((item.numbers, segment))
            result.append(item)
        return result

    def run(self, values: list, function: Callable, args: tuple, kwargs: dict) -> Any:
        """Returns the result of a call, or MISS. An error of the first change, or before, comes from the function."""
        trial = self.trial
        replay, changes_at = (self.replay, self.changes_at) if trial is None else trial.next()
        try:
            result = replay(*values)
        except Exception as error:
            set_mode(self.mode)  # a `with` block inside was not left
            if line_in(error) <= changes_at:
                return function(*args, **kwargs)
            raise
        if result is MISS:
            return MISS
        REPLAYS[0] += 1
        if trial is not None:
            trial.ended(replay)
        return result

    def in_front(self, function: Callable, args: tuple, kwargs: dict) -> InFront | None:
        """Returns what is tried first from now on; None while replays are timed, and for modes that are made anew."""
        if self.trial is not None or not (type(self.mode) is bool or self.mode is INFERENCE):
            return None

        def failed(args: tuple, kwargs: dict, error: BaseException) -> Any:
            if isinstance(error, Exception):
                set_mode(self.mode)
                if line_in(error) <= self.changes_at:
                    return function(*args, **kwargs)
            raise error

        return InFront(
            self.check, self.replay, failed, self.mode, self.names, self.count, self.floating, self.deterministic
        )  # fmt: skip


def segment_of(group: Group, sample: Callable[[Any], Any], options: dict[str, Any]) -> Segment:
    """Returns the segment of a group. A call that warns is an error: it has to warn at each call."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return Segment(group.plain, [*map(sample, group.inputs)], options=options)


def reads_elements(group: Group, sample: Callable[[Any], Any]) -> bool:
    """Whether a call reads elements, which may say what shape its result has: the one at `group.at`."""
    mode = get_mode()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record(group.plain, [example_of(sample(each)) for each in group.inputs])
    except Untraceable:
        return True
    except Exception:  # noqa: BLE001  the backend decides what it cannot do
        return False
    finally:
        set_mode(mode)  # a `with` block inside may not have been left
    return False


def without_frames(error: Exception) -> Exception:
    """Returns an error that keeps no frame alive, and so no tensor of the run."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


def forms_of(run: Run, sample: Callable[[Any], Any]) -> dict[int, tuple]:
    """Returns shape and dtype of the tensors that calls gave, by the numbers of the calls; for explanations."""
    tensors = [item.number for item in run.items if type(item) is Call and run.results[item.number] is A_TENSOR]
    arrays = [(number, sample(Result(number))._array) for number in tensors]
    return {number: (array.shape, array.dtype.name) for number, array in arrays}


def plain(item: Any) -> list:
    """Returns an item; the calls of a group that run functions of the program, one by one."""
    return item.items if type(item) is Group and item.standing else [item]


class Trial:
    """Times the first replays of a program, by its kernels and call by call in turns, and keeps what is faster.

    The results are the same. A program of few large operators may be no faster than these.
    """

    def __init__(self, program: Program, options: dict[str, Any]):
        self.program = program
        plain, _, changes_at = replay_of(program.watched, program.wanted, program.watched.items)
        self.turns = [(program.replay, program.changes_at), (plain, changes_at)]
        self.calls, self.begin = 0, 0
        self.times: list[list[int]] = [[], []]

    def next(self) -> tuple[Callable, int]:
        """Returns the function of the next replay, and the line before which it changes nothing."""
        self.calls += 1
        self.begin = perf_counter_ns()
        return self.turns[self.calls & 1]

    def ended(self, replay: Callable) -> None:
        """Notes how long a replay took, and ends the trial after some of each kind."""
        turn = 0 if replay is self.turns[0][0] else 1
        self.times[turn].append(perf_counter_ns() - self.begin)
        if min(map(len, self.times)) == TRIAL:
            kernels, calls = [min(times[1:]) for times in self.times]  # the first of each prepares
            self.program.replay, self.program.changes_at = self.turns[0 if kernels < calls else 1]
            self.program.trial = None


def line_in(error: BaseException) -> int:
    """Returns the line of the replay that raised an error."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<replay>":
            return trace.tb_lineno
        trace = trace.tb_next
    return 0


def refuse_late_checks(items: list) -> None:
    """Raises NotClosed if a check comes after a change: then it is too late to run the function as written."""
    changed = False
    for item in items:
        if type(item) is Check and changed:
            raise NotClosed("a size that depends on elements is read after something was changed")
        changed = changed or any(
            [not call.pure for call in (item.calls if type(item) is Group else (item,)) if type(call) is Call]
        )


def refuse_errors_in_blocks(items: list) -> None:
    """Raises NotClosed if a call after a change may raise an error in a block that the program would leave by it."""
    changed = False
    for call in [call for item in items for call in made_one_by_one(item)]:
        if changed and call.in_block and call.function not in SAFE:
            raise NotClosed("something was changed, and an error would leave a `with` or `try` block")
        changed = changed or not call.pure


def made_one_by_one(item: Any) -> list[Call]:
    """Returns the calls of an item of which each may raise an error after those before it have changed something."""
    if type(item) is Group:
        return item.calls if item.late else []
    return [item] if type(item) is Call else []


SAFE = (setattr, operator.setitem, list.append, itself)


class CompiledFunction:
    """A callable that computes what `function` computes."""

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
        self.front = Front(self.otherwise, MISS, WATCHING, STANCE.eager)  # has the program that was replayed last
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
        if surroundings is None or WATCHING or STANCE.eager or self.is_resting(surroundings):
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
                self.missed.pop(surroundings, None)
                if payoff is None or payoff.is_known:
                    self.front.use(program.in_front(self.function, args, kwargs))
                elif settled:
                    payoff.replayed.append(perf_counter_ns() - begin)
                if programs[0] is not program:
                    self.put_first(surroundings, program)
                return result
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
        """Runs the function and watches it; a closed run becomes a program."""
        programs = self.programs.get(surroundings, ())
        why = report.reason(self.function, programs[0].guards, args, kwargs) if programs else None
        watcher = Watcher(self.function)
        watcher.fullgraph = self.fullgraph
        WATCHING.append(watcher)
        COUNTS["recorded"] += 1
        try:
            result = watcher.run(args, kwargs)
        except BaseException as error:
            self.open += 1
            problem = watcher.problem or NotClosed(f"{type(error).__name__} is raised")
            self.breaks.append(report.note_break(self.function, problem, ()))
            watcher.forget()
            raise
        finally:
            WATCHING.pop()
        program = self.program_of(watcher, surroundings)
        watcher.forget()
        if program is None:
            self.open += 1
            self.breaks.append(report.note_break(self.function, watcher.problem, watcher.problem_place))
            if type(watcher.problem) is Forbidden:
                self.open = 0  # each call is an error
                raise AssertionError(watcher.problem.what)
            if self.fullgraph:
                raise unsupported(self.breaks[-1])
            return result
        self.open = 0
        report.note_program(self.function, program, why)
        if why is not None:
            self.recompiles.append(why)
        self.put_first(surroundings, program)
        return result

    def program_of(self, watcher: Watcher, surroundings: tuple) -> Program | None:
        """Returns the program of a run, None if it is not closed."""
        try:
            run = watcher.closed()
            if run is None:
                return None
            return Program(run, watcher.sample, self.options, surroundings, self.backend)
        except NotClosed as problem:
            watcher.problem = problem
            return None


COMPILED: weakref.WeakSet[CompiledFunction] = weakref.WeakSet()  # all there are
# By what programs call; weak both ways, for a compiled function may call itself
CALLED: weakref.WeakKeyDictionary[Any, weakref.ref[CompiledFunction]] = weakref.WeakKeyDictionary()
LISTENERS: list[Callable[[Any, CompiledFunction], None]] = []  # called with both when a function has been compiled
WATCHING: list[Watcher] = []  # watchers at work: compiled functions inside run as written


def is_power_of_two(count: int) -> bool:
    return count & (count - 1) == 0


def surrounding(args: tuple, kwargs: dict) -> tuple | None:
    """Returns what a program depends on besides its guards; None if the call has to run as written."""
    mode = get_mode()
    if mode is not True and mode is not False and mode is not INFERENCE:
        if not is_plain(mode):
            return None
    if STACK.get():
        return None
    return (mode, len(args), tuple(kwargs), dtypes.DEFAULTS.floating, DETERMINISM.wanted)


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

"""A program: one run that was watched and is closed, as a function that replays it, and the guards of that."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from importlib import import_module
from time import perf_counter_ns
from typing import Any

from rushlight.capture.calls import A_TENSOR, Call, Check, Result, Run, number_of
from rushlight.capture.fixed_sizes import without_checks_of_fixed
from rushlight.capture.front import InFront
from rushlight.capture.grouping import Group, groups_of, mode_guards, without
from rushlight.capture.guard_machine import checker
from rushlight.capture.notes import itself
from rushlight.capture.origins import FAULTS, NotClosed
from rushlight.capture.paths import Guard
from rushlight.capture.replay import MISS, replay_of, values_read
from rushlight.capture.stance import STANCE
from rushlight.capture.steady import check_inputs, have_changed
from rushlight.capture.steps import Step, steps_of
from rushlight.core.modes import INFERENCE, MODE
from rushlight.core.traced import Untraceable
from rushlight.graph.recording import record
from rushlight.graph.segment import Segment, example_of

TRIAL = 4  # timed replays of each kind
FEW, CLEARLY = 2, 2.0  # replays of each kind after which a program is kept that is so many times as fast

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
        self.mode, self.count, self.names, self.floating, self.deterministic, _ = surroundings
        self.watched, self.backend = run, backend if callable(backend) else None
        self.left: list[tuple[Call, Exception]] = []
        self.segments: list[Segment] = []
        more: list[Guard] = []
        self.parts: list[tuple[set[int], Any]] = []  # numbers of calls, and what computes them
        self.forms = forms_of(run, sample)
        if backend == "eager":
            items, more = without_checks_of_fixed(run), []
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
        items = with_groups_first(run, items)
        refuse_late_checks(items)
        refuse_errors_in_blocks(items)
        check_inputs(items, sample)
        self.wanted = values_read(run, items)
        held = {each: sample(each) for item in items if type(item) is Group for each in item.objects}
        self.guards = [*run.guards, *more, *mode_guards(held)]
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
            if type(item) is Group and have_changed(item.calls, item.inputs, sample):
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
        if (count := min(map(len, self.times))) < FEW:
            return
        kernels, calls = [min(times[1:]) for times in self.times]  # the first of each prepares
        if count == TRIAL or kernels * CLEARLY < calls:
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


def with_groups_first(run: Run, items: list) -> list:
    """Returns items with each pure group before the changes of objects in front of it.

    An error in the group then comes before all changes, and the function runs as written.
    """
    result: list = []
    for item in items:
        at = len(result)
        if type(item) is Group and all([call.pure for call in item.calls]):
            read = set(map(number_of, item.inputs))
            while at and changes_object(run, result[at - 1]) and result[at - 1].number not in read:
                at -= 1
        result.insert(at, item)
    return result


def changes_object(run: Run, item: Any) -> bool:
    """Whether an item changes an object that is no tensor, and cannot raise an error."""
    return type(item) is Call and cannot_raise(item) and run.kind_of(item.arguments[0]) is not A_TENSOR


def cannot_raise(call: Call) -> bool:
    """Whether a call that went well in the run goes well in each replay."""
    return call.function in SAFE or (call.function is dict.pop and len(call.arguments) > 2)


def refuse_errors_in_blocks(items: list) -> None:
    """Raises NotClosed if a call after a change may raise an error in a block that the program would leave by it."""
    changed = False
    for call in [call for item in items for call in made_one_by_one(item)]:
        if changed and call.in_block and not cannot_raise(call):
            raise NotClosed("something was changed, and an error would leave a `with` or `try` block")
        changed = changed or not call.pure


def made_one_by_one(item: Any) -> list[Call]:
    """Returns the calls of an item of which each may raise an error after those before it have changed something."""
    if type(item) is Group:
        return item.calls if item.late else []
    return [item] if type(item) is Call else []


SAFE = (setattr, operator.setitem, list.append, itself)

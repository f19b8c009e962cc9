"""Watches one run of a function, opcode by opcode, and says what it did: see `calls.py`.

Python executes; the watcher only judges. It notes of each object where it came from: a path (`paths.py`), a call of the
library, or this run. What it does not understand makes the run *not closed*, and such a run is not replayed. So a gap
in the watcher costs speed, and cannot give a wrong result.

Code of the program, of modules and of Python's library is watched. A function of ours is one call, whatever it does
inside: it is made again in a replay, with the tensors of that time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from types import CellType, CodeType, FrameType
from typing import Any

from rushlight.autograd.saved_hooks import StopRecomputation
from rushlight.capture import custom_functions, frames
from rushlight.capture.c_calls import is_scalar
from rushlight.capture.calls import (
    Call,
    Run,
    Value,
)
from rushlight.capture.notes import Notes, summary
from rushlight.capture.origins import FUNCTION_SLOTS, KEYWORD_DEFAULTS, Held, Inner, NotClosed, exceptional
from rushlight.capture.paths import (
    INDEX,
    IS,
    OBJECT,
    SLOT,
)  # fmt: skip
from rushlight.capture.watched_code import HARMLESS, IMPORT_SYSTEM, TRANSPARENT, changes_objects, is_library, is_ours
from rushlight.core.origin import is_ours as is_package_file
from rushlight.core.tensor import Tensor
from rushlight.core.trace_pause import PAUSABLE

ABSENT = {  # errors of instructions whose guards say that something is not there
    "BINARY_SUBSCR": (KeyError, IndexError),
    "LOAD_ATTR": (AttributeError,),
    "LOAD_METHOD": (AttributeError,),
    "CALL": (StopIteration,),  # by `next`
}
ENDS = {"__next__": StopIteration, "__getitem__": IndexError}  # what ends a loop over an object with the method
LOOPING = ("FOR_ITER", "END_SEND")  # instructions that end a loop, or a `yield from`, by StopIteration


RAISED = "an error"  # in place of an instruction
LEAVING = ("RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE", "RERAISE", RAISED)  # that leave a frame


def refuse_unseen() -> None:
    raise NotClosed("an instruction was not seen")


def unwatched(frame: FrameType, event: str, arg: Any) -> None:
    """The trace function of frames that are not watched."""


class Watched:
    """A frame that is watched."""

    __slots__ = (
        "after", "boundary", "computes", "frame", "info", "keywords", "last", "opname", "transparent", "watcher",
    )  # fmt: skip

    def __init__(self, watcher: Watcher, frame: FrameType, transparent: bool):
        self.watcher, self.frame, self.transparent = watcher, frame, transparent
        self.info = frames.info_of(frame.f_code)
        self.after: Callable[[Watched], None] | None = None  # to call when the instruction has been executed
        self.boundary = False  # whether the instruction is noted as a call of the library
        self.computes = False  # whether a function in C that it calls looks at numbers
        self.keywords: tuple = ()
        self.opname, self.last = "", -1  # of the instruction that was judged last

    def top(self) -> Any:
        """Returns the value on top of the stack, or below an empty place, which follows what is called from 3.13 on."""
        value = frames.stack(self.frame, 1)[0]
        return value if value is not frames.NULL else frames.stack(self.frame, 2)[0]

    def yields(self) -> bool:
        """Whether the instruction is that of a generator which yields a value."""
        return self.opname == "YIELD_VALUE"

    def ends_loops(self, error: type) -> bool:
        """Whether an error ends a loop: one of this frame, or of its caller if this is `__next__` or `__getitem__`."""
        code = self.frame.f_code
        if error is StopIteration and self.opname in LOOPING:
            return True
        return ENDS.get(code.co_name) is error and not code.co_exceptiontable


class Watcher(Notes):
    """One watched run."""

    def __init__(self, function: Callable, dynamic: frozenset = frozenset()):
        super().__init__(dynamic)
        self.function, self.fullgraph = function, False
        self.thread = get_ident()
        self.frames: dict[int, Watched] = {}
        self.codes: set[CodeType] = set()  # of frames that are watched
        self.unwatched: dict[CodeType, bool] = {}  # that others of ours call -> whether it is ours, else a library's
        self.problem: NotClosed | None = None
        self.problem_place: tuple = ()
        self.returned: Any = None
        self.root_call: Callable | None = None
        self.error: BaseException | None = None  # the last one that a handler of the program may get
        self.may_lack = 0  # how many `getattr` with a default, or `hasattr`, wait for a getter that may raise
        self.runs_library = False  # whether a call is made whose frames need not be watched, for its result is known

    # ---- running

    def run(self, args: tuple, kwargs: dict) -> Any:
        """Calls the function and returns its result; afterwards `problem` is None if the run was closed."""
        from_outside: Any = None
        try:
            self.begin(args, kwargs)
        except NotClosed as problem:
            self.problem = problem
            return self.function(*args, **kwargs)
        with without_collection():
            PAUSABLE.append(trace := self.trace)
            frames.start_tracing(trace)
            try:
                from_outside = self.function(*args, **kwargs)
            finally:
                PAUSABLE.remove(trace)
                if sys.gettrace() == self.trace:  # the function may have set another
                    sys.settrace(None)
                self.hide_instructions()
        if self.inner is not None:
            self.leave_call()
        if self.problem is None and self.tokens:
            self.problem = NotClosed("a context variable stays set")
        if self.problem is None:
            self.guarded(self.finish, from_outside)
        self.frames.clear()
        self.current = None
        return from_outside

    def hide_instructions(self) -> None:
        """Ends the tracing of frames: apart from `run`, for a frame whose variable holds another's lives on with it."""
        for state in self.frames.values():
            frames.hide_instructions(state.frame)

    def forget(self) -> None:
        """Lets go of the objects of the run; a problem lets go of its frames."""
        for each in (self.kept, self.origins, self.samples, self.values, self.frames, self.uncertain, self.changed):
            each.clear()
        self.returned = self.root_call = self.current = self.base = self.error = None
        if self.problem is not None:
            self.problem.with_traceback(None)

    def begin(self, args: tuple, kwargs: dict) -> None:
        """Notes where the arguments came from, and looks at what is called."""
        root = self.paths.path(None, OBJECT, self.function)
        self.arrived(root, self.function)
        for number, value in enumerate(args):
            self.arrived(self.paths.path(None, "argument", number), value)
        for name, value in kwargs.items():
            self.arrived(self.paths.path(None, "keyword", name), value)
        self.base: Any = sys._getframe(1)
        state = Watched(self, self.base, True)
        self.frames[id(self.base)] = state
        self.kept.append(self.base)
        self.root_call = JUDGE[0](self, state, self.function, list(args), dict(kwargs))

    def finish(self, result: Any) -> None:
        """Makes the expression of the result."""
        if self.root_call is not None:
            self.root_call(result)
        for shared in self.shared(result):
            self.materialise(shared)
        self.keeps = True
        self.returned = self.expression(result)
        self.tell_apart()

    def guarded(self, function: Callable, *arguments) -> Any:
        """Calls a function of the watcher; what it cannot judge ends the watching."""
        try:
            return function(*arguments)
        except NotClosed as problem:
            if self.inner is not None and self.current is not None and self.current.frame in self.inner.frames:
                self.inner.problem = problem
            else:
                self.stop(problem)
        except Exception as error:  # a fault of the watcher itself: the program must not see it
            fault = NotClosed(f"the watcher failed: {type(error).__name__}: {error}")
            fault.__cause__ = error
            self.stop(fault)
        return None

    def stop(self, problem: NotClosed) -> None:
        """Ends the watching."""
        self.problem = problem
        frame = self.current.frame if self.current else None
        self.problem_place = (frame.f_code, frame.f_lineno) if frame else ()
        sys.settrace(None)

    def closed(self) -> Run | None:
        """Returns what the run did, None if it is not closed."""
        if self.problem is not None:
            return None
        guards = [
            guard._replace(wanted=guard.wanted.value) if type(guard.wanted) is Held else guard for guard in self.guards
        ]
        results = [summary(self.samples[number], made=True) for number in range(len(self.samples))]
        values = {path: summary(value, made=False) for path, value in self.values.items()}
        return Run(guards, self.items, self.returned, results, values)

    # ---- events

    def trace(self, frame: FrameType, event: str, arg: Any):
        """The trace function for new frames.

        From CPython 3.13 on, a frame that shows no instructions ends this for all frames of the same code.
        """
        if frame.f_code in self.unwatched and self.stays_unwatched(frame):
            return None
        local = self.judged_frame(frame, event)
        if frames.MARKS_CODE and local is None and self.problem is None and frame.f_code in self.codes:
            frames.show_instructions(frame, unwatched)
            return unwatched
        return local

    def stays_unwatched(self, frame: FrameType) -> bool:
        """Whether code of ours, or of a library, is called by such code: tens of thousands of frames load kernels."""
        if id(frame.f_back) in self.frames or self.through or self.yields or self.tokens:
            return False
        if self.unwatched[frame.f_code] or self.inner is None:
            return True
        return id(frames.function_of(frame)) not in self.origins

    def judged_frame(self, frame: FrameType, event: str) -> Callable | None:
        """Returns the trace function of a new frame, None if it is not watched."""
        if event != "call" or self.problem is not None or self.runs_library:
            return None
        known = self.frames.get(id(frame))
        if known is not None and known.frame is frame:
            return self.local  # a generator goes on
        caller = self.frames.get(id(frame.f_back)) if frame.f_back is not None else None
        code = frame.f_code
        if id(frame) in self.yields or (self.through and id(frames.function_of(frame)) in self.through):
            pass  # a generator or a function of the program, which one of ours calls
        elif caller is None or caller.frame is not frame.f_back or caller.boundary:
            if is_ours(code):
                self.unwatched[code] = True
                return None
            if not self.is_callback(frame):
                if is_library(code):
                    self.unwatched[code] = False
                return None
        elif is_ours(code):
            return None if caller.transparent else self.guarded(self.called_by_c, caller, frame)
        transparent = code.co_filename == TRANSPARENT and code.co_name == "__call__"
        state = Watched(self, frame, transparent)
        self.frames[id(frame)] = state
        self.kept.append(frame)
        if self.inner is not None:
            self.inner.frames.add(frame)
        self.guarded(self.entered, state)
        if self.problem is not None:
            return None
        if transparent:
            frame.f_trace_lines = False
        else:
            frames.show_instructions(frame, self.local)
            self.codes.add(frame.f_code)
        return self.local

    def may_change(self, code: CodeType) -> None:
        """Notes that code which is not watched has run. What it may have changed must not be read any more."""
        if not self.foreign and changes_objects(code):
            self.lose()

    def is_callback(self, frame: FrameType) -> bool:
        """Whether code of the program that a call of ours runs is watched too: for guards, and not for its calls."""
        inner = self.inner
        if self.is_for_ours(frame) or self.is_part_of_import(frame):
            return False
        if self.tokens:
            self.problem = NotClosed("code of the program runs inside a call while a context variable is set")
            return False
        if inner is None or inner.problem is not None:
            if not is_library(frame.f_code):
                self.may_change(frame.f_code)
            return False
        if frame.f_code.co_filename == TRANSPARENT and frame.f_code.co_name == "__call__":
            module = frame.f_locals["self"]
            if type(self.origins.get(id(module))) is Value:
                self.guarded(MODULE_CALL[0], self, Watched(self, frame, True), module, [], {})
                return inner.problem is None
        elif self.origins.get(id(frames.function_of(frame))) is not None:
            return True
        if not is_library(frame.f_code):
            inner.problem = NotClosed("code of the program that comes from nowhere that is known runs inside a call")
            self.may_change(frame.f_code)
        return False

    def is_for_ours(self, frame: FrameType) -> bool:
        """Whether a method of a module of ours, such as `named_parameters`, is called by code of ours."""
        if frame.f_code.co_name == "__call__":
            return False
        while is_package_file(frame.f_code.co_filename) and id(frame) not in self.frames:
            if is_ours(frame.f_code):
                return True
            if frame.f_back is None:
                break
            frame = frame.f_back
        return False

    def is_part_of_import(self, frame: FrameType | None) -> bool:
        """Whether code runs because a call of ours imports a module: finders of other packages take part in it."""
        importing = False
        while frame is not None and id(frame) not in self.frames and not is_package_file(frame.f_code.co_filename):
            importing = importing or frame.f_code.co_filename.startswith(IMPORT_SYSTEM)
            frame = frame.f_back
        return importing and frame is not None and id(frame) not in self.frames

    def local(self, frame: FrameType, event: str, arg: Any):
        """The trace function of watched frames."""
        if self.problem is not None:
            return None
        if self.inner is not None and self.inner.problem is not None and frame in self.inner.frames:
            self.may_change(frame.f_code)
            return None
        state = self.frames[id(frame)]
        if event == "opcode":
            self.guarded(self.instruction, state)
        elif event == "exception":
            if not state.transparent:
                self.current = state
                self.guarded(self.raised, arg)
                state.opname = RAISED
        elif event == "return":
            if not (state.transparent or state.opname in LEAVING):
                self.guarded(refuse_unseen)
            if (yields := self.yields.get(id(frame))) is not None and state.yields():
                yields.append(arg)
            caller = self.frames.get(id(frame.f_back))
            if caller is not None and caller.frame is frame.f_back and self.may_be_for_c(caller, frame):
                self.guarded(self.given_to_c, arg)
        return self.local

    def may_be_for_c(self, caller: Watched, frame: FrameType) -> bool:
        """Whether a function in C may have called the code of a frame, and may look at what it returns."""
        if not (caller.computes or self.mapping):
            return False
        return caller.frame is not self.base and frame.f_code.co_name not in COMPREHENSIONS

    def instruction(self, state: Watched) -> None:
        """Judges the instruction that comes next, after the effects of the last one."""
        self.current = state
        if self.inner is not None and state.frame not in self.inner.frames:
            self.leave_call()
        if (after := state.after) is not None:
            state.after = None
            after(state)
        state.boundary = state.computes = False
        offset = state.frame.f_lasti
        instruction = state.info.at[offset]
        if state.last >= 0 and offset not in state.info.next[state.last]:
            raise NotClosed("an instruction was not seen")
        state.opname, state.last = instruction.opname, offset
        handler = HANDLERS.get(instruction.opname)
        if handler is None:
            raise NotClosed(f"the instruction {instruction.opname} is not known")
        state.after = handler(self, state, instruction)

    def enter_call(self, call: Call) -> None:
        """Watches the code of the program that a call of ours runs."""
        self.inner = Inner(call)

    def leave_call(self) -> None:
        """Notes whether the code of the program inside a call is known, so that the call may be recorded."""
        inner, self.inner = self.inner, None
        if inner is not None:
            inner.call.callbacks = bool(inner.frames)
            inner.call.opaque = inner.problem or inner.changes
            for call in () if inner.call.opaque else inner.differentiated:
                call.opaque = False

    def called_by_c(self, caller: Watched, frame: FrameType) -> Callable | None:
        """Notes a call of ours from C, such as the additions of `sum`; returns its trace function."""
        code = frame.f_code
        if code.co_name in HARMLESS:
            return None
        self.current = caller
        count = code.co_argcount
        arguments = [frame.f_locals[name] for name in code.co_varnames[:count]]
        keywords = {name: frame.f_locals[name] for name in code.co_varnames[count : count + code.co_kwonlyargcount]}
        at = count + code.co_kwonlyargcount
        if code.co_flags & 0x04:
            arguments += frame.f_locals[code.co_varnames[at]]
            at += 1
        if code.co_flags & 0x08:
            keywords.update(frame.f_locals[code.co_varnames[at]])
        if all([is_scalar(each) and id(each) not in self.origins for each in (*arguments, *keywords.values())]):
            return None  # it computes with constants, such as an index of a size
        caller.boundary = True
        inside = self.inner is not None
        done = JUDGE[0](self, caller, frames.function_of(frame), arguments, keywords)

        def returned(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "return" and self.problem is None:
                caller.boundary = False
                if self.inner is not None and not inside:
                    self.leave_call()
                if done is not None:
                    self.guarded(done, arg)
                if (caller.computes or self.mapping) and self.problem is None:
                    self.guarded(self.settle, arg)
            return returned

        frame.f_trace_lines = False
        return returned

    def raised(self, arg) -> None:
        """Judges an error in the current frame: it ends a loop, is what `getattr` waits for, or a handler may get it.

        A handler may get what the program raises, or what an item gives that is not there: guards say so.
        """
        state, kind, error = self.current, arg[0], arg[1]
        if kind is StopRecomputation:
            return  # leaves all frames inside a call of ours, which handles it
        if (self.may_lack and kind is AttributeError and not state.boundary) or state.ends_loops(kind):
            return
        if error is not self.error:
            if state.boundary or not (state.opname == "RAISE_VARARGS" or kind in ABSENT.get(state.opname, ())):
                raise exceptional(kind)
        if self.may_lack or self.inner is not None:
            raise exceptional(kind)
        self.error, state.after, state.last = error, None, -1  # it goes on at a handler
        self.fresh(error)

    def library_ran(self, value: Any) -> None:
        """Notes the result of a call whose frames are not watched."""
        self.runs_library = False
        self.fresh(value)

    def found_or_not(self, value: Any) -> None:
        """Notes what `hasattr`, or `getattr` with a default, gave after a getter of Python that was watched."""
        self.may_lack -= 1
        if not isinstance(value, Tensor):
            self.fresh(value)

    def entered(self, state: Watched) -> None:
        """Looks at the function of a new frame: its defaults and cells are read where they were found."""
        frame, code = state.frame, state.frame.f_code
        function = frames.function_of(frame)
        origin = self.origins.get(id(function))
        if origin is None and self.inner is None and not is_package_file(code.co_filename):
            raise NotClosed(f"{code.co_name} comes from nowhere that is known")
        if type(origin) is Value:
            path = origin.path
            self.guard(self.paths.path(path, SLOT, FUNCTION_SLOTS["__code__"]), IS, code)
            for name in ("__defaults__", "__kwdefaults__"):
                slot = FUNCTION_SLOTS.get(name, KEYWORD_DEFAULTS)
                value = getattr(function, name)
                self.guard(self.paths.path(path, SLOT, slot), IS, value)
                if value:
                    self.arrived(self.paths.path(path, SLOT, slot), value)
                    self.read_container(value)
            if code.co_freevars:
                closure = self.paths.path(path, SLOT, FUNCTION_SLOTS["__closure__"])
                for number, cell in enumerate(function.__closure__):
                    place = self.paths.path(closure, INDEX, number)
                    self.origin(cell, Value(place))
                    self.values.setdefault(place, cell)
        if id(function) in self.contexts:
            custom_functions.entered(self, frame, function)
        if code.co_name in ("__init__", "__post_init__") and code.co_argcount:
            owner = frames.local(frame, code.co_varnames[0])
            if type(owner) in self.making:
                self.fresh(owner)
        flags = code.co_flags
        count = code.co_argcount + code.co_kwonlyargcount
        for flag in (0x04, 0x08):
            if flags & flag:
                value = frames.local(frame, code.co_varnames[count])
                count += 1
                if type(value) is CellType:  # an inner function uses it
                    value = value.cell_contents
                if type(value) in (tuple, dict):
                    self.fresh(value)


@contextmanager
def without_collection() -> Iterator[None]:
    """Puts off garbage collection: finalizers of any objects would run in the midst of a watched run.

    By the threshold, so that a function may call `gc.enable` and `gc.disable`.
    """
    first, *others = gc.get_threshold()
    if first == 0:  # the program's choice, or that of another thread that watches
        yield
        return
    gc.set_threshold(0, *others)
    try:
        yield
    finally:
        if gc.get_threshold()[0] == 0:
            gc.set_threshold(first, *others)


COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))  # that are frames before CPython 3.12
HANDLERS: dict[str, Callable] = {}  # by name of the instruction; filled by opcodes.py
MODULE_CALL: list[Callable] = []  # that judges the call of a module; filled by calling.py
JUDGE: list[Callable] = []  # the function that judges a call; filled by calling.py

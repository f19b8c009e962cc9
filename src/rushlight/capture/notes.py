"""What a watched run did, in order: calls of the library, and what the program read of their results."""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable
from functools import partial
from types import FunctionType, GeneratorType, MethodType
from typing import Any

from rushlight.capture import frames
from rushlight.capture.c_calls import CONTAINERS, VIEWS, is_scalar
from rushlight.capture.calls import (
    A_MODE,
    A_NONE,
    A_TENSOR,
    Built,
    Call,
    Check,
    Constant,
    Listed,
    Part,
    Result,
    Value,
)
from rushlight.capture.effects import changed_by
from rushlight.capture.gradients import Gradients, has_hooks, without_hooks
from rushlight.capture.origins import FRESH, INSIDE, NotClosed, Origins, is_constant
from rushlight.capture.paths import OBJECT, OTHER, meta_of
from rushlight.capture.purity import MODES
from rushlight.capture.watched_code import is_ours
from rushlight.core.origin import is_ours as is_package_file
from rushlight.core.tensor import Parameter, Tensor


class Notes(Origins):
    """The calls and checks of a run."""

    def __init__(self, dynamic: frozenset):
        super().__init__(dynamic)
        self.gradients = Gradients()
        self.after_backward: Callable[[], None] | None = None  # what to do when the call that is noted has been made

    def new_parts(self, value: Any) -> list:
        """Returns the objects that the run has made which are in such an object, and may be changed."""
        if isinstance(value, dict):
            collected = [*dict.keys(value), *dict.values(value)]
        elif isinstance(value, (list, tuple, set)):
            collected = [*value]
        elif type(value) is MethodType:
            collected = [value.__self__]
        elif type(value) is partial:
            collected = [value.func, *value.args, *value.keywords.values()]
        elif type(value) is FunctionType:
            collected = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        else:
            collected = []
        collected += [*getattr(value, "__dict__", {}).values()]
        return [each for each in collected if self.origins.get(id(each)) is FRESH]

    def shared(self, value: Any) -> list:
        """Returns the objects that the run has made and that are in a value more than once, inner ones first."""
        seen: set[int] = set()
        collected: dict[int, Any] = {}

        def walk(value: Any) -> None:
            if id(value) in seen:
                collected.setdefault(id(value), value)
                return
            seen.add(id(value))
            for each in self.new_parts(value):
                walk(each)

        if self.origins.get(id(value)) is FRESH:
            walk(value)
        return [each for each in collected.values() if not isinstance(each, tuple)]

    def materialise(self, value: Any) -> None:
        """Makes a new object a result, so that there is one of it, and later changes of it are calls."""
        if self.origins.get(id(value)) is not FRESH or self.inner is not None:  # what is inside is made again with it
            return
        for each in self.new_parts(value):
            self.materialise(each)
        if isinstance(value, tuple):
            return
        noted = self.note(itself, [value], {}, pure=True)
        noted.opaque = True  # no group may make it, and make it twice
        self.samples[noted.number] = value
        self.origins[id(value)] = Result(noted.number)

    def tell_apart(self) -> None:
        """Guards that an object which the run changes is not found at another path too."""
        paths_found = [(id(value), type(value), path) for path, value in self.values.items()]
        for number, value in self.changed.items():
            path = self.origins[number].path
            for other, kind, place in paths_found:
                if kind is type(value) and other != number and place.kind is not OBJECT:
                    self.guard(path, OTHER, place)

    def sample(self, expression: Any) -> Any:
        """Returns the object that an expression was."""
        if type(expression) is Value:
            return self.values[expression.path]
        if type(expression) is Part:
            return self.sample(expression.whole)[expression.index]
        return self.samples[expression.number]

    def place(self) -> tuple:
        """Returns code and line of the instruction that is judged."""
        if self.current is None or self.current.frame is self.base:
            return ()
        return (self.current.frame.f_code, self.current.frame.f_lineno)

    def note(self, function: Any, arguments: list, keywords: dict, *, pure: bool) -> Call:
        """Notes a call of the library; its result is noted by `result`."""
        if self.inner is not None:
            return self.note_inside(arguments, keywords, pure)
        place = self.place()
        self.keeps = not pure or function is itself
        expressions = tuple(map(self.argument, arguments))
        named = {name: self.argument(value) for name, value in keywords.items()}
        self.keeps = False
        call = Call(function, expressions, named, len(self.samples), pure, place)
        for each, expression in zip((*arguments, *keywords.values()), (*expressions, *named.values()), strict=True):
            self.see(call, each, expression)
        call.in_block = self.impure and self.is_in_block()
        self.samples[call.number] = None
        self.items.append(call)
        if not pure:
            self.impure = True
            self.after_backward = self.gradients.before(call, arguments[0] if arguments else None, self.values.values())
            for each in (*arguments, *keywords.values()):
                if type(self.origins.get(id(each))) is Value and not isinstance(each, Tensor) and not is_scalar(each):
                    self.changed[id(each)] = each
            self.changes(function, [*arguments, *keywords.values()])
        return call

    def changes(self, function: Any, values: list) -> None:
        """Notes what a call may change: that must not be read any more."""
        changed = changed_by(function, values)
        self.changed_by_calls |= changed
        if len(changed) > 1:
            self.whole -= changed

    def see(self, call: Call, value: Any, expression: Any) -> None:
        """Notes what tensors are now: another call may change that."""
        if isinstance(value, Tensor):
            call.seen[expression] = meta_of(value)
        elif type(expression) is Built and expression.kind in (list, tuple):
            for each, part in zip(value, expression.items, strict=True):
                self.see(call, each, part)

    def is_in_block(self) -> bool:
        """Whether the program would do something if the call that is judged raised an error."""
        frame = self.current.frame if self.current is not None else None
        while frame is not None and frame is not self.base:
            if not is_package_file(frame.f_code.co_filename) and frames.is_in_block(frame, is_undone):
                return True
            frame = frame.f_back
        return False

    def lose(self) -> None:
        """Forgets what the run has written, and refuses to read more."""
        self.foreign = True
        self.written.clear()
        self.whole.clear()

    def note_inside(self, arguments: list, keywords: dict, pure: bool) -> Call:
        """A call that code of the program makes inside a call of ours: it is made again with that."""
        if not pure and self.inner is not None:
            for each in (*arguments, *keywords.values()):
                if type(self.origins.get(id(each))) is Value and not is_scalar(each):
                    self.inner.changes = True
                    if not isinstance(each, Tensor):
                        self.lose()
        return INSIDE

    def result(self, call: Call, value: Any, *, meta: str | None = None, looked: bool = True) -> None:
        """Notes the result of a call: tensors are known by it, other values are read by the program."""
        if call is INSIDE:
            self.made_inside(value)
            return
        if self.after_backward is not None:
            self.after_backward()
            self.after_backward = None
        self.samples[call.number] = value
        call.meta, call.gives_none = meta is not None, value is None
        self.kept.append(value)
        whole = Result(call.number)
        if call.callbacks or call.opaque:
            if not call.pure and type(value) in CONTAINERS:
                raise NotClosed("a call that runs code of the program gives a container")
            self.uncertain[id(value)] = value
        if is_scalar(value):
            if type(value) is float and meta is None:
                self.number(whole, value)
            elif looked:
                self.check(whole, value, meta)
            return
        self.structure(whole, value, meta)

    def present(self, owner: Tensor, value: Tensor) -> None:
        """Notes that a tensor had a gradient."""
        origin = self.origins.get(id(owner))
        if id(owner) in self.gradients.present and type(origin) is Value and not has_hooks(owner):
            for guard in without_hooks(self.paths, origin.path, owner):
                self.guard(*guard)
            return
        if self.impure:
            self.uncertain[id(value)] = value
            return
        noted = self.note(operator.is_, [value, None], {}, pure=True)
        self.result(noted, False)

    def look(self, value: Any) -> None:
        """Raises NotClosed if the program tests whether a value is None, or its class, and a replay may differ."""
        if id(value) in self.uncertain:
            raise NotClosed("whether a value is None is read after something was changed")

    def number(self, expression: Any, value: float) -> None:
        """Notes a number that may be another one in a replay. It is known as an object, so only one such can be it."""
        if id(value) in self.origins:
            self.settle(value)
            self.check(expression, value, None)
        else:
            self.origin(value, expression)

    def given_to_c(self, value: Any) -> None:
        """Notes that code of the program has returned a value to a function in C, which looks at it."""
        self.settle(value)
        if self.mapping and not (is_scalar(value) or isinstance(value, Tensor) or is_constant(value)):
            raise NotClosed(f"a function in C looks at a {type(value).__name__}", "Write a loop.")

    def settle(self, value: Any) -> None:
        """Notes that the program goes on as for the numbers in a value, which are constants from now on."""
        if isinstance(value, dict):
            for key, each in dict.items(value):
                self.settle(key)
                self.settle(each)
        elif isinstance(value, (list, tuple, set, frozenset)):
            iterate: Any = next(each for each in (list, tuple, set, frozenset) if isinstance(value, each)).__iter__
            for each in iterate(value):
                self.settle(each)
        elif is_scalar(value) and (origin := self.origins.get(id(value))) is not None:
            self.check(origin, value, None)
            del self.origins[id(value)]
        elif is_iterator_in_c(value):
            self.settle(gc.get_referents(value))  # what it goes through, and other iterators

    def made_inside(self, value: Any) -> None:
        """Notes that the tensors of a result were made inside a call."""
        self.fresh(value)
        if isinstance(value, (list, tuple)) and not isinstance(value, Tensor):
            for each in value:
                self.made_inside(each)
        elif type(value) is dict:
            for each in value.values():
                self.made_inside(each)

    def structure(self, expression: Any, value: Any, meta: str | None = None) -> None:
        """Notes the tensors in a result; one may have been made by code of the program that the call ran."""
        if type(value) is float:
            self.number(expression, value)
            return
        if isinstance(value, Tensor) and self.origins.get(id(value)) is FRESH:
            self.origins[id(value)] = expression
        self.origin(value, expression)
        kind = type(value)
        if isinstance(value, (list, tuple)) and not isinstance(value, Tensor):
            if any([is_scalar(each) and type(each) is not float and each is not None for each in value]):
                if all(map(is_scalar, value)):
                    self.check(expression, value, meta)
                    if meta is not None and isinstance(value, tuple):
                        self.origins[id(value)] = Constant(value)  # as long as the check holds
            for number, each in enumerate(value):
                if type(each) is float or not is_scalar(each):
                    self.structure(Part(expression, number), each)
        elif kind is dict:
            for key, each in value.items():
                if not is_scalar(each):
                    self.structure(Part(expression, key), each)

    def check(self, value: Any, outcome: Any, meta: str | None) -> None:
        """Notes that the program goes on as for this outcome. Raises NotClosed after a change."""
        if self.impure and meta is None:
            raise NotClosed(
                "a value is read after something was changed",
                "Read values, such as loss.item(), after the compiled function has returned.",
            )
        self.items.append(Check(value, outcome, self.place(), meta))


def summary(value: Any, around: tuple[int, ...] = (), *, made: bool) -> Any:
    """Returns what a value is, without its elements: see `Run.results`; `around` are the containers that it is in.

    Dictionaries are looked into if the run has `made` them: guards read those of the program.
    """
    if isinstance(value, Tensor):
        return A_TENSOR if type(value) in (Tensor, Parameter) else None
    if value is None and around:
        return A_NONE
    if id(value) in around:
        raise NotClosed("a list contains itself")
    around = (*around, id(value))
    if isinstance(value, (list, tuple)):
        return Listed(type(value), tuple([summary(each, around, made=made) for each in value]))
    if made and type(value) is dict and all(map(is_scalar, value)):
        return Listed(dict, tuple([summary(each, around, made=made) for each in value.values()]), tuple(value))
    return A_MODE if type(value).__name__ in MODES and type(value).__module__.startswith("torch") else None


def is_iterator_in_c(value: Any) -> bool:
    """Whether a value is an iterator, or a view of a dictionary, of a class in C; a generator is watched itself."""
    kind = type(value)
    following = getattr(kind, "__next__", None)
    return kind in VIEWS or not (following is None or kind is GeneratorType or type(following) is FunctionType)


def is_undone(leave: Any) -> bool:
    """Whether a function that leaves a `with` block is one of a mode, which a replay leaves too."""
    function = getattr(leave, "__func__", None)
    return type(function) is FunctionType and is_ours(function.__code__) and type(leave.__self__).__name__ in MODES


def itself(value: Any) -> Any:
    """Returns its argument."""
    return value

"""Code of the program that a call of ours runs, and that is watched: generators, closures, own optimizers, modules."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from rushlight.capture.calls import Value
from rushlight.capture.origins import FRESH, NotClosed
from rushlight.capture.paths import ENTRY, EQUAL, GETTER, LENGTH, OBJECT
from rushlight.capture.watch import Watched, Watcher
from rushlight.capture.watched_code import is_ours
from rushlight.core.modes import MODE
from rushlight.nn.modules.module import MEMBER_KINDS
from rushlight.optim.grouped import ElementwiseOptimizer
from rushlight.optim.optimizer import AFTER_EVERY_STEP, BEFORE_EVERY_STEP

Done = Callable[[Any], None] | None
STEP_HOOKS = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")


def of_generators(w: Watcher, function: Any, args: list, kwargs: dict, pure: bool, generators: list) -> Done:
    """Notes a call that goes through generators of the run, such as `net.parameters()`: it gets lists in a replay."""
    if w.inner is not None or not all([w.origins.get(id(each)) is FRESH and each.gi_frame for each in generators]):
        raise NotClosed("a generator that comes from nowhere that is known is passed on")
    yields = {id(each): w.yields.setdefault(id(each.gi_frame), []) for each in generators}
    before = len(w.items)

    def done(value: Any) -> None:
        if any([each.gi_frame for each in generators]):
            raise NotClosed("a generator is passed on that is not used up", "Pass a list.")
        if w.foreign or (len(w.items) > before and not pure):
            raise NotClosed("a generator that computes is passed on", "Pass a list.")
        for each in yields.values():
            w.fresh(each)
        values = [yields.get(id(each), each) for each in args]
        named = {name: yields.get(id(each), each) for name, each in kwargs.items()}
        w.result(w.note(function, values, named, pure=pure), value, looked=value is not None)

    return done


def of_own_step(w: Watcher, state: Watched, step: FunctionType, optimizer: Any) -> Done:
    """Judges the step of an optimizer that the program defines: it is watched, although a function of ours calls it."""
    refuse_step_hooks(w, optimizer)
    w.origin(step, Value(w.paths.path(None, OBJECT, step)))
    w.through.add(id(step))
    state.boundary = True
    return None


def of_closure(w: Watcher, state: Watched, step: Any, optimizer: Any, closure: Any) -> Done:
    """Judges a step with a closure, which is watched: the step calls it first, and once, and returns its result."""
    if (
        step.__wrapped__ is not ElementwiseOptimizer.step
        or type(closure) is not FunctionType
        or is_ours(closure.__code__)
    ):
        raise NotClosed("a step calls a closure", "Write the lines of the closure before the step.")
    if w.inner is not None or MODE.get() is not True:
        raise NotClosed("a step calls a closure in a mode", "Write the lines of the closure before the step.")
    refuse_step_hooks(w, optimizer)
    w.through.add(id(closure))
    state.boundary = True

    def done(value: Any) -> None:
        w.note(step, [optimizer], {}, pure=False)

    return done


def of_functional_call(w: Watcher, module: Any, tables: Any) -> Callable[[Done], Done]:
    """Judges a module that is called with other tensors: guards what it is made of.

    Returns a function that adds to what is done after the call that the tables keep their tensors.
    """
    read_tree(w, module)
    w.guard(w.paths.path(w.origins[id(module)].path, GETTER, ties_of), EQUAL, ties_of(module))
    before = [(table, dict(table)) for table in (tables if isinstance(tables, (tuple, list)) else [tables])]

    def with_check(done: Done) -> Done:
        def after(value: Any) -> None:
            for table, entries in before:
                if any([table[name] is not entries[name] for name in entries]):
                    raise NotClosed("functional_call has replaced a buffer in its dictionary")
            if done is not None:
                done(value)

        return after

    return with_check


def ties_of(module: Any) -> str:
    """Returns the names of tensors that a module has under several names: `functional_call` replaces them under all."""
    names: dict[int, list[str]] = {}
    for name, tensor in (
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    ):
        names.setdefault(id(tensor), []).append(name)
    return "; ".join([", ".join(each) for each in names.values() if len(each) > 1])


def read_tree(w: Watcher, module: Any) -> None:
    """Reads the tables of a module, and of those inside."""
    origin = w.origins.get(id(module))
    if type(origin) is not Value:
        raise NotClosed(f"a {type(module).__name__} that comes from nowhere that is known is called")
    for name in MEMBER_KINDS:
        w.arrived(w.paths.path(origin.path, ENTRY, name), vars(module)[name])
        w.read_container(vars(module)[name])
    for each in vars(module)["_modules"].values():
        if each is not None:
            read_tree(w, each)


def refuse_step_hooks(w: Watcher, optimizer: Any) -> None:
    """Guards that an optimizer has no hooks. Raises NotClosed if it has."""
    origin = w.origins.get(id(optimizer))
    if type(origin) is not Value:
        raise NotClosed(f"a {type(optimizer).__name__} that comes from nowhere that is known makes a step")
    hooks = [w.paths.path(origin.path, ENTRY, name) for name in STEP_HOOKS]
    hooks += [w.paths.path(None, OBJECT, table) for table in (BEFORE_EVERY_STEP, AFTER_EVERY_STEP)]
    if any([len(path.read((), {}) if path.parent is None else vars(optimizer)[path.key]) for path in hooks]):
        raise NotClosed("hooks of an optimizer run")
    for path in hooks:
        w.guard(path, LENGTH, 0)

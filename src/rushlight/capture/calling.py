"""What a watched run calls: code that is watched, a function of ours, or a function in C."""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import operator
import weakref
from contextvars import ContextVar
from types import BuiltinFunctionType, FunctionType, GeneratorType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from rushlight.capture import attribute_calls, attributes, keys, python_library, rows
from rushlight.capture.c_calls import (
    CHANGING,
    COMPARING,
    COMPUTING,
    CONTAINERS,
    HASHING,
    LOOKING,
    NEVER,
    PAIRING,
    READING,
    STRUCTURAL,
    VALUE_CLASSES,
    VIEWS,
    base_in,
    is_scalar,
    method_of,
)  # fmt: skip
from rushlight.capture.calls import Call, Constant, Made, Value, called, is_looked_up
from rushlight.capture.custom_functions import applied, read_methods
from rushlight.capture.getters import GETTERS, of_getter
from rushlight.capture.iterators import (
    called_back,
    computes_late,
    goes_through,
    is_iterator,
    known_or_fresh,
    new_with_parts,
    next_of,
)
from rushlight.capture.nested import has_tensor, read_nested
from rushlight.capture.origins import (
    FRESH,
    FUNCTION_SLOTS,
    INSIDE,
    Forbidden,
    NotClosed,
    exceptional,
    is_constant,
)
from rushlight.capture.paths import CELL, CLASS, ENTRY, FOUND, GETTER, INDEX, IS, LENGTH, OBJECT, SLOT
from rushlight.capture.program_code import Done, of_closure, of_functional_call, of_generators, of_own_step
from rushlight.capture.purity import APPLY, META_METHODS, is_pure
from rushlight.capture.variables import STATES, of_state, of_variable
from rushlight.capture.watch import JUDGE, MODULE_CALL, Watched, Watcher
from rushlight.capture.watched_code import is_ours
from rushlight.compiler import ALLOWED, CONSTANT, is_compiling, is_dynamo_compiling, is_exporting
from rushlight.core.dtype import finfo, iinfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.hooks import global_flag
from rushlight.nn.modules.module import BACKWARD_HOOKS, CALL_HOOKS


def call(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Judges a call before it happens; returns what to do with its result, or None."""
    kind = type(function)
    if kind is MethodType:
        return call(w, state, function.__func__, [function.__self__, *args], kwargs)
    if kind is FunctionType:
        if function in QUESTIONS:
            return w.fresh
        if function is inspect.signature and len(args) == 1 and not kwargs:
            return python_library.of_signature(w, args[0])
        if function.__name__ in STATES and is_ours(function.__code__):
            return of_state(w, function)
        if "_dynamo_forbidden" in vars(function):
            raise Forbidden(f"Attempt to trace forbidden callable {function}")
        if function in CONSTANT:
            return of_constant(w, state, function)
        if function in ALLOWED or "_torchdynamo_disable" in vars(function):
            done = of_library(w, state, function, args, kwargs)
            if function not in ALLOWED:
                w.inner = None  # what runs inside may change anything
            return done
        if "_wrapped_by_lr_sched" in vars(function):  # it notes that there was a step, and makes it
            return call(w, state, function.__wrapped__, [function._optimizer(), *args], kwargs)
        if getattr(function, "hooked", False) and args:
            if not is_ours(function.__wrapped__.__code__):
                return of_own_step(w, state, function.__wrapped__, args[0])
            if (closure := [*args[1:], *kwargs.values()]) and closure[0] is not None:
                return of_closure(w, state, function, args[0], closure[0])
        if vars(Size).get(function.__name__) is function:
            w.settle(args)
            return w.fresh
        if is_ours(function.__code__):
            if w.origins.get(id(function)) is None:
                w.arrived(w.paths.path(None, OBJECT, function), function)
            if function is APPLY and args:
                return of_apply(w, state, function, args, kwargs)
            if function.__name__ == "functional_call":
                check = of_functional_call(w, *inspect.signature(function).bind(*args, **kwargs).args[:2])
                return check(of_library(w, state, function, args, kwargs))
            return of_library(w, state, function, args, kwargs)
        if function.__module__ == MODULE_CLASS and function.__qualname__ == "Module.__call__" and args:
            return of_module(w, state, args[0], args[1:], kwargs)
        if w.origins.get(id(function)) is None:
            raise NotClosed(f"{function.__qualname__} comes from nowhere that is known")
        return w.fresh if function.__code__.co_flags & inspect.CO_GENERATOR else None
    if kind is functools.partial:
        python_library.read_partial(w, function)
        return call(w, state, function.func, [*function.args, *args], {**function.keywords, **kwargs})
    if isinstance(function, type):
        return of_class(w, state, function, args, kwargs)
    if kind is BuiltinFunctionType or method_of(function) is not None:
        return of_builtin(w, state, function, args, kwargs)
    return of_instance(w, state, function, args, kwargs)


ITERATING = STRUCTURAL - {
    len, isinstance, issubclass, type, callable, slice, functools.partial, itertools.repeat, super, object, property,
    operator.itemgetter, operator.attrgetter, operator.methodcaller, staticmethod, classmethod, range,
}  # fmt: skip
MAPPING = (map, filter, itertools.starmap)
ARRAY_CHANGES = frozenset("fill sort partition put resize setflags itemset setfield byteswap __setitem__".split())


def referent(reference: weakref.ReferenceType) -> Any:
    """Returns what a weak reference refers to."""
    return reference()


EFFECTS = frozenset((print,))  # functions in C that a replay repeats


def of_numpy(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Notes a function of NumPy."""
    w.guard_object(function) if type(w.origins.get(id(function))) is Value else None
    state.boundary = True
    noted = w.note(function, args, kwargs, pure="out" not in kwargs)
    return lambda value: w.result(noted, value)


def of_instance(w: Watcher, state: Watched, owner: Any, args: list, kwargs: dict) -> Done:
    """Judges the call of an object with a `__call__`."""
    if isinstance(owner, np.ufunc) or type(owner).__name__ == "_ArrayFunctionDispatcher":
        return of_numpy(w, state, owner, args, kwargs)
    if isinstance(owner, functools._lru_cache_wrapper):
        return python_library.of_cached(w, state, owner, args, kwargs)
    if isinstance(owner, weakref.ReferenceType):
        if type(origin := w.origins.get(id(owner))) is Value:
            w.arrived(w.paths.path(origin.path, GETTER, referent), owner())
            return None
        raise NotClosed("a weak reference that comes from nowhere that is known")
    entry = attributes.class_attribute(type(owner), "__call__")
    if type(entry) is not FunctionType:
        if isinstance(owner, GETTERS):
            return of_getter(w, state, owner, args[0])
        raise NotClosed(f"a {type(owner).__name__} is called")
    if w.origins.get(id(owner)) is None:
        raise NotClosed(f"a {type(owner).__name__} that comes from nowhere that is known is called")
    if is_ours(entry.__code__):
        return of_library(w, state, owner, args, kwargs)
    if entry.__module__ == MODULE_CLASS and entry.__qualname__ == "Module.__call__":
        return of_module(w, state, owner, args, kwargs)
    origin = w.origins.get(id(owner))
    path = w.paths.path(origin.path, CLASS, None) if type(origin) is Value else w.paths.path(None, OBJECT, type(owner))
    w.guard(w.paths.path(path, FOUND, "__call__"), IS, entry)
    w.origin(entry, Value(w.paths.path(None, OBJECT, entry)))
    return None


MODULE_CLASS = "rushlight.nn.modules.module"


QUESTIONS = frozenset((is_compiling, is_dynamo_compiling, is_exporting))


def of_constant(w: Watcher, state: Watched, function: FunctionType) -> Done:
    """Judges the call of a function whose result is the same at each call."""
    w.guard_object(function)
    state.boundary = True

    def done(value: Any) -> None:
        if not is_scalar(value):
            w.origin(value, Constant(value))

    return done


def of_module(w: Watcher, state: Watched, module: Any, args: list, kwargs: dict) -> Done:
    """Judges the call of a module: its `forward` and forward hooks are watched; with other hooks it is one call."""
    if hooks_run(w, module):
        return of_library(w, state, module, args, kwargs)
    origin = w.origins.get(id(module))
    if origin is None:
        raise NotClosed(f"a {type(module).__name__} that comes from nowhere that is known is called")
    if type(origin) is Value:
        for name in CALL_HOOKS:
            entries = module.__dict__[name]
            w.arrived(w.paths.path(origin.path, ENTRY, name), entries)
            w.read_container(entries) if entries else w.read_length(entries)
    attributes.read(w, state, module, "forward")
    forward = attributes.class_attribute(type(module), "forward")
    if "forward" not in module.__dict__ and type(forward) is FunctionType and is_ours(forward.__code__):
        return of_library(w, state, module, args, kwargs)
    return None


def hooks_run(w: Watcher, module: Any) -> bool:
    """Whether a module has backward hooks, or all have hooks: then its call is one call. Guards that not all have."""
    if global_flag:
        return True
    w.guard(w.paths.path(None, OBJECT, global_flag), LENGTH, 0)
    return any([module.__dict__.get(name) for name in BACKWARD_HOOKS])


def of_library(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Notes a call of a function of ours."""
    for each in (*args, *kwargs.values()):
        read_nested(w, each)
    state.boundary = True
    name = getattr(function, "__name__", "")
    meta = name if name in META_METHODS and len(args) >= 1 and isinstance(args[0], Tensor) else None
    if meta == "type" and len(args) + len(kwargs) > 1:
        meta = None  # it converts
    if meta is not None and type(w.expression(args[0])) is Value and id(args[0]) not in w.changed_by_calls:
        return w.fresh
    for each in (function, *args, *kwargs.values()):
        reach(w, each)
    pure = is_pure(function, args, kwargs)
    if generators := [each for each in (*args, *kwargs.values()) if type(each) is GeneratorType]:
        return of_generators(w, function, args, kwargs, pure, generators)
    if is_looked_up(function, w.origins.get(id(function))):
        function, args = called, [function, *args]
    noted = w.note(function, args, kwargs, pure=pure)
    if w.inner is None:
        w.enter_call(noted)
    looked = name != "__exit__"  # the end of a block drops the result

    def done(value: Any) -> None:
        if type(value) is FunctionType and pure and noted is not INSIDE and not noted.callbacks:
            made(w, noted, value, Made(function, args, kwargs))
        else:
            w.result(noted, value, meta=meta, looked=looked and value is not None)

    return done


def of_apply(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Notes the call of a custom function. Raises NotClosed inside another call: its backward pass may come later."""
    if w.inner is not None or any([type(each) is GeneratorType for each in args]):
        raise NotClosed("a custom function is called inside another call, or with a generator")
    read_methods(w, args[0])
    done, noted = of_library(w, state, function, args, kwargs), w.items[-1]

    def after(value: Any) -> None:
        done(value) if done is not None else None
        applied(w, noted, args[0], value)

    return after


def made(w: Watcher, noted: Call, function: FunctionType, origin: Made) -> None:
    """Notes a function that a transform has made: it is made anew where it is used, with what it then holds."""
    w.fresh(origin.kwargs)
    w.origin(function, origin)
    w.items.remove(noted)


def reach(w: Watcher, value: Any) -> None:
    """Notes what a function of ours holds in its cells, such as the function of the program that it transforms."""
    origin = w.origins.get(id(value))
    if id(value) in w.reached:
        return
    w.reached.add(id(value))
    if type(value) is FunctionType and value.__closure__ and is_ours(value.__code__) and type(origin) is Value:
        closure = w.paths.path(origin.path, SLOT, FUNCTION_SLOTS["__closure__"])
        for number, cell in enumerate(value.__closure__):
            try:
                inside = cell.cell_contents
            except ValueError:  # the cell is empty
                continue
            w.arrived(w.paths.path(w.paths.path(closure, INDEX, number), CELL, None), inside)
            reach(w, inside)


LIMITS, SIZES = (finfo, iinfo), (Size, tuple, list)


def of_class(w: Watcher, state: Watched, kind: type, args: list, kwargs: dict) -> Done:
    """Judges the making of an object."""
    if kind in NEVER or kind is type and len(args) != 1:
        raise NotClosed(f"{kind.__name__} is called")
    if issubclass(kind, BaseException):
        if type(kind.__init__) is FunctionType or type(kind.__new__) is FunctionType:
            raise exceptional(kind)
        w.settle(args)
        return w.fresh
    if kind is super or kind is type:
        w.look(args[0] if args else None)
        return w.fresh
    if kind in LIMITS or (kind is Size and args and type(args[0]) in SIZES and not has_tensor(args[0])):
        w.settle(args)
        return w.fresh
    if kind in STRUCTURAL or kind in COMPUTING:
        return of_builtin(w, state, kind, args, kwargs)
    if issubclass(kind, Tensor) or (attributes.is_class_of_ours(kind) and not attributes.is_module_class(kind)):
        return of_library(w, state, kind, args, kwargs)
    for name in ("__new__", "__init__"):
        entry = attributes.class_attribute(kind, name)
        if type(entry) is staticmethod:
            entry = entry.__func__
        if type(entry) is FunctionType:
            path = w.paths.path(w.paths.path(None, OBJECT, kind), FOUND, name)
            w.guard(path, IS, attributes.class_attribute(kind, name))
            w.origin(entry, Value(w.paths.path(None, OBJECT, entry)))
        elif entry is not object.__dict__.get(name) and base_in(READING, kind) is None:
            raise NotClosed(f"a {kind.__name__} is made")
    for each in (*args, *kwargs.values()):
        if type(each) in CONTAINERS:
            w.read_container(each)
    w.making.add(kind)
    return w.fresh


def comes_from_call(w: Watcher, values: Any) -> bool:
    """Whether a number among values is the result of a call, or one that may change between replays."""
    return any([is_scalar(each) and w.origins.get(id(each)) not in (None, FRESH) for each in values])


def of_builtin(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Judges the call of a function or method in C."""
    values = [*args, *kwargs.values()]
    if function in (getattr, hasattr) or (function is vars and args):
        return attribute_calls.of_getattr(w, state, function, args)
    if function in (setattr, delattr):
        w.settle(args[1])
        attributes.change(w, state, function, *args)
        return None
    if function in NEVER:
        raise NotClosed(f"{function.__name__} is called")
    if function is isinstance or function is issubclass or function is callable or function is type:
        w.look(args[0])
        return python_library.of_abstract_classes(w, args[1]) if function in (isinstance, issubclass) else None
    if function in STRUCTURAL:
        return structural(w, state, function, args, kwargs)
    if function in COMPUTING:
        return computing(w, state, function, args, kwargs)
    if function in EFFECTS:
        state.boundary = True
        w.note(function, args, kwargs, pure=False)
        return None
    entry = method_of(function)
    if isinstance(function, BuiltinFunctionType) and (getattr(function, "__module__", None) or "").startswith("numpy"):
        return of_numpy(w, state, function, args, kwargs)
    if entry is None:
        raise NotClosed(f"{getattr(function, '__qualname__', function)} is called")
    owner_class, name, bound = entry
    if bound is None:
        if not args:
            raise NotClosed(f"{name} is called")
        bound, args = args[0], args[1:]
    return of_method(w, state, owner_class, name, bound, args, kwargs, values)


TAKING_TENSORS = (
    zip, enumerate, iter, next, itertools.repeat, functools.partial, operator.methodcaller, slice,
)  # fmt: skip


def structural(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Judges a function that takes containers apart."""
    if any([isinstance(each, Tensor) for each in args]):
        if function in (list, tuple, len):
            state.boundary = True
            noted = w.note(function, args, kwargs, pure=True)
            return lambda value: w.result(noted, value, meta="len" if function is len else None)
        if function not in TAKING_TENSORS:
            raise NotClosed(f"{function.__name__} goes through a tensor", "Iterate over tensor.unbind().")
    for each in (*args, *kwargs.values()):
        if type(each) in CONTAINERS or base_in(READING, type(each)):
            w.read_length(each) if function is len else w.read_container(each)
        elif not is_scalar(each) and w.origins.get(id(each)) is None:
            raise NotClosed(f"a {type(each).__name__} comes from nowhere that is known")
        elif function in ITERATING and not (function in MAPPING and each is args[0]):
            goes_through(w, each, "__next__" if function is next else "__iter__")
        if function in ITERATING and function not in HASHING:
            keys.in_order(w, each)
    if function in HASHING:
        w.settle([*args, *kwargs.values()])
        state.computes = True
        return keys.made_with_keys(w)
    if function in MAPPING:
        called_back(w, args[0], args[1:])
        w.mapping = w.mapping or function is filter
    if function is len and len(args) == 1 and type(args[0]) not in CONTAINERS and not is_scalar(args[0]):
        return implied(w, state, args[0], "__len__")
    if function is next:
        return next_of(w, *args)
    if function in (zip, enumerate, iter):
        return rows.of_iterator(w, state, function, args)
    if function in (list, tuple) and args and isinstance(args[0], PAIRING) or function is itertools.tee:
        return new_with_parts(w)
    if function in (itertools.accumulate, itertools.compress):
        computes_late(w, function, args, kwargs)
    return w.fresh


def is_error_of_run(w: Watcher, value: Any) -> bool:
    """Whether a value is an error that the run has met, with numbers and strings as arguments."""
    return isinstance(value, Exception) and w.origins.get(id(value)) is FRESH and all(map(is_scalar, value.args))


def implied(w: Watcher, state: Watched, owner: Any, name: str) -> Done:
    """Judges a method that a function in C calls: watched, or a call of ours."""
    entry = attributes.class_entry(w, owner, name)
    if type(entry) is FunctionType:
        return of_library(w, state, entry, [owner], {}) if is_ours(entry.__code__) else None
    if base_in(READING, type(owner)) is not None:
        w.read_container(owner)
        return w.fresh
    if isinstance(owner, (MappingProxyType, *VIEWS)) and w.origins.get(id(owner)) is FRESH:
        return w.fresh
    raise NotClosed(f"{name} of a {type(owner).__name__}")


def computing(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Judges a function that computes with numbers, or with tensors: then it is one call."""
    values = [*args, *kwargs.values()]
    for each in values:
        if type(each) in CONTAINERS:
            w.read_container(each)
    flat = [part for each in values for part in (each if type(each) in (list, tuple) else (each,))]
    state.computes = True
    if function in COMPARING:
        for each in args:
            keys.in_order(w, each)
        w.settle([*kwargs.values()])
        if function is functools.reduce:
            called_back(w, args[0], args[1:])
        elif kwargs.get("key") is not None:
            called_back(w, kwargs["key"], args)
        if has_tensor(values):
            w.settle(args)
            return known_or_fresh(w)
    if has_tensor(values) or comes_from_call(w, flat):
        state.boundary = True
        noted = w.note(function, args, kwargs, pure=True)
        return lambda value: w.result(noted, value)
    for each in values:
        if not is_scalar(each) and type(each) not in CONTAINERS and w.origins.get(id(each)) is None:
            raise NotClosed(f"{function.__name__} of a {type(each).__name__} that comes from nowhere that is known")
        if type(each) not in CONTAINERS:
            goes_through(w, each, "__iter__")
    if function is str or function is repr or function is format or function is hash:
        if function is not hash and len(values) == 1 and type(values[0]) is type:
            w.guard_object(values[0])
        elif not all([is_scalar(each) or is_error_of_run(w, each) for each in values]):
            raise NotClosed(f"{function.__name__} of a {type(values[0]).__name__}")
    w.settle(values)
    return w.fresh


def of_value_method(w: Watcher, name: str, bound: Any, values: list) -> Done:
    """Judges a method of a number, string or other value."""
    if has_tensor(values):
        raise NotClosed(f"{name} of a tensor")
    for each in values:
        if type(each) in CONTAINERS:
            w.read_container(each)
    w.settle([bound, values])
    if not all([is_scalar(each) or is_constant(each) or is_iterator(w, each) for each in values]):
        raise NotClosed(f"{name} of an object")
    return w.fresh


# Whose class methods in C make objects and do nothing else.
MAKING = (dict, collections.OrderedDict, collections.defaultdict, int, float, str, bytes, object)


def of_method(
    w: Watcher, state: Watched, owner_class: type, name: str, bound: Any, args: list, kwargs: dict, values: list
) -> Done:
    """Judges a method of one of Python's own classes."""
    if isinstance(bound, VALUE_CLASSES) and not isinstance(bound, Tensor):
        state.computes = True
        return of_value_method(w, f"{owner_class.__name__}.{name}", bound, values)
    if isinstance(bound, type):
        if bound in MAKING or issubclass(bound, tuple):
            for each in args:
                if type(each) in CONTAINERS:
                    w.read_container(each)
            w.settle(args)
            state.computes = True
            return keys.made_with_keys(w) if issubclass(bound, dict) else w.fresh
        if bound is itertools.chain:
            return structural(w, state, bound, args, kwargs)
        raise NotClosed(f"{bound.__name__}.{name} is called")
    reading, changing = base_in(READING, owner_class), base_in(CHANGING, owner_class)
    origin = w.origins.get(id(bound))
    if name in LOOKING or not issubclass(owner_class, (list, tuple, collections.deque)):
        state.computes = True
        w.settle(args[:1] if isinstance(bound, dict) and name != "update" else args)
        if name in LOOKING:
            w.read_container(bound)
            w.settle(bound)
            for each in args[:1]:
                keys.compared(w, each, bound)
        elif isinstance(bound, (dict, set, frozenset)):
            keys.looked_up(w, bound, name, args)
            if name == "pop":
                keys.in_order(w, bound)
    if isinstance(bound, np.ndarray) and origin is not None:
        state.boundary = True
        noted = w.note(getattr(np.ndarray, name), [bound, *args], kwargs, pure=name not in ARRAY_CHANGES)
        return lambda value: w.result(noted, value)
    if origin is None:
        raise NotClosed(f"{name} of a {type(bound).__name__} that comes from nowhere that is known")
    if reading is not None and name in READING[reading]:
        return of_reading(w, bound, name, args, origin)
    if changing is not None and name in CHANGING[changing]:
        if origin is FRESH:
            return keys.made_with_keys(w, bound) if isinstance(bound, (dict, set)) else w.fresh
        return change(w, state, getattr(owner_class, name), [bound, *args], kwargs)
    if owner_class is object and name == "__getattribute__":
        return attribute_calls.of_value_read(w, attributes.read(w, state, bound, args[0], by_object=True))
    if owner_class is object and name in ("__setattr__", "__init__", "__new__"):
        if origin is FRESH:
            return None
        if name == "__setattr__":
            w.written.add((id(bound), args[0]))
            return change(w, state, setattr, [bound, *args], kwargs)
        return None
    if type(bound).__name__ == "generator":
        return known_or_fresh(w)
    if isinstance(bound, ContextVar) and type(origin) is Value and not kwargs:
        return of_variable(w, name, bound, args, origin)
    raise NotClosed(f"{owner_class.__name__}.{name} is called")


def of_reading(w: Watcher, bound: Any, name: str, args: list, origin: Any) -> Done:
    """Judges a method that reads a container."""
    if type(origin) is not Value:
        return known_or_fresh(w)
    if isinstance(bound, dict) and name in ("get", "__getitem__", "__contains__") and args:
        keys.read_key(w, bound, args[0], origin)
        return known_or_fresh(w)
    if name == "__len__":
        w.read_length(bound)
        return None
    w.read_container(bound)
    return known_or_fresh(w)


def change(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Done:
    """Notes the change of an object that was there before the run."""
    if type(args[0]) in CONTAINERS:
        w.read_container(args[0])
    for each in args:
        if type(each) in CONTAINERS:
            w.touched.add(id(each))
        if not is_scalar(each):
            w.materialise(each)
    noted = w.note(function, args, kwargs, pure=False)
    w.changed_by_calls.discard(id(args[0]))
    return lambda value: w.result(noted, value, looked=False)


JUDGE.append(call)
MODULE_CALL.append(of_module)

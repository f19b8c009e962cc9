"""What a watched run reads as `owner.name`: where the value came from."""

from __future__ import annotations

import operator
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from rushlight.capture.c_calls import CONTAINERS, is_scalar
from rushlight.capture.calls import Value
from rushlight.capture.origins import FRESH, NotClosed
from rushlight.capture.paths import (
    CLASS,
    ENTRY,
    FOUND,
    GETTER,
    IS,
    LACKS,
    NO_ENTRY,
    OBJECT,
    SLOT,
    UNFOUND,
    Path,
)  # fmt: skip
from rushlight.capture.watch import Watched, Watcher
from rushlight.capture.watched_code import WATCHED, is_ours
from rushlight.core.tensor import Tensor
from rushlight.dispatch.methods import LaterMethod
from rushlight.lower.python_layout import is_of_python
from rushlight.nn.modules.module import MEMBER_KINDS, look_up

# Attributes of tensors that follow from what guards demand of them.
METAS = frozenset(
    """
    shape dtype device ndim layout requires_grad is_leaf itemsize nbytes is_cuda is_meta is_sparse is_quantized
    is_nested is_mkldnn is_mps is_xpu names is_vulkan is_cpu is_xla is_ipu is_maia is_mtia is_sparse_csr
    """.split()
)
ABSENT = object()


def class_attribute(kind: type, name: str) -> Any:
    """Returns what a class has under a name, without binding it; ABSENT if it has nothing."""
    for each in kind.__mro__:
        if name in each.__dict__:
            return each.__dict__[name]
    return ABSENT


def has_code_of_ours(value: Any) -> bool:
    """Whether reading an attribute runs a function of ours, which is one call."""
    getter = value.fget if isinstance(value, property) else getattr(type(value), "__get__", None)
    return isinstance(getter, FunctionType) and is_ours(getter.__code__)


def read(w: Watcher, state: Watched, owner: Any, name: str, *, by_object: bool = False) -> Any:
    """Judges a read before it happens; returns what to do with the value, or None.

    `by_object`: by `object.__getattribute__`, also if the class has its own.
    """
    origin = w.origins.get(id(owner))
    kind = type(owner)
    if is_scalar(owner):
        return fresh_result
    if isinstance(owner, Tensor):
        return of_tensor(w, state, owner, name)
    if isinstance(owner, ModuleType):
        return of_module(w, state, owner, name)
    if isinstance(owner, type):
        return of_class(w, owner, name)
    if kind is super:
        return of_super(w, owner, name)
    if origin is not None and isinstance(owner, np.ndarray):
        return noted_read(w, state, owner, name)
    if origin is None:
        raise NotClosed(f"an attribute of a {kind.__name__} that comes from nowhere that is known is read")
    path = origin.path if type(origin) is Value else None
    if not by_object and type(class_entry(w, owner, "__getattribute__")) is FunctionType:
        return known_afterwards
    entry = class_entry(w, owner, name)
    if entry is not ABSENT and hasattr(type(entry), "__set__"):
        return of_descriptor(w, state, owner, name, entry, path, origin)
    entries = owner.__dict__ if has_entries(owner) else {}
    if name in entries:
        if path is not None and (id(owner), name) not in w.written:
            w.arrived(w.paths.path(path, ENTRY, name), entries[name])
        return None
    if has_entries(owner) and path is not None and (id(owner), None) not in w.written:
        w.guard(path, NO_ENTRY, name)
    if entry is ABSENT:
        class_entry(w, owner, "__getattr__")
        return known_afterwards
    return of_class_attribute(w, state, owner, name, entry, class_path(w, owner))


def class_path(w: Watcher, owner: Any) -> Path:
    """Returns the path of the class of an object."""
    origin = w.origins.get(id(owner))
    return w.paths.path(origin.path, CLASS, None) if type(origin) is Value else w.paths.path(None, OBJECT, type(owner))


def class_entry(w: Watcher, owner: Any, name: str) -> Any:
    """Returns what the class of an object has under a name, and guards that; a function is known afterwards."""
    entry = class_attribute(type(owner), name)
    if not is_of_python(type(owner)):
        return entry
    if entry is ABSENT:
        w.guard(class_path(w, owner), UNFOUND, name)
        return entry
    w.guard(w.paths.path(class_path(w, owner), FOUND, name), IS, entry)
    if type(entry) is FunctionType:
        w.origin(entry, Value(w.paths.path(None, OBJECT, entry)))
    return entry


def getter_entry(w: Watcher, entry: Any) -> None:
    """Guards the `__get__` of a descriptor. Raises NotClosed if it is not a function of the program."""
    if type(class_entry(w, entry, "__get__")) is not FunctionType:
        raise NotClosed(f"a {type(entry).__name__} in C is read")
    w.origin(entry, Value(w.paths.path(None, OBJECT, entry)))


def is_there(w: Watcher, owner: Any, name: str) -> bool | None:
    """Whether an object has an attribute, for `getattr` and `hasattr`; guards that it has not.

    None if a getter of Python decides, which is watched.
    """
    origin = w.origins.get(id(owner))
    kind = type(owner)
    if isinstance(owner, (type, ModuleType)) or not is_of_python(kind) or is_scalar(owner):
        if hasattr(owner, name):
            return True
        if not has_entries(owner):
            return False  # such as None
        if isinstance(owner, ModuleType) and "__getattr__" not in vars(owner) and type(origin) is Value:
            w.guard(origin.path, NO_ENTRY, name)
            w.guard(origin.path, NO_ENTRY, "__getattr__")
            return False
    elif type(class_attribute(kind, "__getattribute__")) is FunctionType:
        return None
    elif class_attribute(kind, name) is not ABSENT or (has_entries(owner) and name in owner.__dict__):
        return True
    elif origin is not None:
        class_entry(w, owner, "__getattribute__")
        getter = class_entry(w, owner, "__getattr__")
        tables = [owner.__dict__[table] for table in MEMBER_KINDS] if getter is look_up else []
        if any([name in table for table in tables]):
            return True
        if type(getter) is FunctionType and getter is not look_up:
            return None
        class_entry(w, owner, name)
        if type(origin) is Value and has_entries(owner):
            if any([(id(each), key) in w.written for each in (owner, *tables) for key in (name, None)]):
                raise NotClosed(f"the attribute {name} of a {kind.__name__} is looked for after it was set")
            w.guard(origin.path, NO_ENTRY, name)
            for table in MEMBER_KINDS[: len(tables)]:
                w.guard(w.paths.path(origin.path, ENTRY, table), LACKS, name)
        return False
    raise NotClosed(f"an attribute {name} of a {kind.__name__} is looked for")


def has_entries(owner: Any) -> bool:
    """Whether an object has a dictionary of its own."""
    return isinstance(getattr(owner, "__dict__", None), dict)


def of_class_attribute(w: Watcher, state: Watched, owner: Any, name: str, entry: Any, class_path: Path) -> Any:
    """Judges the read of a class's attribute through an object."""
    path = w.paths.path(class_path, FOUND, name)
    kind = type(entry)
    if kind in (FunctionType, classmethod):
        w.guard(path, IS, entry)
        function = entry.__func__ if kind is classmethod else entry
        w.origin(function, Value(w.paths.path(None, OBJECT, function)))
        return fresh_result
    if kind is staticmethod:
        w.guard(path, IS, entry)
        w.arrived(w.paths.path(None, OBJECT, entry.__func__), entry.__func__)
        return None
    if isinstance(entry, type) or not hasattr(kind, "__get__"):
        w.arrived(path, entry)
        return None
    if has_code_of_ours(entry):
        return noted_read(w, state, owner, name)
    w.guard(path, IS, entry)
    if isinstance(getattr(kind, "__get__", None), FunctionType):
        getter_entry(w, entry)
        return known_afterwards
    return fresh_result  # a method in C, bound


def of_descriptor(w: Watcher, state: Watched, owner: Any, name: str, entry: Any, path: Path | None, origin) -> Any:
    """Judges the read of a property or slot."""
    if type(entry) is property:
        if has_code_of_ours(entry):
            return noted_read(w, state, owner, name)
        if type(entry.fget) is operator.itemgetter and isinstance(owner, tuple) and path is None:
            return known_afterwards  # of a named tuple that a call gave: its parts are known
        if type(entry.fget) is not FunctionType:
            raise NotClosed(f"the property {name} is in C")
        w.origin(entry.fget, Value(w.paths.path(None, OBJECT, entry.fget)))
        return known_afterwards
    if isinstance(getattr(type(entry), "__get__", None), FunctionType):
        getter_entry(w, entry)
        return known_afterwards
    if name == "__dict__":
        if path is not None:
            w.arrived(w.paths.path(path, SLOT, entry), owner.__dict__)
            return None
        return fresh_result
    if name == "__class__":
        class_of(w, owner, path)
        return None
    if path is not None and (id(owner), name) not in w.written:
        value = entry.__get__(owner)
        w.arrived(w.paths.path(path, SLOT, entry), value)
        return None
    return known_afterwards if origin is FRESH else noted_read(w, state, owner, name)


def is_lacking(w: Watcher, tensor: Tensor, name: str) -> bool:
    """Whether a tensor has no attribute of a name, and results of operators have none; guards that."""
    if class_attribute(type(tensor), name) is not ABSENT or hasattr(tensor, name):
        return False
    w.guard(w.paths.path(None, OBJECT, type(tensor)), UNFOUND, name)
    if type(expression := w.expression(tensor)) is Value:
        w.guard(expression.path, NO_ENTRY, name)
    return True


def class_of(w: Watcher, owner: Any, path: Path | None) -> None:
    """Notes the class of an object that is at a path, or that the run has made."""
    if path is not None:
        w.arrived(w.paths.path(path, CLASS, None), type(owner))
    elif type(owner) is not type:
        w.origin(type(owner), Value(w.paths.path(None, OBJECT, type(owner))))


def of_tensor(w: Watcher, state: Watched, owner: Any, name: str) -> Any:
    """Judges the read of a tensor's attribute: what follows from its guard, a method, or a call."""
    expression = w.expression(owner)
    entry = class_attribute(type(owner), name)
    if isinstance(entry, LaterMethod):
        entry = entry.__get__(None)
    if entry is not ABSENT:
        w.guard(w.paths.path(w.paths.path(None, OBJECT, type(owner)), FOUND, name), IS, entry)
    if type(entry) is FunctionType or (entry is not ABSENT and not hasattr(type(entry), "__set__") and callable(entry)):
        return fresh_result
    if name == "__class__":
        class_of(w, owner, expression.path if type(expression) is Value else None)
        return None
    if name == "__dict__":
        raise NotClosed("the attributes of a tensor are read as a whole", "Read each by its name.")
    if name in METAS:
        if type(expression) is Value and id(owner) not in w.changed_by_calls:
            state.boundary = True  # the getter is ours
            return fresh_result
        return noted_read(w, state, owner, name, meta=name)
    return noted_read(w, state, owner, name)


def noted_read(w: Watcher, state: Watched, owner: Any, name: str, meta: str | None = None) -> Any:
    """Notes the read as a call of `getattr`."""
    state.boundary = True
    call = w.note(getattr, [owner, name], {}, pure=True)

    def read(state: Watched) -> None:
        value = state.top()
        w.result(call, value, meta=meta)
        if name == "grad" and value is not None:
            w.present(owner, value)

    return read


def of_module(w: Watcher, state: Watched, owner: ModuleType, name: str) -> Any:
    """Judges the read of a name of a Python module."""
    origin = w.origins.get(id(owner))
    if type(origin) is not Value:
        origin = Value(w.paths.path(None, OBJECT, owner))
        w.origin(owner, origin)
        w.values[origin.path] = owner
    if name in owner.__dict__:
        if (id(owner.__dict__), name) not in w.written:
            w.arrived(w.paths.path(origin.path, ENTRY, name), owner.__dict__[name])
        return None
    state.boundary = True  # a `__getattr__` of the module
    path = w.paths.path(origin.path, GETTER, operator.attrgetter(name))
    return lambda state: w.arrived(path, state.top())


def of_class(w: Watcher, owner: type, name: str) -> Any:
    """Judges the read of a class's attribute."""
    origin = w.origins.get(id(owner))
    path = origin.path if type(origin) is Value else w.paths.path(None, OBJECT, owner)
    if name in ("__name__", "__qualname__", "__module__", "__mro__", "__class__", "__dict__"):
        return fresh_result
    entry = class_attribute(owner, name)
    if entry is ABSENT:
        meta = class_attribute(type(owner), name)
        if meta is ABSENT:
            return known_afterwards
        return fresh_result
    place = w.paths.path(path, FOUND, name)
    if type(entry) is FunctionType:
        w.arrived(place, entry)
        w.guard(place, IS, entry)
        return None
    if type(entry) in (staticmethod, classmethod):
        w.guard(place, IS, entry)
        w.origin(entry.__func__, Value(w.paths.path(None, OBJECT, entry.__func__)))
        return fresh_result
    if type(entry) is property or hasattr(type(entry), "__get__"):
        w.guard(place, IS, entry)
        return fresh_result
    w.arrived(place, entry)
    return None


def of_super(w: Watcher, owner: Any, name: str) -> Any:
    """Judges the read of an inherited method through `super()`."""
    start, kind = owner.__thisclass__, owner.__self_class__
    classes = kind.__mro__[kind.__mro__.index(start) + 1 :]
    for each in classes:
        if name in each.__dict__:
            entry = each.__dict__[name]
            w.guard(w.paths.path(w.paths.path(None, OBJECT, each), FOUND, name), IS, entry)
            if isinstance(entry, (staticmethod, classmethod)):
                entry = entry.__func__
            if isinstance(entry, FunctionType):
                w.origin(entry, Value(w.paths.path(None, OBJECT, entry)))
            return fresh_result
    raise NotClosed(f"super() has no {name}")


# ---- what to do with the value


def known_afterwards(state: Watched) -> None:
    """The value came from code that was watched, where it was noted."""


def fresh_result(state: Watched) -> None:
    """Marks a bound method, or another value that the read has made."""
    state.watcher.fresh(state.top())


def change(w: Watcher, state: Watched, function: Any, owner: Any, name: str, *value: Any) -> None:
    """Notes `setattr` or `delattr` of an object; what the run has made needs no note."""
    origin, method = w.origins.get(id(owner)), f"__{function.__name__}__"
    if origin is FRESH:
        class_entry(w, owner, method)
        class_entry(w, owner, name)
        return
    if origin is None:
        raise NotClosed(f"an attribute of a {type(owner).__name__} that comes from nowhere that is known is set")
    if isinstance(owner, Tensor):
        entry = class_attribute(type(owner), name)
    else:
        setter = class_entry(w, owner, method)
        if type(setter) is FunctionType and not is_ours(setter.__code__):
            return
        entry = class_entry(w, owner, name)
    if hasattr(type(entry), "__set__") and not is_slot(entry) and not has_code_of_ours(entry):
        raise NotClosed(f"the property {name} is set")
    state.boundary = True
    for each in value:
        stored(w, each)
    if not isinstance(owner, Tensor):
        w.written.add((id(owner), name))
    w.note(function, [owner, name, *value], {}, pure=False)
    w.changed_by_calls.discard(id(owner))


def is_slot(entry: Any) -> bool:
    """Whether a descriptor is one in C, such as a place of `__slots__`."""
    return type(entry) in (MemberDescriptorType, GetSetDescriptorType)


def stored(w: Watcher, value: Any) -> None:
    """A new object that is stored in another becomes a result."""
    if type(value) in CONTAINERS:
        w.touched.add(id(value))
    if not is_scalar(value):
        w.materialise(value)


def is_class_of_ours(kind: type) -> bool:
    """Whether a class is one of ours, and the program has added no method to it."""
    functions = [value for each in kind.__mro__ for value in vars(each).values() if type(value) is FunctionType]
    return bool(functions) and all([is_ours(each.__code__) for each in functions])


def is_module_class(kind: type) -> bool:
    """Whether a class of ours is written in code that is watched."""
    init = class_attribute(kind, "__init__")
    return type(init) is FunctionType and init.__code__.co_filename.startswith(WATCHED)

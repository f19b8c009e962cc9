"""The restricted unpickler: an interpreter for a few opcodes that creates only objects of the allow-list.

A pickle is a program. This interpreter looks names up in a table instead of importing them, calls only functions that
the table allows, and sets attributes only where that is safe, so a hostile file gets an UnpicklingError. It rejects
opcodes that `torch.save` never writes. https://docs.python.org/3/library/pickletools.html
"""

from __future__ import annotations

import pickle
import pickletools
import struct
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from pickle import UnpicklingError

from rushlight.serialization.names import ALLOWED, CALLED, named_safe_globals
from rushlight.serialization.rebuild import safe_key

# Never allowed, even if a program adds it to the list.
BLOCKED_MODULES = ("sys", "os", "posix", "nt")
DICTIONARIES = (dict, OrderedDict, Counter)


class Unpickler:
    """Reads one pickle from a file; `persistent_load` resolves its references to external objects."""

    steps: dict  # opcode to method

    def __init__(self, file, persistent_load=None, encoding: str = "utf-8"):
        self.file = file
        self.persistent_load = persistent_load
        self.encoding = encoding
        self.stack: list = []
        self.marked: list[list] = []
        self.memo: dict = {}
        self.own = named_safe_globals()
        self.own_ids = frozenset(map(id, self.own.values()))

    def load(self):
        """Returns the object. Raises UnpicklingError for an invalid or disallowed pickle, EOFError if the file ends."""
        while True:
            code = self.file.read(1)
            if not code:
                raise EOFError("Ran out of input")
            if code == pickle.STOP:
                return self.pop()
            step = self.steps.get(code)
            if step is None:
                raise UnpicklingError(f"Unsupported operand {code[0]}")
            step(self)

    # ---- reading and the stack

    def read(self, count: int) -> bytes:
        content = self.file.read(count)
        if len(content) != count:
            raise UnpicklingError("pickle data was truncated")
        return content

    def number(self, form: str):
        return struct.unpack(form, self.read(struct.calcsize(form)))[0]

    def line(self) -> str:
        content = self.file.readline()
        if content[-1:] != b"\n":
            raise UnpicklingError("pickle data was truncated")
        return self.text(content[:-1])

    def text(self, content: bytes, encoding: str = "utf-8", errors: str = "surrogatepass") -> str:
        try:
            return content.decode(encoding, errors)
        except UnicodeDecodeError as error:
            raise UnpicklingError(f"pickle data holds text that is not {encoding}") from error

    def push(self, value) -> None:
        self.stack.append(value)

    def pop(self):
        if not self.stack:
            raise UnpicklingError("unexpected MARK found or stack underflow")
        return self.stack.pop()

    def top(self):
        if not self.stack:
            raise UnpicklingError("unexpected MARK found or stack underflow")
        return self.stack[-1]

    def pop_mark(self) -> list:
        if not self.marked:
            raise UnpicklingError("could not find MARK")
        items, self.stack = self.stack, self.marked.pop()
        return items

    # ---- names, calls and attributes: the dangerous operations

    def load_global(self) -> None:
        module, name = _modern(self.line(), self.line())
        full_name = f"{module}.{name}"
        if module in BLOCKED_MODULES:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {full_name} whose module {module} is blocked.")
        for table in (ALLOWED, self.own):
            if full_name in table:
                return self.push(table[full_name])
        raise UnpicklingError(_not_allowed(full_name.removeprefix("builtins.")))

    def load_reduce(self) -> None:
        arguments, function = self.pop(), self.pop()
        if id(function) in self.own_ids:
            return self.push(function(*_arguments(arguments)))
        worker = CALLED.get(id(function))
        if worker is None:
            owner = f" which belongs to {function.__self__}" if hasattr(function, "__self__") else ""
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {function}{owner}")
        self.push(_made(worker, arguments))

    def load_newobj(self) -> None:
        arguments, cls = self.pop(), self.pop()
        if id(cls) in self.own_ids and isinstance(cls, type):
            return self.push(cls.__new__(cls, *_arguments(arguments)))
        worker = CALLED.get(id(cls)) if isinstance(cls, type) else None
        if worker is None:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got "
                f"{cls}"
            )
        self.push(_made(worker, arguments))

    def load_build(self) -> None:
        state, obj = self.pop(), self.top()
        if type(obj) in (OrderedDict, Counter) and isinstance(state, dict):
            obj.__dict__.update(state)
        elif id(type(obj)) in self.own_ids:
            _build(obj, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{type(obj)}"
            )

    def load_persistent(self) -> None:
        identity = self.pop()
        if type(identity) not in (tuple, int):
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(identity)}")
        if self.persistent_load is None:
            raise UnpicklingError("unsupported persistent id encountered")
        self.push(self.persistent_load(identity))

    # ---- containers

    def load_append(self) -> None:
        item = self.pop()
        self.a_list("append").append(item)

    def load_appends(self) -> None:
        items = self.pop_mark()
        self.a_list("extend").extend(items)

    def a_list(self, verb: str) -> list:
        target = self.top()
        if type(target) is not list:
            raise UnpicklingError(f"Can only {verb} {'to ' if verb == 'append' else ''}lists, but got {type(target)}")
        return target

    def load_setitem(self) -> None:
        value, key = self.pop(), self.pop()
        self.set_items("SETITEM", [key, value])

    def load_setitems(self) -> None:
        self.set_items("SETITEMS", self.pop_mark())

    def set_items(self, code: str, items: list) -> None:
        target = self.top()
        if type(target) not in DICTIONARIES:
            raise UnpicklingError(
                f"Can only {code} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        if len(items) % 2:
            raise UnpicklingError(f"odd number of items for {code}")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[safe_key(key)] = value

    def load_mark(self) -> None:
        self.marked.append(self.stack)
        self.stack = []

    def load_tuple(self) -> None:
        items = self.pop_mark()
        self.push(tuple(items))

    def load_tuple_of(self, count: int) -> None:
        items = [self.pop() for _ in range(count)]
        self.push(tuple(reversed(items)))

    # ---- plain values

    def load_text(self) -> None:
        self.push(self.text(self.read(self.number("<I"))))

    def load_short_bytes(self) -> None:
        content = self.read(self.number("<B"))
        self.push(content if self.encoding == "bytes" else self.text(content, self.encoding, "strict"))

    def load_long(self) -> None:
        self.push(int.from_bytes(self.read(self.number("<B")), "little", signed=True))

    def load_protocol(self) -> None:
        protocol = self.number("<B")
        if protocol != 2:
            warnings.warn(
                f"Detected pickle protocol {protocol} in the checkpoint, which was not the default pickle protocol "
                "used by `torch.load` (2). The weights_only Unpickler might not support all instructions implemented "
                "by this protocol, please file an issue for adding support if you encounter this.",
                stacklevel=2,
            )

    def get(self, form: str) -> None:
        index = self.number(form)
        if index not in self.memo:
            raise UnpicklingError(f"Memo value not found at index {index}")
        self.push(self.memo[index])

    def put(self, form: str) -> None:
        self.memo[self.number(form)] = self.top()


STEPS = {
    pickle.GLOBAL: Unpickler.load_global,
    pickle.REDUCE: Unpickler.load_reduce,
    pickle.NEWOBJ: Unpickler.load_newobj,
    pickle.BUILD: Unpickler.load_build,
    pickle.BINPERSID: Unpickler.load_persistent,
    pickle.APPEND: Unpickler.load_append,
    pickle.APPENDS: Unpickler.load_appends,
    pickle.SETITEM: Unpickler.load_setitem,
    pickle.SETITEMS: Unpickler.load_setitems,
    pickle.MARK: Unpickler.load_mark,
    pickle.TUPLE: Unpickler.load_tuple,
    pickle.TUPLE1: lambda self: self.load_tuple_of(1),
    pickle.TUPLE2: lambda self: self.load_tuple_of(2),
    pickle.TUPLE3: lambda self: self.load_tuple_of(3),
    pickle.EMPTY_TUPLE: lambda self: self.push(()),
    pickle.EMPTY_LIST: lambda self: self.push([]),
    pickle.EMPTY_DICT: lambda self: self.push({}),
    pickle.EMPTY_SET: lambda self: self.push(set()),
    pickle.NONE: lambda self: self.push(None),
    pickle.NEWFALSE: lambda self: self.push(False),
    pickle.NEWTRUE: lambda self: self.push(True),
    pickle.BININT: lambda self: self.push(self.number("<i")),
    pickle.BININT1: lambda self: self.push(self.number("<B")),
    pickle.BININT2: lambda self: self.push(self.number("<H")),
    pickle.BINFLOAT: lambda self: self.push(self.number(">d")),
    pickle.BINUNICODE: Unpickler.load_text,
    pickle.SHORT_BINSTRING: Unpickler.load_short_bytes,
    pickle.LONG1: Unpickler.load_long,
    pickle.BINGET: lambda self: self.get("<B"),
    pickle.LONG_BINGET: lambda self: self.get("<I"),
    pickle.BINPUT: lambda self: self.put("<B"),
    pickle.LONG_BINPUT: lambda self: self.put("<I"),
    pickle.PROTO: Unpickler.load_protocol,
}
Unpickler.steps = STEPS


def names_in(file) -> set[str]:
    """Returns the names in a pickle, without running it. Raises UnpicklingError unless it is a whole pickle."""
    names = set()
    try:
        for code, argument, _ in pickletools.genops(file):
            if code.name == "GLOBAL":
                module, name = str(argument).split(" ", 1)
                names.add(".".join(_modern(module, name)))
    except ValueError as error:
        raise UnpicklingError(f"this is no pickle: {error}") from error
    return names


def _modern(module: str, name: str) -> tuple[str, str]:
    """Maps a name of Python 2, which protocol 2 writes, to that of Python 3."""
    return NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))


def _arguments(arguments) -> tuple:
    if type(arguments) is not tuple:
        raise UnpicklingError(f"arguments are a tuple, not {type(arguments).__name__}")
    return arguments


def _made(worker, arguments):
    """Calls an allowed function with arguments of the file; invalid arguments raise UnpicklingError."""
    try:
        return worker(*_arguments(arguments))
    except (TypeError, ValueError, OverflowError) as error:
        raise UnpicklingError(f"the arguments do not fit: {error}") from error


def _build(obj, state) -> None:
    """Sets the state of an object of a trusted class, as `pickle` does."""
    if hasattr(obj, "__setstate__"):
        obj.__setstate__(state)
        return
    state, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if state:
        obj.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)


def _not_allowed(name: str) -> str:
    return (
        f"Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` "
        "context manager to allowlist this global if you trust this class/function."
    )

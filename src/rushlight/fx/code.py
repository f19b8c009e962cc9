"""Writes a graph as Python: the source of a `forward`, and the globals that it needs."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import math
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Reversible, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.core.device import device
from rushlight.core.tensor import Tensor
from rushlight.fx import _pytree as fx_pytree
from rushlight.fx.naming import Names, is_builtin, public_place, qualified, root, type_in_words
from rushlight.fx.node import Argument, Node, map_arg, nodes_of
from rushlight.utils import _pytree as pytree
from rushlight.utils._dtype_abbrs import dtype_abbrs

__all__ = ["CodeGen", "PythonCode"]

SIGNS = {
    operator.add: "{} + {}", operator.sub: "{} - {}", operator.mul: "{} * {}", operator.truediv: "{} / {}",
    operator.floordiv: "{} // {}", operator.mod: "{} % {}", operator.pow: "{} ** {}", operator.matmul: "{} @ {}",
    operator.lshift: "{} << {}", operator.rshift: "{} >> {}", operator.and_: "{} & {}", operator.or_: "{} | {}",
    operator.xor: "{} ^ {}", operator.eq: "{} == {}", operator.ne: "{} != {}", operator.lt: "{} < {}",
    operator.le: "{} <= {}", operator.gt: "{} > {}", operator.ge: "{} >= {}", operator.neg: "-{}",
    operator.pos: "+{}", operator.invert: "~{}", operator.getitem: "{}[{}]",
}  # fmt: skip
IN_PLACE = {
    operator.iadd: "{} += {}", operator.isub: "{} -= {}", operator.imul: "{} *= {}", operator.itruediv: "{} /= {}",
    operator.ifloordiv: "{} //= {}", operator.imod: "{} %= {}", operator.ipow: "{} **= {}",
    operator.imatmul: "{} @= {}", operator.iand: "{} &= {}", operator.ior: "{} |= {}", operator.ixor: "{} ^= {}",
    operator.ilshift: "{} <<= {}", operator.irshift: "{} >>= {}", operator.setitem: "{}[{}] = {}",
}  # fmt: skip
# Generic types are written under these names, as `typing.List[int]` is where `list[int]` is not meant.
OLDER = {list: typing.List, dict: typing.Dict, set: typing.Set, frozenset: typing.FrozenSet, tuple: typing.Tuple}  # noqa: UP006
STATEMENT_OF = re.compile(r"# COUNTER: (\d+)")

Transform = Callable[[list[str]], list[str]]


@dataclass
class PythonCode:
    """The source of a `forward` and the globals that it needs."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None  # the line of the source: the number of the node
    _prologue_start: int = 0


class CodeGen:
    """How a graph is written: subclasses change the head of the function, its result, and its globals."""

    def __init__(self) -> None:
        self._body_transformer: Transform | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Returns the line `def forward(self, x):`."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Argument, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """Returns the `return` statement."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """Returns the inputs of the graph for the arguments of the function."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Returns the result of the function for the output of the graph."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Returns names, and their objects, that the generated code needs."""
        return []

    def _gen_python_code(
        self,
        nodes: Reversible[Node],
        root_module: str,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
    ) -> PythonCode:
        return Writer(self, root_module, verbose, (include_stride, include_device)).write(nodes)


class Named(str):
    """The name of a value in the code, where an argument has its node."""

    __repr__ = str.__str__


class Writer:
    """Writes one graph. Names are released after their last use, so tensors live no longer than in the original."""

    def __init__(
        self, codegen: CodeGen, root_module: str, verbose: bool = False, details: tuple[bool, bool] = (False, False)
    ) -> None:
        self.codegen, self.root, self.verbose, self.details = codegen, root_module, verbose, details
        self.names, self.name_of = Names(), dict[Any, str]()
        self.globals: dict[str, Any] = {}
        for name, value in standing().items():
            self.enter(name, value)
        self.free: list[str] = []  # arguments of `forward`
        self.returns = ""
        self.wrapped: dict[str, None] = {}
        self.last_place = ""

    def write(self, nodes: Reversible[Node]) -> PythonCode:
        body = self.statements(nodes) or ["pass\n"]
        marks = "\n".join(f'{self.known(wrap())}("{name}")' for name in self.wrapped)
        if self.codegen._body_transformer is not None:
            body = self.codegen._body_transformer(body)
        for name, value in self.codegen.additional_globals():
            self.known(value, name)
        head = self.codegen.gen_fn_def(self.free, self.returns)
        lines, numbers = without_counters(body, head.count("\n") + 1)
        code = "\n".join(f"    {line}" for line in "\n".join(lines).lstrip("\n").split("\n"))
        return PythonCode(f"\n{marks}\n\n{head}\n{code}", self.globals, numbers, marks.count("\n") + 4)

    def statements(self, nodes: Reversible[Node]) -> list[str]:
        lets_go = last_uses(nodes)
        result = []
        for number, node in enumerate(nodes):
            if self.verbose:
                result.append(self.place(node))
            result.append(f"# COUNTER: {number}\n")
            result.append(self.line(node))
            if node.op == "placeholder":
                continue
            names = [self.of_node(x) for x in lets_go.get(node, [])] if node.op != "output" else []
            if not node.users and node.op != "output":
                names.append(self.of_node(node))
            result.append(f";  {' = '.join([*names, 'None'])}\n" if names else "\n")
        return [line for line in result if line]

    def place(self, node: Node) -> str:
        """Returns a comment with the line of the program that made a node, where it differs from the one before."""
        if node.op in ("placeholder", "output"):
            return ""
        text = f"\n# {place_in_words(node.stack_trace)}\n"
        if text == self.last_place:
            return ""
        self.last_place = text
        return text

    def line(self, node: Node) -> str:
        kind = self.annotation(node)
        if node.op == "placeholder":
            return self.argument(node, kind)
        if node.op == "output":
            self.returns = f" -> {self.kind(node.type)}" if node.type is not None else ""
            return self.output(node.args[0])
        if node.op == "call_function" and node.target in IN_PLACE and isinstance(node.args[0], Node):
            written = [self.words(arg) for arg in node.args]
            return f"{IN_PLACE[node.target].format(*written)};  {self.of_node(node)}{kind} = {written[0]}"
        value = self.value(node)  # before the name, so that globals come first
        return f"{self.of_node(node)}{kind} = {value}"

    def output(self, result: Argument) -> str:
        """Returns the last statement. A program's own CodeGen may lack the argument `repr_fn`."""
        write = self.codegen.generate_output
        if "repr_fn" in inspect.signature(write).parameters:
            return write(result, repr_fn=self.words)
        return write(map_arg(result, lambda node: Named(self.of_node(node))))

    def annotation(self, node: Node) -> str:
        if node.op == "output":
            return ""
        if self.verbose and (words := value_in_words(node, *self.details)):
            return f': "{words}"'
        return f" : {self.kind(node.type)}" if node.type is not None else ""

    def argument(self, node: Node, kind: str) -> str:
        """Adds a placeholder to the arguments, and a line if its name differs there."""
        default = f" = {self.words(node.args[0])}" if node.args else ""
        self.free.append(f"{node.target}{kind}{default}")
        bare = str(node.target).replace("*", "")
        return "" if bare == self.of_node(node) else f"{self.of_node(node)} = {bare}\n"

    def value(self, node: Node) -> str:
        target, path = node.target, str(node.target)
        if node.op == "get_attr":
            return attribute(self.root, path)
        if node.op == "call_module":
            return f"{attribute(self.root, path)}({self.arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            own, *others = node.args
            return f"{attribute(self.words(own), path)}({self.arguments(others, node.kwargs)})"
        if target in SIGNS:
            return SIGNS[target].format(*(self.operand(arg) for arg in node.args))
        return self.call(node)

    def call(self, node: Node) -> str:
        name = self.known(node.target)
        if name == "getattr" and len(node.args) == 2 and str(node.args[1]).isidentifier():
            return attribute(self.words(node.args[0]), node.args[1])
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(name)
        return f"{name}({self.arguments(node.args, node.kwargs)})"

    def operand(self, a: Argument) -> str:
        words = self.words(a)
        return f"({words})" if words.startswith("-") else words  # -1 ** x is -(1 ** x)

    def arguments(self, args: Iterable, kwargs: dict) -> str:
        return ", ".join([*map(self.words, args), *(f"{name} = {self.words(value)}" for name, value in kwargs.items())])

    def words(self, a: Argument) -> str:
        """Returns an argument as Python."""
        if isinstance(a, Node):
            return self.of_node(a)
        if isinstance(a, tuple):
            name = self.known(type(a)) if hasattr(a, "_fields") else ""
            return f"{name}({', '.join(map(self.words, a))}{',' if len(a) == 1 else ''})"
        if isinstance(a, list):
            return f"[{', '.join(map(self.words, a))}]"
        if isinstance(a, dict):
            return "{" + ", ".join(f"{self.words(key)}: {self.words(value)}" for key, value in a.items()) + "}"
        if isinstance(a, slice):
            return f"slice({', '.join(self.words(x) for x in (a.start, a.stop, a.step))})"
        if isinstance(a, enum.Enum):
            return f"{self.known(type(a), type(a).__name__)}.{a.name}"
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = [f"{each.name}={self.words(getattr(a, each.name))}" for each in dataclasses.fields(a) if each.init]
            return f"{self.known(type(a), type(a).__name__)}({', '.join(fields)})"
        if isinstance(a, Tensor):
            return f"torch.Tensor(size={list(a.shape)}, dtype={a.dtype.name})"
        named = (callable(a) and not isinstance(a, device)) or hasattr(a, "_schema")
        return self.known(a) if named else repr(a)

    def kind(self, kind: Any) -> str:
        """Returns a type as Python; the names in it are globals."""
        if kind == ():
            return "()"
        if isinstance(kind, types.UnionType):
            return "|".join(self.kind(x) for x in typing.get_args(kind))
        origin = getattr(kind, "__origin__", None)
        if origin is None:
            return self.known(kind, type_in_words(kind))
        if isinstance(kind, typing._GenericAlias):  # type: ignore[attr-defined]
            origin = OLDER.get(origin, origin)
        name = self.known(origin, type_in_words(origin))
        parts = getattr(kind, "__args__", ())
        return f"{name}[{','.join(map(self.kind, parts))}]" if parts else name

    def of_node(self, node: Node) -> str:
        if node not in self.name_of:
            self.name_of[node] = self.names.fresh(node.name)
        return self.name_of[node]

    def known(self, value: Any, wished: str | None = None) -> str:
        """Returns the name of an object in the code: `torch.relu` as it is, other objects as globals."""
        public = public_place(value) if value is not device and not isinstance(value, str) else None
        if public is not None:
            return public
        return self.enter(qualified(value) if wished is None else wished, value)

    def enter(self, wished: str, value: Any) -> str:
        key = ("a global", id(value)) if not isinstance(value, str) else ("a type in a string", value)
        if key not in self.name_of:
            name = wished if wished in standing() else self.names.fresh(wished, is_builtin(value))
            self.names.used.add(name)
            self.name_of[key], self.globals[name] = name, value
        return self.name_of[key]


def standing() -> dict[str, Any]:
    """Returns the globals that all generated code has."""
    return {"inf": math.inf, "nan": math.nan, "NoneType": type(None), "torch": root(), "device": device,
            "fx_pytree": fx_pytree, "pytree": pytree}  # fmt: skip


def wrap() -> Callable:
    return root().fx.wrap


def attribute(of: str, path: str) -> str:
    """Returns `self.layer.0` as Python: `getattr(self.layer, "0")`."""
    for name in path.split("."):
        of = f"{of}.{name}" if name.isidentifier() else f'getattr({of}, "{name}")'
    return of


def without_counters(body: Sequence[str], first: int) -> tuple[list[str], dict[int, int | None]]:
    """Returns the lines without the comments that number nodes, and the number of the node for each line."""
    lines: list[str] = []
    numbers: dict[int, int | None] = {}
    current = None
    for line in "".join(body).split("\n"):
        counter = STATEMENT_OF.search(line)
        if counter is not None:
            current = int(counter[1])
        else:
            numbers[len(lines) + first] = current
            lines.append(line)
    return lines, numbers


def place_in_words(stack_trace: str | None) -> str:
    """Returns the file, line and text of the innermost frame of a stack trace."""
    frames = re.findall(r'^\s*File "(.+)", line (\d+), in (.+)\n(.*)$', stack_trace or "", re.MULTILINE)
    if not frames:
        return "No stacktrace found for following nodes"
    file, line, name, code = frames[-1]
    return f"File: {file}:{line} in {name}, code: {code.strip()}"


def value_in_words(node: Node, include_stride: bool = False, include_device: bool = False) -> str:
    """Returns dtype and shape of the value of a node, `f32[2, 3]`, if these are noted in its `meta`."""
    value: Any = node.meta.get("val", node.meta.get("tensor_meta", node.meta.get("example_value")))
    if not (hasattr(value, "dtype") and hasattr(value, "shape")):
        return ""
    words = f"{dtype_abbrs[value.dtype]}[{', '.join(map(str, value.shape))}]"
    if not isinstance(value, Tensor):
        return words
    words += f"[{', '.join(map(str, value.stride()))}]" if include_stride else ""
    words += str(value.device) if include_device else ""
    return words if type(value) is Tensor else f"{type(value).__name__}({words})"


def last_uses(nodes: Reversible[Node]) -> dict[Node, list[Node]]:
    """Maps each node to the nodes whose results are last used there."""
    result: dict[Node, list[Node]] = {}
    seen: set[Node] = set()
    for node in reversed(nodes):
        for argument in arguments_of(node):
            if argument not in seen:
                seen.add(argument)
                result.setdefault(node, []).append(argument)
    return result


def arguments_of(node: Node) -> Iterator[Node]:
    return nodes_of([list(node.args), node.kwargs])

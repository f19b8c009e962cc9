"""Parses schemas: `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.

Errors have PyTorch's messages and show the position.
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple, NoReturn

from rushlight._library.schema import TYPE_NAMES, AliasInfo, Argument, FunctionSchema, Type

TOKEN = re.compile(
    r"""(?P<arrow>->)|(?P<dots>\.\.\.)|(?P<namespace>::)
    |(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<ident>[A-Za-z_]\w*)
    |(?P<sign>[^\s\w])""",
    re.VERBOSE,
)
SPOKEN = {"arrow": "arrow", "ident": "ident", "number": "number", "string": "string"}
UNKNOWN_TYPE = (
    "\nunknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full "
    "list, please see https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func "
)
# Named defaults: PyTorch's numbers for dtypes, layouts, memory formats and reductions.
DTYPES = "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool".split()
NAMED = {
    **{name: number for number, name in enumerate(DTYPES)},
    **{"short": 2, "int": 3, "long": 4, "half": 5, "float": 6, "double": 7, "bfloat16": 15},
    **{"strided": 0, "contiguous_format": 0, "preserve_format": 1, "channels_last": 2, "Mean": 1, "Sum": 2},
}
WORDS = {"None": None, "True": True, "False": False}
LISTED = frozenset("int float complex SymInt bool Tensor number Scalar".split())


class Token(NamedTuple):
    """A token of the text, with its position."""

    kind: str
    text: str
    start: int
    end: int


class Reader:
    """A recursive-descent parser of one schema."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = [
            Token(str(token.lastgroup), token.group(), token.start(), token.end()) for token in TOKEN.finditer(text)
        ]
        self.tokens.append(Token("eof", "eof", len(text), len(text) + 1))
        self.at = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def fail(self, words: str, token: Token | None = None) -> NoReturn:
        """Raises RuntimeError that shows the position."""
        where = token or self.next
        mark = " " * where.start + "~" * (where.end - where.start)
        raise RuntimeError(f"{words}:\n{self.text}\n{mark} <--- HERE\n")

    def take(self, wanted: str) -> Token:
        """Consumes the next token, which must have a kind or be a symbol."""
        token = self.next
        if wanted not in (token.kind, token.text):
            self.fail(f"expected {wanted} but found '{token.text}' here")
        self.at += 1
        return token

    def skip(self, text: str) -> bool:
        """Consumes a symbol if it is next; returns whether it was."""
        if self.next.text != text:
            return False
        self.at += 1
        return True

    # ---- signature

    def name(self) -> tuple[str, str]:
        """Parses `namespace::name.overload`; the overload may be empty."""
        name = self.take("ident").text
        while self.skip("::"):
            name = f"{name}::{self.take('ident').text}"
        overload = ""
        if self.skip("."):
            overload = self.take("ident").text
            if overload == "default":
                raise RuntimeError("default is not a legal overload name for aten operators")
        return name, overload

    def schema(self) -> FunctionSchema:
        name, overload = self.name()
        if self.next.kind == "eof":
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        if overload and self.next.text != "(":
            self.fail(f"expected eof but found '{self.next.text}' here")
        arguments, variadic = self.arguments()
        self.take("arrow")
        returns = self.returns()
        if self.next.kind != "eof":
            self.fail(f"expected eof but found '{self.next.text}' here")
        schema = FunctionSchema(name, overload, arguments, returns, variadic)
        check_order(schema)
        return schema

    def arguments(self) -> tuple[list[Argument], bool]:
        result: list[Argument] = []
        self.take("(")
        named = False
        if self.skip(")"):
            return result, False
        while True:
            if self.skip("..."):
                self.take(")")
                return result, True
            if self.skip("*"):
                named = True
            else:
                result.append(self.argument(named))
            if not self.skip(","):
                self.take(")")
                return result, False

    def argument(self, named: bool) -> Argument:
        kind, alias = self.type_()
        name = self.take("ident").text
        if self.next.text == "[":  # `int x[2]`
            kind = self.in_list(kind)
        default = (self.value(kind),) if self.skip("=") else ()
        return Argument(name, kind, alias, default, named)

    def returns(self) -> list[Argument]:
        if not self.skip("("):
            return [self.returned()]
        result: list[Argument] = []
        if self.skip(")"):
            return result
        while True:
            result.append(self.returned())
            if not self.skip(","):
                self.take(")")
                return result

    def returned(self) -> Argument:
        kind, alias = self.type_()
        name = self.take("ident").text if self.next.kind == "ident" else ""
        return Argument(name, kind, alias, (), False)

    # ---- types

    def type_(self) -> tuple[Type, AliasInfo | None]:
        """Parses a type with its alias set."""
        kind, alias = self.plain_type(), None
        if kind.kind == "Tensor" and self.next.text == "(":
            alias = self.alias()
        while True:
            if self.next.text == "[":
                kind = self.in_list(kind)
            elif self.skip("?"):
                kind = Type("optional", (kind,))
            elif alias is None and kind.holds_tensors() and self.next.text == "(":
                alias = self.alias()
            else:
                return kind, alias

    def plain_type(self) -> Type:
        if self.next.text == "(":
            return Type("tuple", self.types_in_brackets())
        token = self.next
        name = self.take("ident").text
        if name == "Dict":
            return Type("dict", self.types_in_brackets())
        if name not in TYPE_NAMES:
            self.fail(UNKNOWN_TYPE, token)
        return Type(name)

    def types_in_brackets(self) -> tuple[Type, ...]:
        self.take("(")
        types = [self.type_()[0]]
        while self.skip(","):
            types.append(self.type_()[0])
        self.take(")")
        return tuple(types)

    def in_list(self, kind: Type) -> Type:
        self.take("[")
        length = int(self.take("number").text) if self.next.kind == "number" else None
        self.take("]")
        return Type("list", (kind,), length)

    def alias(self) -> AliasInfo:
        self.take("(")
        before = self.alias_set()
        is_write = self.skip("!")
        after = self.alias_set() if self.skip("->") else before
        self.take(")")
        return AliasInfo(is_write, before, after)

    def alias_set(self) -> tuple[str, ...]:
        names = [self.alias_name()]
        while self.skip("|"):
            names.append(self.alias_name())
        return tuple(names)

    def alias_name(self) -> str:
        return "*" if self.skip("*") else self.take("ident").text

    # ---- defaults

    def value(self, kind: Type) -> Any:
        if kind.kind == "optional":
            if self.skip("None"):
                return None
            kind = kind.inner[0]
        if kind.kind == "list":
            return self.list_value(kind)
        return self.one_value(kind)

    def list_value(self, kind: Type) -> list[Any]:
        inner = kind.inner[0]
        if self.next.text != "[":
            return [self.one_value(inner)] * (kind.length or 1)
        self.take("[")
        if inner.kind not in LISTED:
            self.fail("\nlists are only supported for float, int and complex types", self.tokens[self.at])
        result: list[Any] = []
        if self.skip("]"):
            return result
        while True:
            result.append(self.one_value(inner))
            if not self.skip(","):
                self.take("]")
                return result

    def one_value(self, kind: Type) -> Any:
        token = self.next
        self.at += 1
        if token.kind == "string":
            return ast.literal_eval(token.text)
        if token.text in WORDS:
            return WORDS[token.text]
        if token.kind == "number":
            whole = re.fullmatch(r"-?\d+", token.text)
            return int(token.text) if whole and kind.kind != "float" else float(token.text)
        if token.kind == "ident" and token.text in NAMED:
            return NAMED[token.text]
        if kind.kind == "Device" and token.kind == "ident":
            return token.text + (f":{self.take('number').text}" if self.skip(":") else "")
        self.fail("\ninvalid numeric default value", self.next if token.kind != "eof" else token)


def check_order(schema: FunctionSchema) -> None:
    """Raises RuntimeError for an argument without a default after one with a default."""
    seen = False
    for argument in schema.arguments:
        if (
            seen
            and not argument.has_default_value()
            and not argument.kwarg_only
            and argument.real_type.kind != "optional"
        ):
            raise RuntimeError(
                '!seen_default_arg || arg.kwarg_only() INTERNAL ASSERT FAILED at "function_schema.h":342, please '
                "report a bug to PyTorch. Non-default positional argument follows default argument. "
                f"Parameter {argument.name} in {schema}"
            )
        seen = seen or argument.has_default_value()


def parse_schema(text: str) -> FunctionSchema:
    """Parses a schema. Raises RuntimeError for invalid text."""
    return Reader(text).schema()

"""The vocabulary of declarations: the decorators that turn a class body, or a function, into an `Op`.

A declaration is data. `dispatch/generate.py` writes the fast functions from it, `dispatch/interpreter.py` interprets
it for everything the fast functions leave aside, the tests draw their cases from it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from rushlight.core.tables import enter, forward

# What an annotation in `forward` says of an argument. Anything else is a plain parameter, and of which kinds it may be
# where its name and default do not show that: `Ints | int`, `Tensor | Number`. A composite's are all plain.
TENSOR = "Tensor"  # a tensor with a gradient
OPTIONAL = "Tensor | None"
TENSORS = "Tensors"  # a sequence of tensors with gradients
CONSTANT = "Constant"  # a tensor that is never differentiated: an index, a mask, a target
OPTIONAL_CONSTANT = "Constant | None"
DIMS = "Dims"  # one dimension or several, which nodes show as several
UNKNOWN = "object"  # a plain parameter of which nothing can be said beforehand
VARIADIC = "variadic"  # any number of plain parameters, as in `x.view(2, 3)`; composites only
DIFFERENTIABLE = frozenset((TENSOR, OPTIONAL, TENSORS))
OPERANDS = frozenset((TENSOR, OPTIONAL, TENSORS, CONSTANT, OPTIONAL_CONSTANT))

CO_VARARGS = 0x04

# What a declaration's class body may hold. `domain` is for the tests: of the arguments of a call it makes the first one
# what the operator is meant for, a Hermitian matrix of any, where only along such the derivative is the slope.
CLAUSES = frozenset(("forward", "common", "shape", "returns", "refuses", "refuses_out", "samples", "domain", "node"))
# What a derivative may ask for beside arguments and results; and `common`, what the clause of that name returns, which
# is computed once for all derivatives.
SUFFIXES = ("_shape", "_dtype", "_device", "_shapes")


class Argument(NamedTuple):
    """One argument of an operator: its name, role, default (or NOTHING) and whether it must be named in a call."""

    name: str
    role: str
    default: Any
    keyword_only: bool


class Nothing:
    """The default of an argument that has none."""

    def __repr__(self):
        return "NOTHING"


NOTHING = Nothing()


class Op:
    """One declared operator.

    `dtype` says how the result's dtype follows: "promote" (the promoted one), "float" (the same, integers become the
    default floating dtype), "bool" (computed in the promoted one), "common" (the promoted one, to which operands are
    brought and no further), "keep" (as `forward` returns it). `view`: the result shares the input's memory. `exact`:
    elements are only moved, never computed with. `quiet`: floating-point flags need no guard on the fast path.
    `ordered`: the result of an elementwise operator is contiguous, however its operands lie.
    `irreversible`: of the plain arguments, why there is no way back from what is written in place; None if there is.
    `numbers`: operands may be Python numbers, all or those named; `scalars`: even where no tensor stands beside them.
    `refused_by`: the operands by whose dtypes it refuses, where it is not by all. `many`: the number of results varies.
    `returned`: the named tuple of several results. `undefined`: a derivative is given None for the gradient of a result
    of which nothing was made, not zeros. `operators`: the special methods that it stands behind. `spaces` are the
    public namespaces that carry the function; `method` is its name as a Tensor method, None if there is none; `inplace`
    and `out` say whether those variants exist, `out="positional"` that it needs no name.
    `documented` are the names of arguments in PyTorch's documentation where its functions, and messages, have others;
    `method_names` those of the method, or of one where several differ, "index_copy_.source"; `method_positional`, what
    needs no name there. `also_named`: names of arguments in forms of a function that are one form here, each with the
    declared name. `forms`: the kinds of the arguments in each form of a function that PyTorch has several of,
    where those are not one to one what an argument may be anyway: `movedim` takes two numbers or two sequences.
    `called` is the name of the function or method in messages, `bound` how many arguments stand before the dot.
    `reshapes`: the in-place variant changes how the tensor looks at its memory, not what is there. `crosses`: the
    result may be on another device. `overlap`: what of an operand's memory `out=` may be: "full", all of it in the same
    order; "first", all of the first operand's; "none", nothing; None, anything; "any", that in place too. `overwrites`:
    what takes the place of every element in place; `writes`: the function that changes numbers in place where nothing
    else does; `places`: one of `arrays.inplace_scatter` does so where positions or a mask say. `same_dtype`: `out=` has
    the result's dtype; True, the complaint, its maker from both dtypes, or one for each result; `same_dtypes`,
    the same where there are several results of an operator that also has one. `frees`: plain arguments, such as index
    arrays, that backward frees with the saved tensors. `computes_in_out`: `out=` says in which dtype is computed, where
    no `dtype=` does; True, or the complaint if both do and differ. `unmixed`: operands of half precision are not
    widened beside another dtype, which `forward` then refuses. `steps`: the slope follows from the operands in steps,
    or not at all, and PyTorch's leads back to them for all that: a gradient that has no graph otherwise does so, to 0.
    `direct`: calls that come to less than the whole, or are those of a primitive. `pointwise`: a composite of arrays
    whose elements follow from theirs one by one, which derivatives call: machine code computes it in one pass. `fits`:
    the numbers that have to fit the dtype of the tensors beside them, each with the dtypes, or categories of dtypes, in
    which it is so; small floats round them.
    """

    def __init__(self, kind: str, name: str, function, **options):
        self.kind = kind
        self.name = self.called = name
        self.bound = 0
        self.forward = function
        self.dtype = options.pop("dtype", "promote" if kind == "elementwise" else "keep")
        self.view = options.pop("view", False)
        self.exact = options.pop("exact", self.view)
        self.quiet = options.pop("quiet", self.exact)
        self.aliases = options.pop("aliases", ())
        self.spaces = options.pop("spaces", ("torch",))
        self.method = options.pop("method", name if "torch" in self.spaces else None)
        self.inplace = options.pop("inplace", kind == "elementwise")
        self.reshapes = options.pop("reshapes", False)
        self.overwrites = options.pop("overwrites", None)
        self.writes = options.pop("writes", None)
        self.places = options.pop("places", False)
        self.crosses = options.pop("crosses", False)
        self.out = options.pop("out", kind in ("elementwise", "linear", "multilinear", "op") and not self.view)
        self.overlap = options.pop("overlap", "full" if kind == "elementwise" else None)
        self.same_dtype = options.pop("same_dtype", False)
        self.same_dtypes = options.pop("same_dtypes", False)
        self.frees = options.pop("frees", ())
        self.computes_in_out = options.pop("computes_in_out", False)
        self.unmixed = options.pop("unmixed", False)
        self.steps = options.pop("steps", False)
        self.direct = options.pop("direct", ())
        self.pointwise = options.pop("pointwise", kind == "elementwise")
        self.ordered = options.pop("ordered", False)
        self.irreversible = options.pop("irreversible", None)
        self.numbers = options.pop("numbers", kind == "elementwise")
        self.scalars = options.pop("scalars", False)
        self.fits = options.pop("fits", {})
        self.refused_by = options.pop("refused_by", None)
        self.many = options.pop("many", False)
        self.returned = options.pop("returned", None)
        self.undefined = options.pop("undefined", False)
        self.operators = options.pop("operators", ())
        self.documented = options.pop("documented", {})
        self.method_names = {**self.documented, **options.pop("method_names", {})}
        self.method_positional = options.pop("method_positional", ())
        self.also_named = options.pop("also_named", {})
        self.forms = options.pop("forms", ())
        if options:
            raise TypeError(f"{name}: unknown option {sorted(options)}")
        self.arguments = arguments_of(function, 1)
        self.derivatives: dict[str, Any] = {}
        self.results: tuple[str, ...] = ("out",)
        self.node = None
        self.shape = self.common = None
        self.refuses = self.refuses_out = self.samples = self.domain = None
        self.doc = (function.__doc__ or "").strip()
        # Attached by the generated module: the public function, the node classes and their backward functions.
        self.function: Any = None
        self.inplace_function: Any = None
        self.nodes: tuple = ()
        self.select_node = None

    def __repr__(self):
        return f"<{self.kind} {self.name}>"

    def name_in_method(self, name: str) -> str:
        """What an argument is called in the method that the operator stands for, `called`."""
        return self.method_names.get(f"{self.called}.{name}") or self.method_names.get(name, name)

    def takes_number(self, name: str) -> bool:
        """Whether an operand may be a Python number."""
        return self.numbers is True or bool(self.numbers and name in self.numbers)

    def names_in(self, space: str) -> list[str]:
        """The names that a public namespace has for it: `linalg_cross` is `linalg.cross`."""
        return [name.removeprefix(f"{space}_") for name in (self.name, *self.aliases)]

    @property
    def composite(self) -> bool:
        return self.kind == "composite"

    @cached_property
    def asks(self) -> dict[str, tuple[str, ...]]:
        """What each derivative asks for, by itself or through what they have in common."""
        return {
            name: tuple(dict.fromkeys(found for each in asked_by(derivative) for found in self._behind(each)))
            for name, derivative in self.derivatives.items()
        }

    def _behind(self, asked: str) -> tuple[str, ...]:
        return asked_by(self.common) if asked == "common" and self.common else (asked,)

    @cached_property
    def followed(self) -> tuple[str, ...]:
        """The results with a gradient: of several, those whose gradients derivatives ask for; `g` is the first's."""
        if len(self.results) == 1:
            return self.results
        asked = {name for names in self.asks.values() for name in names}
        return tuple(name for i, name in enumerate(self.results) if f"g_{name}" in asked or (i == 0 and "g" in asked))

    def operands(self) -> list[Argument]:
        """The arguments that are tensors."""
        return [each for each in self.arguments if each.role in OPERANDS]


def arguments_of(function, skip: int) -> tuple[Argument, ...]:
    """The arguments of a function after the first `skip`, read from its code: `inspect` costs 16 us an operator."""
    code = function.__code__
    positional, total = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:total]
    defaults = dict(
        zip(names[positional - len(function.__defaults__ or ()) : positional], function.__defaults__ or (), strict=True)
    )
    defaults.update(function.__kwdefaults__ or {})
    notes = function.__annotations__
    found = [
        Argument(name, notes.get(name, ""), defaults.get(name, NOTHING), position >= positional)
        for position, name in enumerate(names)
        if position >= skip
    ]
    if code.co_flags & CO_VARARGS:
        found.insert(positional - skip, Argument(code.co_varnames[total], VARIADIC, NOTHING, False))
    return tuple(found)


def asked_by(derivative) -> tuple[str, ...]:
    """The names that a derivative asks for, after the language F."""
    return derivative.__code__.co_varnames[1 : derivative.__code__.co_argcount]


class Direct(NamedTuple):
    """A call of a composite that is a primitive's, or of a primitive that takes less, in texts for generated code."""

    when: str
    op: str
    arguments: dict[str, str]  # the primitive's that are not the composite's, or are called otherwise there
    forward: str = ""  # the primitive's, where less will do; the array of a tensor is called `<name>_array` in it
    quiet: bool = False  # whether NumPy need not be told to keep its warnings, as then it only adds
    step: str = ""  # of a view: the pair that notes the operation, where less will do; see `Tensor._steps`


class Declarations(dict):
    """All operators by name."""

    def add(self, op: Op) -> None:
        if op.name in self:
            raise TypeError(f"{op.name} is declared twice")
        self[op.name] = op
        enter(forward, {op.name: op.forward})


OPS = Declarations()


def _declare(kind: str, declaration, options: dict):
    body = vars(declaration)
    op = Op(kind, options.pop("name", declaration.__name__), body["forward"], **options)
    op.doc = (declaration.__doc__ or "").strip()
    for clause, value in body.items():
        if clause.startswith("d_"):
            op.derivatives[clause[2:]] = value
        elif clause in CLAUSES:
            if clause != "forward":
                setattr(op, clause, value)
        elif not clause.startswith("__"):
            raise TypeError(f"{op.name}: unknown clause {clause!r}; the clauses are d_<argument> and {sorted(CLAUSES)}")
    if "returns" in body:
        op.results = tuple(each.strip() for each in body["returns"].split(","))
    OPS.add(op)
    return declaration


def check(op: Op) -> None:
    """Raises TypeError if a derivative asks for what there is not. The generator asks: at import it would cost 5 ms."""
    known = {each.name for each in op.arguments}
    gradients = ("g", *(f"g_{each}" for each in op.results))
    for name in op.derivatives:
        if name not in known:
            raise TypeError(f"{op.name}.d_{name}: there is no argument {name}")
        allowed = {*known, *op.results, *gradients, *(each + suffix for each in known for suffix in SUFFIXES)}
        strange = [each for each in op.asks[name] if each not in allowed]
        if strange:
            raise TypeError(f"{op.name}.d_{name}: asks for {strange}; it may use {sorted(allowed)}")


def _decorator(kind: str):
    def decorate(declaration=None, /, **options):
        if declaration is not None:
            return _declare(kind, declaration, options)
        return lambda each: _declare(kind, each, options)

    decorate.__name__ = kind
    decorate.__doc__ = f"Declares a primitive operator of the kind {kind}."
    return decorate


elementwise = _decorator("elementwise")
linear = _decorator("linear")
multilinear = _decorator("multilinear")
op = _decorator("op")


def composite(function=None, /, **options):
    """Declares an operator that is a plain function of others, which it finds in the language F, its first argument.

    `refuses_out` is asked about a tensor to write to before anything is computed.
    """
    if function is None:
        return lambda each: composite(each, **options)
    clauses = {name: options.pop(name, None) for name in ("samples", "domain", "refuses_out")}
    declared = Op("composite", options.pop("name", function.__name__), function, **options)
    vars(declared).update(clauses)
    OPS.add(declared)
    return function

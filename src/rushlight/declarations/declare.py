"""The decorators that turn a class body, or a function, into an `Op`, and `face`.

A declaration is data. `dispatch/generate.py` writes the fast functions from it, `dispatch/interpreter.py` interprets
it for all calls that the fast functions do not take, the tests take their cases from it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from rushlight.core.tables import enter, forward
from rushlight.declarations.samples import BINARY, UNARY

# Annotations of the arguments of `forward`. Any other is the type of a plain parameter, if its name and default do not
# give it: `Ints | int`, `Tensor | Number`. All parameters of a composite are plain.
TENSOR = "Tensor"  # a tensor with a gradient
OPTIONAL = "Tensor | None"
TENSORS = "Tensors"  # a sequence of tensors with gradients
CONSTANT = "Constant"  # a tensor that is never differentiated: an index, a mask, a target
OPTIONAL_CONSTANT = "Constant | None"
DIMS = "Dims"  # one dimension or several; nodes show several
UNKNOWN = "object"  # a plain parameter of unknown type
VARIADIC = "variadic"  # any number of plain parameters, as in `x.view(2, 3)`; composites only
DIFFERENTIABLE = frozenset((TENSOR, OPTIONAL, TENSORS))
OPERANDS = frozenset((TENSOR, OPTIONAL, TENSORS, CONSTANT, OPTIONAL_CONSTANT))

# The operators whose names begin with one of these are functions of that namespace alone, without in-place variants.
NAMESPACES = frozenset(("fft", "linalg", "special"))

CO_VARARGS = 0x04

# The names in the body of a block. `domain` is for tests: it makes the first argument one that the operator is defined
# for, such as a Hermitian matrix, because the derivative holds only along these. `jvp(F, input_t, out, dim)` returns
# the tangent of the result; `<argument>_t` is a tangent, None for zero, the other names are as in a derivative.
# `batch(F, b, input, dim)` computes a batch of calls: `b.size` of them; the tensors whose names are in `b.batched` have
# the batch in front, and so has the result. Without these two clauses, `transforms` derives what it can.
CLAUSES = frozenset(("forward", "common", "shape", "returns", "samples", "domain", "jvp", "batch"))
SAMPLES = {1: UNARY, 2: BINARY}  # of elementwise operators that name none, by their number of arguments
# A derivative may name arguments, results, these properties of arguments, and `common`, the result of that clause,
# which is computed once for all derivatives.
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


class BlockOptions:
    """What an operator is: the options of its decorator, with defaults. `Op` sets those that depend on the kind."""

    # Called by other declarations only: no public function, no method, no variants.
    internal: bool = False
    # The dtype of the result: "promote" (the promoted dtype), "float" (the same, integers become the default floating
    # dtype), "bool" (computed in the promoted dtype), "common" (operands are cast to the promoted dtype, and no
    # further), "keep" (as `forward` returns it).
    dtype: str = "keep"
    # The result shares the input's memory.
    view: bool = False
    # Elements are moved, never computed with. The default is `view`.
    exact: bool = False
    # Never raises floating-point flags, so the fast path does not guard them. The default is `exact`.
    no_fp_errors: bool = False
    # The result of an elementwise operator is contiguous, whatever the layout of its operands.
    contiguous_result: bool = False
    # A composite whose elements depend on those of its operands one by one, and which derivatives call: compiled to one
    # loop.
    pointwise: bool = False
    # Operands that may be Python numbers: True for all, or their names.
    scalar_operands: Any = False
    # All operands may be Python numbers at once.
    all_scalars: bool = False
    # Number arguments that must fit the dtype of the tensors next to them: the name -> the dtypes, or categories of
    # dtypes, for which this holds. Half precision rounds them.
    casts_scalar: dict = {}
    # Number arguments that may be True or False only where all operands are bools.
    bools_for: tuple[str, ...] = ()
    # The number of results varies.
    multi_output: bool = False
    # A derivative receives None, not zeros, for the gradient of a result that nothing was computed from.
    undefined_grads: bool = False
    # The derivative does not depend on the operands, or in steps only, but PyTorch's graph leads back to them: a second
    # derivative is zero, not an error.
    zero_second_derivative: bool = False
    # Plain arguments, such as index arrays, that backward frees with the saved tensors.
    freed_arguments: Any = ()
    # The result may be on another device.
    cross_device: bool = False
    # Operands of half precision are not widened next to another dtype: `forward` refuses such calls.
    no_promotion: bool = False


class FaceOptions:
    """How an operator is called and what PyTorch refuses: the options of `face`, with defaults."""

    # The public namespaces that have the function. The default is that of the name's prefix: see `NAMESPACES`.
    spaces: Any = ("torch",)
    # Other names of the function.
    aliases: Any = ()
    # The name of the Tensor method, None if there is none. The default is the operator's name if "torch" has it.
    method: Any = None
    # The special methods that call it.
    operators: Any = ()
    # The kinds of the arguments in each form of a function that PyTorch overloads, if they do not follow from the
    # annotations one by one: `movedim` takes two integers or two sequences.
    forms: Any = ()
    # PyTorch's documented names of arguments, if its functions and messages have others: argument -> name.
    documented_names: dict = {}
    # The same for the method, or for one of several methods: "index_copy_.source".
    method_names: dict = {}
    # Arguments that the method takes by position and the function by name.
    method_positional: Any = ()
    # Names of arguments in PyTorch's other forms of the function: name -> argument.
    also_named: dict = {}
    # Calls that another operator, or less work, computes.
    direct: Any = ()
    # Whether there is an `out=` variant; "positional" if `out` needs no name.
    out: Any = False
    # The operand's memory that `out=` may be: "full", all of it in the same order; "first", all of the first operand's;
    # "none", nothing; "any", anything, also in place; None, anything.
    overlap: Any = None
    # `out=` must have the result's dtype: True, the complaint, a function from both dtypes to it, or one per result.
    out_same_dtype: Any = False
    # The same for the form with several results of an operator that also has a form with one.
    outs_same_dtype: Any = False
    # The names of an operator and its results in the complaint about an `out=` that cannot hold one, where it differs.
    castable: tuple[str, ...] = ()
    # `out=` decides in which dtype is computed unless `dtype=` does: True, or the complaint if both do and differ.
    computes_in_out_dtype: Any = False
    # A function that raises if a composite cannot write to `out`; called before anything is computed.
    refuses_out: Any = None
    # The complaint if the form with several results has no `out=`.
    refuses_several: Any = None
    # A function of `out`, the result and the arguments: raises if `out` has a wrong dtype, where the rule is special.
    checks_out: Any = None
    # Whether there is an in-place variant.
    inplace: Any = False
    # The in-place variant changes shape and strides of the tensor, not its elements.
    inplace_reshapes: Any = False
    # The value that replaces every element in place.
    inplace_fill: Any = None
    # The function that writes in place if no history, alias or dtype stands against it.
    inplace_kernel: Any = None
    # A function of `arrays.inplace_scatter` writes in place, at the positions or mask of an argument.
    inplace_by_index: Any = False
    # From the plain arguments, the reason why the in-place variant has no derivative, None if it has one.
    inplace_no_grad: Any = None
    # The named tuple of several results.
    named_tuple: Any = None
    # PyTorch's name of the graph node, or an expression that gives it.
    node: Any = None
    # The dtypes, or categories of dtypes, that PyTorch refuses, each with its error; or a function of the operands that
    # returns an error or None.
    refuses: Any = None
    # The operands whose dtypes `refuses` looks at. The default is all.
    refused_by: Any = None


BLOCK_OPTIONS = frozenset(vars(BlockOptions)["__annotations__"])
FACE_OPTIONS = frozenset(vars(FaceOptions)["__annotations__"])


class Op(BlockOptions, FaceOptions):
    """One declared operator.

    `called` is the name of the function or method in messages, `bound` the number of arguments before the dot.
    """

    def __init__(self, kind: str, name: str, function, **options):
        unknown = options.keys() - BLOCK_OPTIONS
        if unknown:
            raise TypeError(f"{name}: unknown option {sorted(unknown)}; face() takes {sorted(FACE_OPTIONS)}")
        self.kind = kind
        self.name = self.called = self.method = name
        self.bound = 0
        self.forward = function
        elementwise = kind == "elementwise"
        view = options.get("view", False)
        exact = options.get("exact", view)
        self.dtype = "promote" if elementwise else "keep"
        self.exact, self.no_fp_errors = view, exact
        self.inplace = self.pointwise = self.scalar_operands = elementwise
        self.out = kind != "composite" and not view
        self.overlap = "full" if elementwise else None
        space = name.partition("_")[0]
        if space in NAMESPACES:
            self.spaces, self.method, self.inplace = (space,), None, False
        if options.get("internal"):
            self.spaces, self.method, self.inplace, self.out = (), None, False, False
        vars(self).update(options)
        self.derivatives: dict[str, Any] = {}
        self.results: tuple[str, ...] = ("out",)
        self.shape = self.common = self.samples = self.domain = self.jvp = self.batch = None
        self.doc = (function.__doc__ or "").strip()
        # Set by the generated module: the public function, the node classes and their backward functions.
        self.function: Any = None
        self.inplace_function: Any = None
        self.nodes: tuple = ()
        self.select_node = None
        self.faced = False

    def __repr__(self):
        return f"<{self.kind} {self.name}>"

    def add_face(self, options: dict) -> None:
        """Sets how the operator is called, once."""
        unknown = options.keys() - FACE_OPTIONS
        if unknown:
            raise TypeError(f"{self.name}: unknown option of face {sorted(unknown)}")
        if self.faced:
            raise TypeError(f"{self.name} has two faces")
        self.faced = True
        if "torch" not in options.get("spaces", self.spaces):
            self.method = None
        vars(self).update(options)
        if "documented_names" in options:
            self.method_names = {**self.documented_names, **self.method_names}

    def name_in_method(self, name: str) -> str:
        """Returns the name of an argument in the method `called`."""
        return self.method_names.get(f"{self.called}.{name}") or self.method_names.get(name, name)

    def takes_number(self, name: str) -> bool:
        """Returns whether an operand may be a Python number."""
        return self.scalar_operands is True or bool(self.scalar_operands and name in self.scalar_operands)

    def names_in(self, space: str) -> list[str]:
        """Returns its names in a public namespace: `linalg_cross` is `linalg.cross`."""
        return [name.removeprefix(f"{space}_") for name in (self.name, *self.aliases)]

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of `forward`, without the language; most are never needed."""
        return arguments_of(self.forward, 1)

    @property
    def composite(self) -> bool:
        return self.kind == "composite"

    @cached_property
    def asks(self) -> dict[str, tuple[str, ...]]:
        """The names that each derivative uses, itself or through `common`."""
        return {
            name: tuple(dict.fromkeys(result for each in asked_by(derivative) for result in self._behind(each)))
            for name, derivative in self.derivatives.items()
        }

    def _behind(self, asked: str) -> tuple[str, ...]:
        return asked_by(self.common) if asked == "common" and self.common else (asked,)

    @cached_property
    def differentiable_results(self) -> tuple[str, ...]:
        """The results with a gradient: of several, those whose gradients derivatives name; `g` is that of the first."""
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
    results = [
        Argument(name, notes.get(name, ""), defaults.get(name, NOTHING), position >= positional)
        for position, name in enumerate(names)
        if position >= skip
    ]
    if code.co_flags & CO_VARARGS:
        results.insert(positional - skip, Argument(code.co_varnames[total], VARIADIC, NOTHING, False))
    return tuple(results)


def asked_by(derivative) -> tuple[str, ...]:
    """Returns the parameters of a derivative, without the language F."""
    return derivative.__code__.co_varnames[1 : derivative.__code__.co_argcount]


class Direct(NamedTuple):
    """Source for generated code of a call that a primitive, or a cheaper expression, computes."""

    when: str
    op: str
    arguments: dict[str, str]  # arguments of the primitive that differ from the composite's
    forward: str = ""  # a cheaper expression for the primitive's `forward`; `<name>_array` is the array of a tensor
    no_fp_errors: bool = False  # the call never raises floating-point flags
    step: str = ""  # for a view: a cheaper record of the operation; see `Tensor._steps`


class Declarations(dict):
    """All operators by name."""

    def __init__(self):
        self.by_block: dict[Any, Op] = {}

    def add(self, op: Op, block) -> None:
        if op.name in self:
            raise TypeError(f"{op.name} is declared twice")
        self[op.name] = self.by_block[block] = op
        enter(forward, {op.name: op.forward})


OPS = Declarations()


def face(block, /, **options) -> None:
    """Says how the operator of a block is called, and what PyTorch refuses: see `FaceOptions`."""
    OPS.by_block[block].add_face(options)


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
    if kind == "elementwise" and "samples" not in body:
        op.samples = SAMPLES.get(op.forward.__code__.co_argcount - 1)
    if "returns" in body:
        op.results = tuple(each.strip() for each in body["returns"].split(","))
    OPS.add(op, declaration)
    return declaration


def check(op: Op) -> None:
    """Raises TypeError if a derivative names an unknown parameter. Called by the generator, for it takes 5 ms."""
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
    """Declares an operator that is a plain function of others, which it finds in the language F, its first argument."""
    if function is None:
        return lambda each: composite(each, **options)
    clauses = {name: options.pop(name, None) for name in ("samples", "domain")}
    declared = Op("composite", options.pop("name", function.__name__), function, **options)
    vars(declared).update(clauses)
    OPS.add(declared, function)
    return function

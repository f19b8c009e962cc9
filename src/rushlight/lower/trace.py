"""Runs declared formulas on expressions: both languages of the declarations.

`forward(xp, ...)` finds the known functions of the array language in `Arrays` (`FUNCTIONS`); `d_<input>(F, g, ...)`
finds the library's operators in `Operators`, each of which runs its own `forward`. Unknown names raise `Untraceable`,
and NumPy computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from rushlight._generated.lazy_names import MODULE_OF
from rushlight.declarations import library
from rushlight.declarations.declare import OPS
from rushlight.lower import bessel_functions, gamma_functions, ir, special_functions
from rushlight.lower import elementary as m
from rushlight.lower import trigonometry as t
from rushlight.lower.ir import BIT, FLOATS, Untraceable, Value, binary, copysign, is_nan, unary, where


def maximum(left, right) -> Value:
    """Returns the larger operand, the second of equal ones; NaN if one is."""
    left, right = ir.promote(left, right)
    if right.op == "constant" and right.literal == right.literal:
        return where(left <= right, right, left)
    return where(is_nan(left), left, where(left > right, left, right))


def minimum(left, right) -> Value:
    """Returns the smaller operand, the second of equal ones; NaN if one is."""
    left, right = ir.promote(left, right)
    if right.op == "constant" and right.literal == right.literal:
        return where(left >= right, right, left)
    return where(is_nan(left), left, where(left < right, left, right))


def clip(array, low=None, high=None) -> Value:
    """Clips to bounds, either of which may be None; where they cross, the upper one wins."""
    raised = array if low is None else maximum(array, low)
    return raised if high is None else minimum(raised, high)


def clip_to_numbers(array, low=None, high=None) -> Value:
    """Clips to scalar bounds, which are tested for NaN once; a value equal to a bound is kept, -0.0 at 0.0 too."""
    result, bounds = array, [bound for bound in (low, high) if bound is not None]
    if low is not None:
        low, result = ir.promote(low, result)
        result = where(low > result, low, result)
    if high is not None:
        high, result = ir.promote(high, result)
        result = where(high < result, high, result)
    for bound in bounds:
        result = where(is_nan(bound), math.nan, result) if isinstance(bound, Value) else result
    return result


def sign(array) -> Value:
    """Returns -1, 0 or 1; 0 for NaN."""
    return where(array > 0, 1.0, where(array < 0, -1.0, 0.0, array.type))


def element(number, dtype):
    """Returns a number rounded to the dtype; kernel parameters have that dtype already."""
    if isinstance(number, Value):
        return number
    value = np.asarray(number).astype(dtype).item()
    if math.isinf(value) and not math.isinf(number):
        raise Untraceable("a number is beyond the dtype")
    return value


def power(base, exponent) -> Value:
    """Returns `base ** exponent`; powers that NumPy computes as products are products."""
    if isinstance(exponent, Value):
        base, exponent = ir.promote(base, exponent)
    if not isinstance(exponent, Value) and exponent in PRODUCTS:
        return PRODUCTS[exponent](base)
    return m.power(*ir.promote(base, exponent))


PRODUCTS = {
    0.5: lambda base: unary("sqrt", base),
    -0.5: lambda base: m.rsqrt(base),
    0: lambda base: base.trace.constant(1.0, base.type),
    1: lambda base: base,
    2: lambda base: base * base,
    3: lambda base: base * base * base,
    -1: lambda base: 1.0 / base,
    -2: lambda base: 1.0 / (base * base),
}


def softplus(array, beta, threshold) -> Value:
    """Returns `log(1 + exp(beta * x)) / beta`; x above `threshold`."""
    scaled = array * beta
    return where(scaled > threshold, array, m.log1p(m.exp(minimum(scaled, threshold))) / beta)


def leaky_relu(array, slope) -> Value:
    """Returns `x` where it is positive, otherwise `slope * x`."""
    return where(array > 0, array, array * slope)


def elu(array, alpha, scale, input_scale) -> Value:
    """Returns `scale * x` where it is not negative, otherwise `scale * alpha * (exp(input_scale * x) - 1)`."""
    return where(array < 0, m.expm1(minimum(array, 0) * input_scale) * (alpha * scale), array * scale)


def log_sigmoid(array) -> Value:
    """Returns `log(sigmoid(x))` without overflow."""
    return minimum(array, 0) - m.log1p(m.exp(-unary("fabs", array)))


def logit(array, eps) -> Value:
    """Returns `log(x / (1 - x))`, with x clipped to [eps, 1 - eps] if `eps` is given."""
    array = array if eps is None else clip(array, eps, 1 - eps)
    return m.log(array / (1 - array))


def logaddexp(first, second) -> Value:
    """Returns `log(exp(first) + exp(second))`; for equal infinities that infinity."""
    large, small = maximum(first, second), minimum(first, second)
    return where(large == small, large + math.log(2), large + m.log1p(m.exp(small - large)))


def xlogy(first, second, log=m.log) -> Value:
    """Returns `first * log(second)`; 0 where `first` is 0."""
    first, second = ir.promote(first, second)
    return where((first == 0) & ~is_nan(second), 0.0, first * log(second))


def xlog1py(first, second) -> Value:
    """Returns `first * log1p(second)`; 0 where `first` is 0."""
    return xlogy(first, second, m.log1p)


def logaddexp2(first, second) -> Value:
    """Returns `log2(2^first + 2^second)`; for equal infinities that infinity."""
    large, small = maximum(first, second), minimum(first, second)
    return where(large == small, large + 1.0, large + m.log1p(m.exp2(small - large)) * (1 / math.log(2)))


def entr(array) -> Value:
    """Returns `-x * log(x)`: 0 at 0, minus infinity below."""
    return where(array == 0, 0.0, where(array < 0, -math.inf, -array * m.log(array)))


def angle(array) -> Value:
    """Returns the angle of a real number: pi below zero, else 0."""
    return where(is_nan(array), array, where(array < 0, math.pi, 0.0, array.type))


def lerp(start, end, weight) -> Value:
    """Interpolates from `start` to `end`, from the nearer of the two."""
    difference = end - start
    if not isinstance(weight, Value):
        weight = ir.constant_like(difference.trace, weight, difference.type)
    return where(unary("fabs", weight) < 0.5, start + weight * difference, end - difference * (1 - weight))


def heaviside(array, values) -> Value:
    """Returns 0 below zero, 1 above, `values` at zero; 0 for NaN."""
    array, values = ir.promote(array, values)
    return where(array == 0, values, ir.cast(array > 0, array.type))


def sinc(array) -> Value:
    """Returns `sin(pi * x) / (pi * x)`; 1 at zero."""
    scaled = where(array == 0, 1.0, array * math.pi)
    return where(array == 0, 1.0, t.sin(scaled) / scaled)


def largest_in(array) -> float:
    """Returns the largest finite number of an operand's stored dtype."""
    if array.op != "operand":
        raise Untraceable("the limits of a dtype that is not computed in")
    return float(np.finfo(array.dtype).max)


def nan_to_num(array, nan, posinf, neginf) -> Value:
    """Replaces non-finite elements: by default with 0 and the limits of the dtype."""
    most = largest_in(array) if posinf is None or neginf is None else math.inf
    result = where(is_nan(array), 0.0 if nan is None else nan, array)
    result = where(array == math.inf, most if posinf is None else posinf, result)
    return where(array == -math.inf, -most if neginf is None else neginf, result)


def round_to(array, decimals) -> Value:
    """Rounds to `decimals`, half to even."""
    if not isinstance(decimals, int) or abs(decimals) > EXACT_TENS:
        raise Untraceable("a power of ten that is not known, or no float")
    factor = 10.0 ** abs(decimals)
    if decimals < 0:
        return unary("roundeven", array / factor) * factor
    return unary("roundeven", array * factor) / factor


EXACT_TENS = 10  # powers of ten up to this one are exact in float32


def nextafter(array, other) -> Value:
    """Returns the next float after x towards another: x's bits plus or minus one."""
    array, other = ir.promote(array, other)
    type, whole = array.type, ir.bits(array)
    outward = ~((other > array) ^ (array > 0))
    result = ir.bits(where(outward, ir.integer("add", whole, 1), ir.integer("sub", whole, 1)))
    result = where(array == 0, ir.copysign(ir.bits(array.trace.constant(1, ir.BITS[type])), other), result)
    result = where(array == other, other, result)
    return where(is_nan(array) | is_nan(other), math.nan, result)


def truth(array) -> Value:
    return ir.cast(array, BIT)


ARITHMETIC: dict[str, Callable] = {
    "add": partial(binary, "fadd"),
    "subtract": partial(binary, "fsub"),
    "multiply": partial(binary, "fmul"),
    "divide": partial(binary, "fdiv"),
    "negative": lambda array: -array,
    "reciprocal": lambda array: 1.0 / array,
    "power": power,
    "lerp": lerp,
    "add_multiple": lambda array, other, factor: array + other * factor,
    "subtract_multiple": lambda array, other, factor: array - other * factor,
    "factor_for": lambda array, factor: factor,
}
COMPARISONS: dict[str, Callable] = {
    "less": partial(ir.compare, "olt"),
    "less_equal": partial(ir.compare, "ole"),
    "greater": partial(ir.compare, "ogt"),
    "greater_equal": partial(ir.compare, "oge"),
    "equal": partial(ir.compare, "oeq"),
    "not_equal": partial(ir.compare, "une"),
    "logical_and": lambda a, b: truth(a) & truth(b),
    "logical_or": lambda a, b: truth(a) | truth(b),
    "logical_xor": lambda a, b: truth(a) ^ truth(b),
    "logical_not": lambda a: ~truth(a),
    "isnan": is_nan,
    "isinf": lambda array: unary("fabs", array) == math.inf,
    "isfinite": lambda array: unary("fabs", array) < math.inf,
}
CHOICES: dict[str, Callable] = {
    "where": where,
    "maximum": maximum,
    "minimum": minimum,
    "clip": clip,
    "clip_to_numbers": clip_to_numbers,
    "sign": sign,
    "copysign": copysign,
}
SHAPES: dict[str, Callable] = {
    "conj": lambda array: array,
    "astype": lambda array, dtype: array.astype(dtype),
    "element": element,
    "largest_in": largest_in,
    "zeros_like": lambda array: array.trace.constant(0.0, array.type),
    "ones_like": lambda array: array.trace.constant(1.0, array.type),
}
COMPOSED: dict[str, Callable] = {
    each.__name__: each
    for each in (
        softplus, leaky_relu, elu, log_sigmoid, logit, logaddexp, logaddexp2, xlogy, xlog1py, entr, angle, heaviside,
        sinc, nan_to_num, round_to, nextafter,
    )
}  # fmt: skip
INTRINSICS = {"abs": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc"}
ELEMENTARY = (
    m.exp, m.exp2, m.expm1, m.sigmoid, m.tanh, m.sinh, m.cosh, m.log, m.log1p, m.log2, m.log10, m.erf, m.erfc,
    m.normal_distribution, m.asinh, m.acosh, m.atanh, m.fmod, m.remainder, m.floor_divide, t.sin, t.cos,
    t.tan, t.asin, t.acos, t.atan, t.atan2, t.hypot, special_functions.erfinv,
    special_functions.erfcx, special_functions.log_ndtr, special_functions.gelu_derivative,
    gamma_functions.lgamma, gamma_functions.digamma, gamma_functions.polygamma,
    bessel_functions.i0, bessel_functions.i0e, bessel_functions.i1, bessel_functions.i1e,
)  # fmt: skip
FUNCTIONS: dict[str, Callable] = {
    **ARITHMETIC,
    **COMPARISONS,
    **CHOICES,
    **SHAPES,
    **COMPOSED,
    **{name: partial(unary, intrinsic) for name, intrinsic in INTRINSICS.items()},
    **{each.__name__: each for each in ELEMENTARY},
}


def absent(name: str) -> Exception:
    """Returns AttributeError for dunder names, which Python itself looks up, else Untraceable."""
    return AttributeError(name) if name.endswith("__") else Untraceable(name)


class Arrays:
    """The array language on expressions, as far as kernels support it."""

    def __getattr__(self, name):
        if name not in FUNCTIONS:
            raise absent(f"xp.{name}")
        return FUNCTIONS[name]


ARRAYS = Arrays()


class Numbers:
    """`F.numbers[dtype][2]`: returns the number unchanged."""

    def __getitem__(self, key):
        return key if isinstance(key, int | float) else self


class Operators:
    """The library's operators on expressions: each runs its own declaration."""

    numbers = Numbers()

    def __getattr__(self, name):
        if name in MODULE_OF:
            library.load(MODULE_OF[name])
        op = OPS.get(name)
        if op is None:
            raise absent(f"F.{name}")
        if op.composite:
            return partial(op.forward, self)
        if op.kind != "elementwise":
            raise Untraceable(f"F.{name}")
        return partial(formula_of(op), ARRAYS)


OPERATORS = Operators()


def formula_of(op) -> Callable:
    """Returns the `forward` of a declaration, unwrapped."""
    return getattr(op.forward, "__wrapped__", op.forward)


def forward(op, arguments: dict) -> Value:
    """Returns a declaration's result from its arguments by name."""
    language = OPERATORS if op.composite else ARRAYS
    result = formula_of(op)(language, *in_order(op, arguments), **by_name(op, arguments))
    if not isinstance(result, Value):
        raise Untraceable(f"{op.name} is {result!r}")
    return result


def in_order(op, arguments: dict) -> list:
    return [arguments[a.name] for a in op.arguments if not a.keyword_only]


def by_name(op, arguments: dict) -> dict:
    return {a.name: arguments[a.name] for a in op.arguments if a.keyword_only}


def derivative(op, name: str, inputs: dict, language: Operators = OPERATORS) -> Value:
    """Returns one derivative from its inputs by name."""
    function = op.derivatives[name]
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    if any(n not in inputs for n in names):
        raise Untraceable(f"{op.name}.d_{name} asks for {names}")
    result = function(language, *(inputs[n] for n in names))
    if not isinstance(result, Value) or result.type not in FLOATS:
        raise Untraceable(f"{op.name}.d_{name} is {result!r}")
    return result

"""Declared formulas run on expressions: the two languages of declarations, of values that are not there yet.

`forward(xp, ...)` finds in `Arrays` the functions of the array language that are known here (`FUNCTIONS`);
`d_<input>(F, g, ...)` finds in `Operators` the operators of the library, each of which is its own `forward` again. What
is not known raises `Untraceable`, and NumPy goes on doing that work.
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
    """The larger one, of equal ones the second; NaN if one is."""
    left, right = ir.together(left, right)
    if right.op == "constant" and right.literal == right.literal:
        return where(left <= right, right, left)
    return where(is_nan(left), left, where(left > right, left, right))


def minimum(left, right) -> Value:
    """The smaller one, of equal ones the second; NaN if one is."""
    left, right = ir.together(left, right)
    if right.op == "constant" and right.literal == right.literal:
        return where(left >= right, right, left)
    return where(is_nan(left), left, where(left < right, left, right))


def clip(array, low=None, high=None) -> Value:
    """Between bounds, either of which may be None; where they cross, the upper one wins."""
    raised = array if low is None else maximum(array, low)
    return raised if high is None else minimum(raised, high)


def clip_to_numbers(array, low=None, high=None) -> Value:
    """The same between numbers, of which one asks once whether they are NaN; what equals one stays, -0.0 at 0.0 too."""
    found, numbers = array, [each for each in (low, high) if each is not None]
    if low is not None:
        low, found = ir.together(low, found)
        found = where(low > found, low, found)
    if high is not None:
        high, found = ir.together(high, found)
        found = where(high < found, high, found)
    for each in numbers:
        found = where(is_nan(each), math.nan, found) if isinstance(each, Value) else found
    return found


def sign(array) -> Value:
    """-1, 0 or 1, and 0 for NaN."""
    return where(array > 0, 1.0, where(array < 0, -1.0, 0.0, array.type))


def element(number, dtype):
    """A number as the array's dtype holds it; a parameter of the kernel is of that dtype already."""
    if isinstance(number, Value):
        return number
    found = np.asarray(number).astype(dtype).item()
    if math.isinf(found) and not math.isinf(number):
        raise Untraceable("a number is beyond the dtype")
    return found


def power(base, exponent) -> Value:
    """`base ** exponent`; the powers that NumPy writes as products are products."""
    if isinstance(exponent, Value):
        base, exponent = ir.together(base, exponent)
    if not isinstance(exponent, Value) and exponent in PRODUCTS:
        return PRODUCTS[exponent](base)
    return m.power(*ir.together(base, exponent))


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
    """`log(1 + exp(beta * x)) / beta`; beyond `threshold` the line that it has become."""
    scaled = array * beta
    return where(scaled > threshold, array, m.log1p(m.exp(minimum(scaled, threshold))) / beta)


def leaky_relu(array, slope) -> Value:
    """`x` where it is positive, otherwise `slope * x`."""
    return where(array > 0, array, array * slope)


def elu(array, alpha, scale, input_scale) -> Value:
    """`scale * x` where it is not negative, otherwise `scale * alpha * (exp(input_scale * x) - 1)`."""
    return where(array < 0, m.expm1(minimum(array, 0) * input_scale) * (alpha * scale), array * scale)


def log_sigmoid(array) -> Value:
    """`log(sigmoid(x))`, from the side on which nothing overflows."""
    return minimum(array, 0) - m.log1p(m.exp(-unary("fabs", array)))


def logit(array, eps) -> Value:
    """`log(x / (1 - x))`, of x kept `eps` away from 0 and 1 if that is given."""
    array = array if eps is None else clip(array, eps, 1 - eps)
    return m.log(array / (1 - array))


def logaddexp(first, second) -> Value:
    """`log(exp(first) + exp(second))`; of equal infinities that infinity."""
    large, small = maximum(first, second), minimum(first, second)
    return where(large == small, large + math.log(2), large + m.log1p(m.exp(small - large)))


def xlogy(first, second, log=m.log) -> Value:
    """`first * log(second)`, and 0 where `first` is."""
    first, second = ir.together(first, second)
    return where((first == 0) & ~is_nan(second), 0.0, first * log(second))


def xlog1py(first, second) -> Value:
    """`first * log1p(second)`, and 0 where `first` is."""
    return xlogy(first, second, m.log1p)


def logaddexp2(first, second) -> Value:
    """`log2(2^first + 2^second)`; of equal infinities that infinity."""
    large, small = maximum(first, second), minimum(first, second)
    return where(large == small, large + 1.0, large + m.log1p(m.exp2(small - large)) * (1 / math.log(2)))


def entr(array) -> Value:
    """`-x * log(x)`: 0 at 0, minus infinity below."""
    return where(array == 0, 0.0, where(array < 0, -math.inf, -array * m.log(array)))


def angle(array) -> Value:
    """That of a real number: pi below zero, else 0."""
    return where(is_nan(array), array, where(array < 0, math.pi, 0.0, array.type))


def lerp(start, end, weight) -> Value:
    """The point `weight` of the way from `start` to `end`, computed from the nearer of the two."""
    way = end - start
    return where(unary("fabs", weight) < 0.5, start + weight * way, end - way * (1 - weight))


def heaviside(array, values) -> Value:
    """0 below zero, 1 above, `values` at zero; nan is not above."""
    array, values = ir.together(array, values)
    return where(array == 0, values, ir.cast(array > 0, array.type))


def sinc(array) -> Value:
    """`sin(pi * x) / (pi * x)`, and 1 at zero."""
    turned = where(array == 0, 1.0, array * math.pi)
    return where(array == 0, 1.0, t.sin(turned) / turned)


def largest_in(array) -> float:
    """The largest finite number of the dtype that an operand is stored in."""
    if array.op != "operand":
        raise Untraceable("the limits of a dtype that is not computed in")
    return float(np.finfo(array.dtype).max)


def nan_to_num(array, nan, posinf, neginf) -> Value:
    """The array with numbers in the place of what is not finite: by default 0 and the limits of the dtype."""
    most = largest_in(array) if posinf is None or neginf is None else math.inf
    found = where(is_nan(array), 0.0 if nan is None else nan, array)
    found = where(array == math.inf, most if posinf is None else posinf, found)
    return where(array == -math.inf, -most if neginf is None else neginf, found)


def round_to(array, decimals) -> Value:
    """The nearest number with so many decimals, the even one of two that are equally near."""
    if not isinstance(decimals, int) or abs(decimals) > EXACT_TENS:
        raise Untraceable("a power of ten that is not known, or no float")
    factor = 10.0 ** abs(decimals)
    if decimals < 0:
        return unary("roundeven", array / factor) * factor
    return unary("roundeven", array * factor) / factor


EXACT_TENS = 10  # the powers of ten up to this one are float32


def nextafter(array, other) -> Value:
    """The next floating-point number after x towards another: its bits are those of x, one more or one less."""
    array, other = ir.together(array, other)
    type, whole = array.type, ir.bits(array)
    outward = ~((other > array) ^ (array > 0))
    found = ir.bits(where(outward, ir.integer("add", whole, 1), ir.integer("sub", whole, 1)))
    found = where(array == 0, ir.copysign(ir.bits(array.trace.constant(1, ir.BITS[type])), other), found)
    found = where(array == other, other, found)
    return where(is_nan(array) | is_nan(other), math.nan, found)


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
    """Python's own questions, such as that for `__wrapped__`, are no part of a formula and are answered as ever."""
    return AttributeError(name) if name.endswith("__") else Untraceable(name)


class Arrays:
    """The array language on expressions, as far as kernels go."""

    def __getattr__(self, name):
        if name not in FUNCTIONS:
            raise absent(f"xp.{name}")
        return FUNCTIONS[name]


ARRAYS = Arrays()


class Numbers:
    """`F.numbers[dtype][2]`: beside an expression a number is a number."""

    def __getitem__(self, key):
        return key if isinstance(key, int | float) else self


class Operators:
    """The library's operators on expressions: each is its own declaration."""

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
    """The `forward` of a declaration, also where a kernel stands before it."""
    return getattr(op.forward, "__wrapped__", op.forward)


def forward(op, arguments: dict) -> Value:
    """A declaration's result, from its arguments by name."""
    language = OPERATORS if op.composite else ARRAYS
    found = formula_of(op)(language, *in_order(op, arguments), **by_name(op, arguments))
    if not isinstance(found, Value):
        raise Untraceable(f"{op.name} is {found!r}")
    return found


def in_order(op, arguments: dict) -> list:
    return [arguments[each.name] for each in op.arguments if not each.keyword_only]


def by_name(op, arguments: dict) -> dict:
    return {each.name: arguments[each.name] for each in op.arguments if each.keyword_only}


def derivative(op, name: str, known: dict, language: Operators = OPERATORS) -> Value:
    """One derivative, from what it asks for by name."""
    function = op.derivatives[name]
    asked = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    if any(each not in known for each in asked):
        raise Untraceable(f"{op.name}.d_{name} asks for {asked}")
    found = function(language, *(known[each] for each in asked))
    if not isinstance(found, Value) or found.type not in FLOATS:
        raise Untraceable(f"{op.name}.d_{name} is {found!r}")
    return found

"""What the CPU's kernels leave to the C library, for GPUs, which have none: large angles, `fmod`, `lgamma`.

Each is a function of float64 in the module that calls it. Angles are reduced exactly (Payne and Hanek, 1983): of 2 / pi
only the bits are multiplied that a multiple of 4 does not hide.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from rushlight.lower import elementary as m
from rushlight.lower import gamma_functions as g
from rushlight.lower import trigonometry as t
from rushlight.lower.emit import Body
from rushlight.lower.ir import (
    F64,
    I64,
    Trace,
    Value,
    bits,
    cast,
    fma,
    integer,
    is_nan,
    library,
    same,
    unary,
    where,
)

OWN = "own."  # prefix of the functions' symbols
WIDE = "i128"
WORDS = 24  # of 64 bits of 2 / pi, the first of them zeros; float64 needs 20
FRACTION = (1 << 52) - 1


# ---- large angles


@functools.cache
def two_over_pi() -> list[int]:
    """Returns 2 / pi in words of 64 bits after a word of zeros: by Machin's formula for pi."""
    guard = 64
    one = 1 << (64 * WORDS + guard)

    def arctan_of_inverse(x: int) -> int:
        total, power, k = 0, one // x, 0
        while power:
            total += (-power if k % 2 else power) // (2 * k + 1)
            power, k = power // (x * x), k + 1
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    number = ((2 * one * one) // pi) >> guard
    return [0] + [number >> (64 * (WORDS - 1 - k)) & (2**64 - 1) for k in range(WORDS - 1)]


def reduced_large_angle(x) -> tuple[Value, Value, Value]:
    """Returns the quadrant of a positive angle from 2**20 on, and the rest in [-pi/4, pi/4] in two parts."""
    whole = bits(x)
    position = integer("add", integer("lshr", whole, 52), 62 - 1075)  # of the first bit that counts
    mantissa = zext(integer("or", integer("and", whole, FRACTION), FRACTION + 1), WIDE)
    high, middle, low = (zext(window(position, k), WIDE) for k in range(3))
    # A product of 192 bits, without the last 64 and without what is a multiple of 4: 2 bits before the point.
    product = integer("add", integer("shl", integer("mul", mantissa, high), 64), integer("mul", mantissa, middle))
    product = integer("add", product, integer("lshr", integer("mul", mantissa, low), 64))
    top = product.trace.value("trunc", I64, integer("lshr", product, 64))
    rest = product.trace.value("trunc", I64, product)
    signed = integer("or", integer("shl", top, 2), integer("lshr", rest, 62))  # the fraction: 64 bits and 62 more
    beneath = integer("shl", rest, 2)
    quadrant = integer("add", integer("lshr", top, 62), integer("lshr", signed, 63))
    most = cast(integer("and", signed, -2048), F64) * 2.0**-64
    little = integer("or", integer("shl", integer("and", signed, 2047), 52), integer("lshr", beneath, 12))
    fraction, error = m.two_sum(most, cast(little, F64) * 2.0**-116)
    first, second, _ = t.HALF_PI[F64]
    r = fraction * first
    return quadrant, r, fma(fraction, first, -r) + fma(fraction, second, error * first)


def window(position, k: int) -> Value:
    """Returns 64 bits of 2 / pi from a position on, the k-th such word."""
    word, shift = integer("add", integer("lshr", position, 6), k), integer("and", position, 63)
    before, after = library("word", word), library("word", integer("add", word, 1))
    past = integer("lshr", integer("lshr", after, 1), integer("sub", position.trace.constant(63, I64), shift))
    return integer("or", integer("shl", before, shift), past)


def zext(value, type: str) -> Value:
    return value.trace.value("zext", type, value)


def parts(x) -> tuple[Value, tuple, tuple]:
    """Returns the quadrant of an angle's size, and sine and cosine of the rest, each with its error."""
    quadrant, r, rest = reduced_large_angle(unary("fabs", x))
    return quadrant, *t.exact_sin_and_cos(r, rest)


def finite(x, value) -> Value:
    return where(unary("fabs", x) < math.inf, value, math.nan)


def large_sin(x) -> Value:
    quadrant, (sine, _), (cosine, _) = parts(x)
    value = where(t.is_odd(quadrant), cosine, sine)
    value = t.negated_if(same(integer("and", quadrant, 2), 2), value)
    return finite(x, t.negated_if(x < 0, value))


def large_cos(x) -> Value:
    quadrant, (sine, _), (cosine, _) = parts(x)
    value = where(t.is_odd(quadrant), sine, cosine)
    return finite(x, t.negated_if(same(integer("and", integer("add", quadrant, 1), 2), 2), value))


def large_tan(x) -> Value:
    quadrant, (sine, sine_rest), (cosine, cosine_rest) = parts(x)
    odd = t.is_odd(quadrant)
    above, below = where(odd, -cosine, sine), where(odd, sine, cosine)
    value = above / below
    error = where(odd, -cosine_rest, sine_rest) - value * where(odd, sine_rest, cosine_rest)
    value = value + (fma(-value, below, above) + error) / below
    return finite(x, t.negated_if(x < 0, value))


# ---- log-gamma


def far_lgamma(x) -> Value:
    """Returns log(|gamma(x)|) where its kernel has no formula: by reflection below -3/2, where it is right to 2 units
    of its largest term, and so not near its zeros; at the extremes by the logarithm.
    """
    size = unary("fabs", x)
    tiny = size < 2.0**-500
    between = where(tiny | ~(size < 1e305), 2.0, size)
    usual = g.lgamma_in_parts(between).args[1]  # without its rare alternative, which is this function
    distance = g.sine(x)[0]  # |sin(pi x)| / pi
    reflected = -m.log(between * distance) - usual
    huge = size * (m.log(where(tiny, 1.0, size)) - 1.0)
    value = where(x < 0, where(distance == 0, math.inf, reflected), usual)
    value = where(size < 1e305, value, where(x < 0, math.inf, huge))
    value = where(tiny, -m.log(size), value)
    return where(is_nan(x), x, where(size == math.inf, math.inf, value))


# ---- the text

# The remainder of integers, which have 53 bits: eleven bits of the quotient in one step.
FMOD = f"""
define internal double @{OWN}fmod(double %x, double %y) nounwind noinline {{
entry:
  %x.bits = bitcast double %x to i64
  %y.bits = bitcast double %y to i64
  %a = and i64 %x.bits, {2**63 - 1}
  %b = and i64 %y.bits, {2**63 - 1}
  %nothing = icmp eq i64 %b, 0
  %endless = icmp uge i64 %a, {0x7FF << 52}
  %no.number = icmp ugt i64 %b, {0x7FF << 52}
  %bad.x = or i1 %nothing, %endless
  %bad = or i1 %bad.x, %no.number
  br i1 %bad, label %none, label %some
none:
  ret double {{nan}}
some:
  %smaller = icmp ult i64 %a, %b
  br i1 %smaller, label %kept, label %begin
kept:
  ret double %x
begin:
  %a.raised = lshr i64 %a, 52
  %b.raised = lshr i64 %b, 52
  %a.normal = icmp ne i64 %a.raised, 0
  %b.normal = icmp ne i64 %b.raised, 0
  %a.low = and i64 %a, {FRACTION}
  %b.low = and i64 %b, {FRACTION}
  %a.full = or i64 %a.low, {FRACTION + 1}
  %b.full = or i64 %b.low, {FRACTION + 1}
  %a.whole = select i1 %a.normal, i64 %a.full, i64 %a.low
  %b.whole = select i1 %b.normal, i64 %b.full, i64 %b.low
  %a.power = select i1 %a.normal, i64 %a.raised, i64 1
  %b.power = select i1 %b.normal, i64 %b.raised, i64 1
  %powers = sub i64 %a.power, %b.power
  %start = urem i64 %a.whole, %b.whole
  br label %test
test:
  %rest = phi i64 [%start, %begin], [%rest.next, %step]
  %left = phi i64 [%powers, %begin], [%left.next, %step]
  %more = icmp ne i64 %left, 0
  br i1 %more, label %step, label %end
step:
  %few = icmp ult i64 %left, 11
  %now = select i1 %few, i64 %left, i64 11
  %moved = shl i64 %rest, %now
  %rest.next = urem i64 %moved, %b.whole
  %left.next = sub i64 %left, %now
  br label %test
end:
  %zeros = call i64 @llvm.ctlz.i64(i64 %rest, i1 false)
  %wanted = sub i64 %zeros, 11
  %room = sub i64 %b.power, 1
  %enough = icmp ult i64 %wanted, %room
  %shift = select i1 %enough, i64 %wanted, i64 %room
  %up = shl i64 %rest, %shift
  %power = sub i64 %b.power, %shift
  %has.one = icmp ugt i64 %up, {FRACTION}
  %power.stored = select i1 %has.one, i64 %power, i64 0
  %high = shl i64 %power.stored, 52
  %low = and i64 %up, {FRACTION}
  %found = or i64 %high, %low
  %zero = icmp eq i64 %rest, 0
  %size = select i1 %zero, i64 0, i64 %found
  %sign = and i64 %x.bits, {-(2**63)}
  %result = or i64 %size, %sign
  %value = bitcast i64 %result to double
  ret double %value
}}
declare i64 @llvm.ctlz.i64(i64, i1)
""".replace("{nan}", "0x7FF8000000000000")
# A small angle has no place in the table; it is computed too where another element of a formula is a rare one.
WORD = """
@own.words = internal constant [{count} x i64] [{words}]
define internal i64 @own.word(i64 %index) nounwind noinline {{
entry:
  %inside = icmp ult i64 %index, {count}
  %safe = select i1 %inside, i64 %index, i64 0
  %at = getelementptr i64, ptr @own.words, i64 %safe
  %word = load i64, ptr %at
  ret i64 %word
}}
"""
FORMULAS: dict[str, Callable[[Value], Value]] = {
    "sin": large_sin,
    "cos": large_cos,
    "tan": large_tan,
    "lgamma": far_lgamma,
}


@functools.cache
def defined(name: str) -> tuple[str, dict[str, str]]:
    """Returns the text of a function, and what it declares or calls."""
    if name == "fmod":
        return FMOD, {}
    if name == "word":
        return WORD.format(count=WORDS, words=", ".join(f"i64 {word}" for word in two_over_pi())), {}
    trace = Trace(scales=False)
    x = trace.operand(0, F64)
    body = Body("v", library=OWN)
    body.known(x, "%x")
    (result,) = body.compute([FORMULAS[name](x)])
    lines = "\n  ".join(body.lines)
    text = (
        f"define internal double @{OWN}{name}(double %x) nounwind noinline {{\n  {lines}\n  ret double {result}\n}}\n"
    )
    return text, dict(body.declared)


def provided(declared: dict[str, str]) -> tuple[list[str], str]:
    """Returns the declarations that are not of this library, and the text of the functions that are."""
    texts: dict[str, str] = {}
    others: dict[str, str] = {}
    pending = list(declared.items())
    while pending:
        name, declaration = pending.pop()
        if not name.startswith(OWN):
            others[name] = declaration
        elif name not in texts:
            texts[name], needed = defined(name.removeprefix(OWN))
            pending += needed.items()
    return list(others.values()), "".join(texts.values())

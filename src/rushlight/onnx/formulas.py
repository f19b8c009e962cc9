"""Elementary and other functions of elements of which ONNX has no operator: formulas of those that it has."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rushlight.onnx.elements import (
    absolute,
    add,
    astype,
    binary,
    clip,
    constant,
    divide,
    equal,
    greater,
    is_finite,
    is_float,
    is_inf,
    is_nan,
    less,
    less_equal,
    logical,
    logical_not,
    maximum,
    minimum,
    multiply,
    negative,
    operands,
    signbit,
    subtract,
    unary,
    where,
)
from rushlight.onnx.writer import Value


def exp2(a) -> Value:
    return binary("Pow", constant(a, 2), a)


def expm1(a) -> Value:
    """Returns `exp(a) - 1`, also near 0: `tanh(a / 2) * (exp(a) + 1)`."""
    return multiply(unary("Tanh", divide(a, 2)), add(unary("Exp", a), 1))


def log1p(a) -> Value:
    """Returns `log(1 + a)`, also near 0: the error of `1 + a` is divided out."""
    total = add(a, 1)
    ratio = divide(multiply(unary("Log", total), a), subtract(total, 1))
    far = logical("Or", equal(total, math.inf), equal(total, 0))
    return where(equal(total, 1), a, where(far, unary("Log", total), ratio))


def log_of(base: float) -> Callable:
    return lambda a: divide(unary("Log", a), math.log(base))


def erfc(a) -> Value:
    return subtract(1, unary("Erf", a))


def normal_distribution(a) -> Value:
    return multiply(add(unary("Erf", multiply(a, math.sqrt(0.5))), 1), 0.5)


def atan2(a, b) -> Value:
    """Returns the angle of the point (b, a)."""
    writer, (a, b) = operands(a, b)
    turn = where(signbit(a), constant(a, -math.pi), constant(a, math.pi))
    inner = where(less(b, 0), add(unary("Atan", divide(a, b)), turn), unary("Atan", divide(a, b)))
    on_axis = where(equal(a, 0), where(signbit(b), turn, a), divide(turn, 2))
    unlimited = where(less(b, 0), multiply(turn, 0.75), divide(turn, 4))
    inner = where(logical("And", is_inf(a), is_inf(b)), unlimited, inner)
    return where(equal(b, 0), on_axis, inner)


def hypot(a, b) -> Value:
    writer, (a, b) = operands(a, b)
    return unary("Sqrt", add(multiply(a, a), multiply(b, b)))


def logaddexp(a, b) -> Value:
    large, small = maximum(a, b), minimum(a, b)
    return where(equal(large, small), add(large, math.log(2)), add(large, log1p(unary("Exp", subtract(small, large)))))


def logaddexp2(a, b) -> Value:
    large, small = maximum(a, b), minimum(a, b)
    more = divide(log1p(exp2(subtract(small, large))), math.log(2))
    return where(equal(large, small), add(large, 1), add(large, more))


def log(a) -> Value:
    return unary("Log", a)


def xlogy(a, b, log: Callable = log) -> Value:
    writer, (a, b) = operands(a, b)
    return where(logical("And", equal(a, 0), logical_not(is_nan(b))), constant(a, 0), multiply(a, log(b)))


def sinc(a) -> Value:
    scaled = where(equal(a, 0), constant(a, 1), multiply(a, math.pi))
    return where(equal(a, 0), constant(a, 1), divide(unary("Sin", scaled), scaled))


def logit(a, eps) -> Value:
    a = a if eps is None else clip(a, eps, 1 - eps)
    return unary("Log", divide(a, subtract(1, a)))


def softplus(a, beta, threshold) -> Value:
    scaled = multiply(a, beta)
    return where(greater(scaled, threshold), a, divide(log1p(unary("Exp", minimum(scaled, threshold))), beta))


def leaky_relu(a, slope) -> Value:
    return where(greater(a, 0), a, multiply(a, slope))


def elu(a, alpha, scale, input_scale) -> Value:
    low = multiply(expm1(multiply(minimum(a, 0), input_scale)), alpha * scale)
    return where(less(a, 0), low, multiply(a, scale))


def log_sigmoid(a) -> Value:
    return subtract(minimum(a, 0), log1p(unary("Exp", negative(absolute(a)))))


def entr(a) -> Value:
    inner = negative(multiply(a, unary("Log", a)))
    return where(equal(a, 0), constant(a, 0), where(less(a, 0), constant(a, -math.inf), inner))


def angle(a) -> Value:
    if not is_float(a):
        a = astype(a, np.float32)
    return where(is_nan(a), a, where(less(a, 0), constant(a, math.pi), constant(a, 0)))


def heaviside(a, values) -> Value:
    writer, (a, values) = operands(a, values)
    return where(equal(a, 0), values, astype(greater(a, 0), a.dtype))


def nan_to_num(a, nan, posinf, neginf) -> Value:
    if not is_float(a):
        return a
    most = float(np.finfo(a.dtype).max)
    result = where(is_nan(a), constant(a, 0.0 if nan is None else nan), a)
    result = where(equal(result, math.inf), constant(a, most if posinf is None else posinf), result)
    return where(equal(result, -math.inf), constant(a, -most if neginf is None else neginf), result)


def lerp(start, end, weight) -> Value:
    """Interpolates from `start` to `end`, from the nearer of the two."""
    difference = subtract(end, start)
    weight = constant(difference, weight)
    near = add(start, multiply(weight, difference))
    return where(less(absolute(weight), 0.5), near, subtract(end, multiply(difference, subtract(1, weight))))


def is_close(a, b, rtol, atol, equal_nan) -> Value:
    writer, (a, b) = operands(a, b)
    same_ = equal(a, b)
    if is_float(a):
        near = less_equal(absolute(subtract(a, b)), add(multiply(absolute(b), rtol), atol))
        same_ = logical("Or", same_, logical("And", near, logical("And", is_finite(a), is_finite(b))))
        if equal_nan:
            same_ = logical("Or", same_, logical("And", is_nan(a), is_nan(b)))
    elif rtol or atol:
        far = astype(absolute(subtract(a, b)), np.float64)
        same_ = logical("Or", same_, less_equal(far, add(multiply(astype(absolute(b), np.float64), rtol), atol)))
    return same_

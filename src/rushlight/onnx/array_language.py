"""The array language of declarations as ONNX operators: each of its functions on elements, by name.

The formula of an elementwise declaration, `forward(xp, ...)`, runs with `ARRAYS` as its language and writes nodes. An
operator that is composed of these functions needs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rushlight.onnx.elements import (
    add,
    astype,
    bits,
    ceil,
    clip,
    constant,
    copysign,
    divide,
    element,
    equal,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    greater,
    greater_equal,
    invert,
    is_finite,
    is_inf,
    is_nan,
    less,
    less_equal,
    logical,
    logical_not,
    maximum,
    mean,
    minimum,
    multiply,
    negative,
    not_equal,
    power,
    remainder,
    round_to,
    shift,
    signbit,
    subtract,
    total,
    trunc,
    truncated_divide,
    unary,
    where,
)
from rushlight.onnx.formulas import (
    angle,
    atan2,
    elu,
    entr,
    erfc,
    exp2,
    expm1,
    heaviside,
    hypot,
    is_close,
    leaky_relu,
    lerp,
    log1p,
    log_of,
    log_sigmoid,
    logaddexp,
    logaddexp2,
    logit,
    nan_to_num,
    normal_distribution,
    sinc,
    softplus,
    xlogy,
)
from rushlight.onnx.writer import OPERATORS, Refused, Value


def expand_like(array: Value, number) -> Value:
    """Returns a tensor of an array's shape, filled with a number or a 0-d tensor."""
    return array.writer.expand(constant(array, number), array.shape)


DIRECT = {
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "sigmoid": "Sigmoid", "erf": "Erf", "abs": "Abs", "negative": "Neg",
    "sign": "Sign",
}  # fmt: skip
FUNCTIONS: dict[str, Callable] = {
    **{name: partial(unary, kind) for name, kind in DIRECT.items()},
    "add": add, "subtract": subtract, "multiply": multiply, "divide": divide, "power": power,
    "add_multiple": lambda a, b, factor: add(a, multiply(b, factor)),
    "subtract_multiple": lambda a, b, factor: subtract(a, multiply(b, factor)),
    "reciprocal": lambda a: divide(1, a), "factor_for": lambda array, factor: factor, "lerp": lerp,
    "less": less, "less_equal": less_equal, "greater": greater, "greater_equal": greater_equal, "equal": equal,
    "not_equal": not_equal, "logical_and": partial(logical, "And"), "logical_or": partial(logical, "Or"),
    "logical_xor": partial(logical, "Xor"), "logical_not": logical_not, "isnan": is_nan, "isinf": is_inf,
    "isfinite": is_finite, "isclose": is_close, "where": where, "maximum": maximum, "minimum": minimum,
    "clip": clip, "clip_to_numbers": clip, "fmax": fmax, "fmin": fmin, "copysign": copysign, "signbit": signbit,
    "conj": lambda array: array, "astype": astype, "element": element,
    "fitting": element, "copy": lambda array: array, "zeros_like": lambda array: expand_like(array, 0),
    "full_like": expand_like,
    "trunc": trunc, "floor": floor, "ceil": ceil, "fmod": fmod, "remainder": remainder,
    "floor_divide": floor_divide, "truncated_divide": truncated_divide, "round_to": round_to,
    "bitwise_and": partial(bits, "BitwiseAnd", "And"), "bitwise_or": partial(bits, "BitwiseOr", "Or"),
    "bitwise_xor": partial(bits, "BitwiseXor", "Xor"), "invert": invert,
    "left_shift": partial(shift, left=True), "right_shift": partial(shift, left=False),
    "exp2": exp2, "expm1": expm1, "log1p": log1p, "log2": log_of(2), "log10": log_of(10), "erfc": erfc,
    "normal_distribution": normal_distribution, "atan2": atan2, "hypot": hypot, "logaddexp": logaddexp,
    "logaddexp2": logaddexp2, "xlogy": xlogy, "xlog1py": partial(xlogy, log=log1p), "sinc": sinc, "logit": logit,
    "softplus": softplus, "leaky_relu": leaky_relu, "elu": elu, "log_sigmoid": log_sigmoid, "entr": entr,
    "angle": angle, "heaviside": heaviside, "nan_to_num": nan_to_num,
    "ldexp": lambda a, b: multiply(a, exp2(astype(b, a.dtype))),
    "total": total, "mean": mean, "largest_in": lambda array: float(np.finfo(array.dtype).max),
}  # fmt: skip


class Arrays:
    """The array language, as far as ONNX has it."""

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in FUNCTIONS:
            raise Refused(f"no operators of ONNX are known for {name}")
        return FUNCTIONS[name]


ARRAYS = Arrays()


OPERATORS.update(
    {
        "add": add, "sub": subtract, "mul": multiply, "truediv": divide, "floordiv": floor_divide, "mod": remainder,
        "pow": power, "and": FUNCTIONS["bitwise_and"], "or": FUNCTIONS["bitwise_or"], "xor": FUNCTIONS["bitwise_xor"],
        "eq": equal, "ne": not_equal, "lt": less, "le": less_equal, "gt": greater, "ge": greater_equal,
        "neg": negative, "invert": invert,
    }
)  # fmt: skip

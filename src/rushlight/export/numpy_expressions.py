"""Each operator as a NumPy expression in exported files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rushlight.core.dtype import dtype
from rushlight.core.tensor import Tensor
from rushlight.export.batches import Filled, Times
from rushlight.export.tracing import Call, Name


class Unspelled(Exception):
    """A call has no expression."""


# Templates with positional arguments, in the order of the declaration.
OF_ONE = "exp log sqrt abs sin cos tanh log1p expm1 floor ceil square sign reciprocal logical_not isnan".split()
OF_TWO = "maximum minimum logical_and logical_or".split()
OPERATORS = {
    "mul": "*", "div": "/", "true_divide": "/", "pow": "**", "matmul": "@", "mm": "@", "bmm": "@", "mv": "@",
    "dot": "@", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "bitwise_and": "&",
    "bitwise_or": "|", "floor_divide": "//", "remainder": "%",
}  # fmt: skip
TEMPLATES = {
    **{name: f"np.{name}({{0}})" for name in OF_ONE},
    **{name: f"np.{name}({{0}}, {{1}})" for name in OF_TWO},
    **{name: f"{{0}} {sign} {{1}}" for name, sign in OPERATORS.items()},
    "neg": "-{0}", "rsqrt": "1 / np.sqrt({0})", "bitwise_not": "~{0}", "rpow": "{1} ** {0}", "rdiv": "{1} / {0}",
    "relu": "np.maximum({0}, 0)", "relu6": "np.clip({0}, 0, 6)", "sigmoid": "sigmoid({0})", "erf": "erf({0})",
    "silu": "{0} * sigmoid({0})", "gelu": "gelu({0}, {1})", "softplus": "softplus({0}, {1}, {2})",
    "elu": "elu({0}, {1}, {2}, {3})", "hardtanh": "np.clip({0}, {1}, {2})",
    "leaky_relu": "np.where({0} > 0, {0}, {0} * {1})", "hardswish": "{0} * np.clip({0} + 3, 0, 6) / 6",
    "hardsigmoid": "np.clip({0} + 3, 0, 6) / 6", "mish": "{0} * np.tanh(np.logaddexp(0, {0}))",
    "clamp": "np.clip({0}, {1}, {2})", "clamp_min": "np.maximum({0}, {1})", "clamp_max": "np.minimum({0}, {1})",
    "softmax": "softmax({0}, {1})", "safe_softmax": "softmax({0}, {1})", "log_softmax": "log_softmax({0}, {1})",
    "choose": "np.where({0}, {1}, {2})", "where": "np.where({0}, {1}, {2})",
    "masked_fill": "np.where({1}, {2}, {0})", "tril": "np.tril({0}, {1})", "triu": "np.triu({0}, {1})",
    "transpose": "np.swapaxes({0}, {1}, {2})", "permute": "np.transpose({0}, {1})", "t": "{0}.T",
    "movedim": "np.moveaxis({0}, {1}, {2})", "unsqueeze": "np.expand_dims({0}, {1})",
    "squeeze": "np.squeeze({0}, {1})", "view": "{0}.reshape({1})", "reshape": "{0}.reshape({1})",
    "unsafe_view": "{0}.reshape({1})", "expand_as": "np.broadcast_to({0}, {1}.shape)", "repeat": "np.tile({0}, {1})",
    "clone": "{0}", "contiguous": "{0}", "detach": "{0}", "dropout": "{0}", "alias": "{0}",
    "joined": "np.concatenate({0}, {1})", "cat": "np.concatenate({0}, {1})", "stacked": "np.stack({0}, {1})",
    "stack": "np.stack({0}, {1})", "unbind": "[*np.moveaxis({0}, {1}, 0)]", "cumsum": "np.cumsum({0}, {1})",
    "new_zeros_of": "np.zeros({1}, {0}.dtype)", "zeros_like": "np.zeros_like({0})", "ones_like": "np.ones_like({0})",
    "embedding": "{0}[{1}]", "to_copy": "{0}.astype({1})", "prelu": "np.where({0} > 0, {0}, {0} * {1})",
    "native_layer_normalization": "layer_norm({0}, {1}, {2}, {3}, {4})",
    "native_group_normalization": "group_norm({0}, {1}, {2}, {3}, {4})",
    "attention": "attention({0}, {1}, {2}, {3}, {4}, {5})",
    "ones_at": "np.eye({1}, dtype=int)[{0}]", "rsub": "{1} - {0}",
    "linalg_vector_norm": "np.linalg.norm({0}, {1}, {2}, {3})",
}  # fmt: skip
# Number of results that the expression returns.
RESULTS = {"max_pool": 1, "attention": 1, "lstm_layer": 3, "gru_layer": 2, "rnn_layer": 2}


def spelled(call: Call, constant: Callable[[Tensor], str]) -> str:
    """Returns the expression of a call; `constant` names a tensor that is not a variable.

    Raises Unspelled if there is none.
    """
    texts = [text(argument, constant) for argument in call.arguments]
    op = call.op if call.op.endswith("__") else call.op.removesuffix("_")  # an in-place call makes a new variable
    if op in SPECIAL:
        return SPECIAL[op](call, *texts)
    if op not in TEMPLATES:
        raise Unspelled
    if op in OPERATORS:
        texts = [f"({x})" if x.startswith("-") else x for x in texts]
    return TEMPLATES[op].format(*texts)


def text(value, constant: Callable[[Tensor], str]) -> str:
    """Returns a value as Python source."""
    match value:
        case Name(found):
            return found
        case Times(factor):
            return "batch" if factor == 1 else f"{factor} * batch"
        case Filled(shape, number, kind):
            return f"np.full({text(shape, constant)}, {text(number, constant)}, np.{kind})"
        case Tensor():
            return constant(value)
        case tuple():
            inside = ", ".join(text(x, constant) for x in value)
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        case list():
            return f"[{', '.join(text(x, constant) for x in value)}]"
        case dict():
            return "{" + ", ".join(f"{key!r}: {text(value, constant)}" for key, value in value.items()) + "}"
        case np.dtype() | dtype():
            return f"np.{str(value).removeprefix('torch.')}"
        case float() if not np.isfinite(value):
            return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}[str(value)]
        case slice():
            bounds = ["" if x is None else text(x, constant) for x in (value.start, value.stop, value.step)]
            return ":".join(bounds if bounds[2] else bounds[:2])
    if value is Ellipsis:
        return "..."
    return repr(value)


# ---- expressions that depend on arguments

Special = Callable[..., str]


def affine(call: Call, x, one, other, beta, alpha, flipped) -> str:
    only_if(beta == alpha == "1")
    return f"{one} @ {other}{'.T' if flipped == 'True' else ''} + {x}"


def with_factor(sign: str) -> Special:
    def spell(call: Call, x, other, alpha) -> str:
        return f"{x} {sign} {other}" if alpha == "1" else f"{x} {sign} {alpha} * {other}"

    return spell


def getitem(call: Call, x, index) -> str:
    places = call.arguments[1]
    return f"{x}[{index[1:-1].removesuffix(',') if isinstance(places, tuple) and places else index}]"


def flatten(call: Call, x, start, end) -> str:
    first, last = call.arguments[1:]
    after = "" if last == -1 else f", *{x}.shape[{last + 1}:]"
    return f"{x}.reshape({f'*{x}.shape[:{first}], ' if first else ''}-1{after})"


def unflatten(call: Call, x, dim, sizes) -> str:
    at = call.arguments[1]
    after = "" if at == -1 else f", *{x}.shape[{at + 1}:]"
    return f"{x}.reshape(*{x}.shape[:{at}], {sizes[1:-1]}{after})"


def expand(call: Call, x, sizes, *_) -> str:
    wanted = call.arguments[1]
    sizes_ = [f"{x}.shape[{at - len(wanted)}]" if item == -1 else text(item, str) for at, item in enumerate(wanted)]
    return f"np.broadcast_to({x}, ({', '.join(sizes_)},))"


def split(call: Call, x, sizes, dim) -> str:
    wanted = call.arguments[1]
    if isinstance(wanted, tuple | list):
        return f"np.split({x}, {np.cumsum(wanted)[:-1].tolist()}, {dim})"
    return f"np.split({x}, {len(call.results)}, {dim})"


def reduced(name: str) -> Special:
    def spell(call: Call, x, dim, keepdim="False", kind="None") -> str:
        only_if(kind == "None")
        axis = [] if dim in ("None", "()") else [dim]
        return f"{x}.{name}({', '.join([*axis, *(['keepdims=True'] if keepdim == 'True' else [])])})"

    return spell


def extreme(name: str) -> Special:
    def spell(call: Call, x, dim, keepdim, other="None") -> str:
        only_if(other == "None")
        whole = reduced(name)(call, x, dim, keepdim)
        return f"({whole}, {reduced(f'arg{name}')(call, x, dim, keepdim)})" if len(call.results) == 2 else whole

    return spell


def spread(name: str) -> Special:
    def spell(call: Call, x, dim, unbiased, keepdim, correction) -> str:
        ddof = int(unbiased == "True") if correction == "None" else correction
        axis = "" if dim == "None" else f"{dim}, "
        return f"{x}.{name}({axis}ddof={ddof}, keepdims={keepdim})"

    return spell


def convolve(call: Call, x, weight, bias, stride, padding, dilation, transposed, _, groups) -> str:
    only_if(transposed == "False")
    return f"convolve({x}, {weight}, {bias}, {stride}, {padding}, {dilation}, {groups})"


def batch_norm(call: Call, x, weight, bias, mean, variance, training, momentum, eps, _) -> str:
    only_if(training == "False")
    return f"batch_norm({x}, {weight}, {bias}, {mean}, {variance}, {eps})"


def max_pool(call: Call, x, kernel, stride, padding, dilation, ceil) -> str:
    only_if(ceil == "False")
    return f"max_pool({x}, {kernel}, {stride}, {padding}, {dilation})"


def avg_pool(call: Call, x, kernel, stride, padding, ceil, with_padding, divisor) -> str:
    only_if(ceil == "False" and divisor == "None" and (with_padding == "True" or not any(call.arguments[3])))
    return f"avg_pool({x}, {kernel}, {stride}, {padding})"


def constant_pad(call: Call, x, pad, value) -> str:
    widths = call.arguments[1]
    pairs = list(zip(widths[::2], widths[1::2], strict=True))[::-1]
    return f"np.pad({x}, [(0, 0)] * ({x}.ndim - {len(pairs)}) + {pairs}, constant_values={value})"


def recurrent(name: str, sizes: int) -> Special:
    """Returns a recurrent layer over sequences of one length; `sizes` is the index of the batch sizes argument."""

    def spell(call: Call, *texts) -> str:
        steps = call.arguments[sizes]
        only_if(len(set(steps)) == 1)
        arguments = [*texts[:sizes], str(len(steps)), *texts[sizes + 1 :]]
        if name == "lstm":
            only_if(arguments.pop(5) == "None")  # no projection
        return f"{name}({', '.join(arguments)})"

    return spell


def only_if(condition: bool) -> None:
    if not condition:
        raise Unspelled


SPECIAL: dict[str, Special] = {
    "affine": affine, "add": with_factor("+"), "sub": with_factor("-"), "getitem": getitem, "flatten": flatten,
    "unflatten": unflatten, "expand": expand, "split": split, "chunk": split, "max": extreme("max"),
    "min": extreme("min"), "var": spread("var"), "std": spread("std"), "convolve": convolve,
    "native_batch_normalization": batch_norm, "max_pool": max_pool, "max_pool_values": max_pool, "avg_pool": avg_pool,
    "constant_pad_nd": constant_pad, "lstm_layer": recurrent("lstm", 8), "gru_layer": recurrent("gru", 6),
    "rnn_layer": recurrent("rnn", 7), "amax": reduced("max"), "amin": reduced("min"),
    **{name: reduced(name) for name in ("sum", "mean", "prod", "any", "all", "argmax", "argmin")},
}  # fmt: skip

"""PyTorch's operators for rushlight's primitives, forward and backward, from shapes: for counting FLOPs.

A linear layer is one primitive, `affine`; PyTorch calls `aten.addmm` for it, and in its backward `aten.mm` for each
operand that needs a gradient. Derivatives are formulas on arrays here, not calls: so the count of a backward pass is
computed from the node when its backward runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rushlight.core.size import Size
from rushlight.core.tensor import Tensor


class Call(NamedTuple):
    """A call of a PyTorch operator: its name, its arguments and its result, as tensors or shapes."""

    name: str
    arguments: tuple
    result: Any


def shape(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) else value


def swapped(value: Any) -> Size:
    """Returns the shape of a matrix, or batch of matrices, transposed."""
    *leading, rows, columns = shape(value)
    return Size((*leading, columns, rows))


def product(name: str, left: Any, right: Any, needed: tuple, out: Any) -> list[Call]:
    """Returns the calls for the gradients of a matrix product: one product per factor that needs a gradient."""
    grad = shape(out)
    of_left = Call(name, (grad, swapped(right)), shape(left))
    of_right = Call(name, (swapped(left), grad), shape(right))
    return [call for call, is_needed in zip((of_left, of_right), needed, strict=True) if is_needed]


# ---- forward: the calls of a primitive with these arguments and this result


def matrices(name: str, args: dict, out: Any) -> list[Call]:
    return [Call(name, (args["input"], args["mat2"]), out)]


def affine(args: dict, out: Any) -> list[Call]:
    right = swapped(args["mat2"]) if args["flipped"] else args["mat2"]
    return [Call("addmm", (args["input"], args["mat1"], right), out)]


def baddbmm(args: dict, out: Any) -> list[Call]:
    return [Call("baddbmm", (args["input"], args["batch1"], args["batch2"]), out)]


CONVOLUTION = "input weight bias stride padding dilation transposed output_padding groups".split()


def convolve(args: dict, out: Any) -> list[Call]:
    return [Call("convolution", tuple(args[name] for name in CONVOLUTION), out)]


def recurrent_layer(args: dict, out: Any) -> list[Call]:
    """Returns one product for all inputs, and one per time step for the states."""
    calls = []
    gates, size = shape(args["weight_hh"])
    steps = [(args["weight_ih"], args["bias_ih"], shape(args["input"]))]
    steps += [(args["weight_hh"], args["bias_hh"], Size((batch, size))) for batch in args["sizes"]]
    for weight, bias, operand in steps:
        result, factors = Size((operand[0], gates)), (operand, swapped(weight))
        calls.append(Call("mm", factors, result) if bias is None else Call("addmm", (bias, *factors), result))
    return calls


# ---- backward: the calls that compute the needed gradients


def matrices_back(name: str, args: dict, out: Any, needed: dict) -> list[Call]:
    return product(name, args["input"], args["mat2"], (needed["input"], needed["mat2"]), out)


def affine_back(args: dict, out: Any, needed: dict) -> list[Call]:
    right = swapped(args["mat2"]) if args["flipped"] else args["mat2"]
    return product("mm", args["mat1"], right, (needed["mat1"], needed["mat2"]), out)


def baddbmm_back(args: dict, out: Any, needed: dict) -> list[Call]:
    return product("bmm", args["batch1"], args["batch2"], (needed["batch1"], needed["batch2"]), out)


def convolve_back(args: dict, out: Any, needed: dict) -> list[Call]:
    mask = [needed["input"], needed["weight"], needed["bias"]]
    sizes = None if args["bias"] is None else list(shape(args["bias"]))
    results = tuple(shape(args[name]) if needed[name] else None for name in ("input", "weight", "bias"))
    settings = tuple(args[name] for name in CONVOLUTION[3:])
    return [Call("convolution_backward", (out, args["input"], args["weight"], sizes, *settings, mask), results)]


def recurrent_layer_back(args: dict, out: Any, needed: dict) -> list[Call]:
    gates, size = shape(args["weight_hh"])
    through = Size((shape(args["input"])[0], gates))
    calls = product("mm", args["input"], swapped(args["weight_ih"]), (needed["input"], needed["weight_ih"]), through)
    for time, batch in enumerate(args["sizes"]):
        before = time > 0 or needed["hidden"]  # the initial state may need no gradient
        operand, grad = Size((batch, size)), Size((batch, gates))
        calls += product("mm", operand, swapped(args["weight_hh"]), (before, needed["weight_hh"]), grad)
    return calls


# By name of the primitive. LSTM layers and fused attention are missing, since PyTorch has no formula for the operators
# that it calls for them on the CPU.
STEPS: dict[str, tuple[Callable, Callable]] = {
    "affine": (affine, affine_back),
    "baddbmm": (baddbmm, baddbmm_back),
    "bmm": (partial(matrices, "bmm"), partial(matrices_back, "bmm")),
    "convolve": (convolve, convolve_back),
    "gru_layer": (recurrent_layer, recurrent_layer_back),
    "lstm_layer": (recurrent_layer, recurrent_layer_back),  # of a cell
    "mm": (partial(matrices, "mm"), partial(matrices_back, "mm")),
    "rnn_layer": (recurrent_layer, recurrent_layer_back),
}
WHOLE = frozenset(("lstm",))  # composites that are counted as a whole

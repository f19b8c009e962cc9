"""What our primitives are in PyTorch's operators, forwards and backwards: by shapes alone, for counting.

A linear layer is one primitive, `affine`; PyTorch calls `aten.addmm` for it, and in its backward pass `aten.mm` for
each operand that wants a gradient. The derivatives are not seen as calls here, they are formulas on arrays: so the
count of a backward pass follows from the step, when it is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rushlight.core.size import Size
from rushlight.core.tensor import Tensor


class Call(NamedTuple):
    """A call of one of PyTorch's operators: its name, its arguments and its result, as tensors or shapes."""

    name: str
    arguments: tuple
    result: Any


def shape(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) else value


def swapped(value: Any) -> Size:
    """The shape of a matrix, or of many, turned over."""
    *leading, rows, columns = shape(value)
    return Size((*leading, columns, rows))


def product(name: str, left: Any, right: Any, wanted: tuple, out: Any) -> list[Call]:
    """What the gradients of a product of matrices take: a product for each factor that wants one."""
    grad = shape(out)
    of_left = Call(name, (grad, swapped(right)), shape(left))
    of_right = Call(name, (swapped(left), grad), shape(right))
    return [call for call, asked in zip((of_left, of_right), wanted, strict=True) if asked]


# ---- forwards: what a call of a primitive with these arguments, and this result, is


def matrices(name: str, given: dict, out: Any) -> list[Call]:
    return [Call(name, (given["input"], given["mat2"]), out)]


def affine(given: dict, out: Any) -> list[Call]:
    right = swapped(given["mat2"]) if given["flipped"] else given["mat2"]
    return [Call("addmm", (given["input"], given["mat1"], right), out)]


def baddbmm(given: dict, out: Any) -> list[Call]:
    return [Call("baddbmm", (given["input"], given["batch1"], given["batch2"]), out)]


CONVOLUTION = "input weight bias stride padding dilation transposed output_padding groups".split()


def convolve(given: dict, out: Any) -> list[Call]:
    return [Call("convolution", tuple(given[each] for each in CONVOLUTION), out)]


def recurrent_layer(given: dict, out: Any) -> list[Call]:
    """One product for all inputs, and one at each time for the states."""
    calls = []
    gates, size = shape(given["weight_hh"])
    steps = [(given["weight_ih"], given["bias_ih"], shape(given["input"]))]
    steps += [(given["weight_hh"], given["bias_hh"], Size((batch, size))) for batch in given["sizes"]]
    for weight, bias, operand in steps:
        result, factors = Size((operand[0], gates)), (operand, swapped(weight))
        calls.append(Call("mm", factors, result) if bias is None else Call("addmm", (bias, *factors), result))
    return calls


# ---- backwards: what a step takes to give the gradients that are wanted


def matrices_back(name: str, given: dict, out: Any, wanted: dict) -> list[Call]:
    return product(name, given["input"], given["mat2"], (wanted["input"], wanted["mat2"]), out)


def affine_back(given: dict, out: Any, wanted: dict) -> list[Call]:
    right = swapped(given["mat2"]) if given["flipped"] else given["mat2"]
    return product("mm", given["mat1"], right, (wanted["mat1"], wanted["mat2"]), out)


def baddbmm_back(given: dict, out: Any, wanted: dict) -> list[Call]:
    return product("bmm", given["batch1"], given["batch2"], (wanted["batch1"], wanted["batch2"]), out)


def convolve_back(given: dict, out: Any, wanted: dict) -> list[Call]:
    mask = [wanted["input"], wanted["weight"], wanted["bias"]]
    sizes = None if given["bias"] is None else list(shape(given["bias"]))
    results = tuple(shape(given[each]) if wanted[each] else None for each in ("input", "weight", "bias"))
    rest = tuple(given[each] for each in CONVOLUTION[3:])
    return [Call("convolution_backward", (out, given["input"], given["weight"], sizes, *rest, mask), results)]


def recurrent_layer_back(given: dict, out: Any, wanted: dict) -> list[Call]:
    gates, size = shape(given["weight_hh"])
    through = Size((shape(given["input"])[0], gates))
    calls = product("mm", given["input"], swapped(given["weight_ih"]), (wanted["input"], wanted["weight_ih"]), through)
    for time, batch in enumerate(given["sizes"]):
        before = time > 0 or wanted["hidden"]  # the state that it began with may want no gradient
        operand, grad = Size((batch, size)), Size((batch, gates))
        calls += product("mm", operand, swapped(given["weight_hh"]), (before, wanted["weight_hh"]), grad)
    return calls


# By the names of our primitives. Those of layers of LSTMs and of attention in one piece are not among them, as PyTorch
# has no formula for the operators that it calls there on the CPU.
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
WHOLE = frozenset(("lstm",))  # composites that are not looked into

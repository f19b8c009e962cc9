"""Floating-point operations of calls, from the shapes of their arguments, as `with_flops=True` counts them.

Of the operators that PyTorch's profiler counts: matrix products, convolutions in two dimensions, addition and
multiplication. A multiplication with an addition is two operations.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from rushlight.profiler.details import Shape


def flops_of(name: str, arguments: tuple, names: tuple[str, ...]) -> int:
    """Returns the operations of a call, 0 where that is not known; `names` are those of the last arguments."""
    if (count := COUNTS.get(name)) is None:
        return 0
    sizes = [each.sizes for each in arguments if isinstance(each, Shape)]
    positional = dict(enumerate(arguments[: len(arguments) - len(names)]))
    named = dict(zip(names, arguments[len(positional) :], strict=True))
    return count(sizes, {**positional, **named}) if sizes else 0


def of_product(first: tuple, second: tuple) -> int:
    """The operations of a product of matrices, batched or not, with these sizes; the second may be transposed."""
    if not first or not second or not first[-1]:
        return 0
    batch = max(prod(first[:-2]), prod(second[:-2]))
    return 2 * batch * (first[-2] if len(first) > 1 else 1) * prod(second[-2:])


def products(skipped: int) -> Callable[[list, dict], int]:
    """Returns the count of a product whose matrices come after some other tensors."""
    return lambda sizes, arguments: of_product(*sizes[skipped : skipped + 2]) if len(sizes) >= skipped + 2 else 0


def of_linear(sizes: list, arguments: dict) -> int:
    """Of `linear`, whose weight is (out_features, in_features)."""
    return 2 * prod(sizes[0]) * (sizes[1][0] if len(sizes[1]) > 1 else 1) if len(sizes) > 1 else 0


def of_convolution(sizes: list, arguments: dict) -> int:
    """Of `conv2d(input, weight, bias, stride, padding, dilation, groups)`."""
    if len(sizes) < 2 or len(sizes[0]) != 4 or len(sizes[1]) != 4:
        return 0
    (batch, channels, *size), (out, _, *kernel) = sizes[:2]
    names = {3: "stride", 4: "padding", 5: "dilation", 6: "groups"}
    stride, padding, dilation, groups = [arguments.get(at, arguments.get(name)) for at, name in names.items()]
    padding = 0 if padding == "valid" else padding
    pairs = [pair(value, default) for value, default in ((stride, 1), (padding, 0), (dilation, 1))]
    if padding == "same":
        result = size
    else:
        result = [
            (length + 2 * around - spread * (width - 1) - 1) // step + 1
            for length, width, step, around, spread in zip(size, kernel, *pairs, strict=True)
        ]
    return 2 * batch * prod(result) * out * (channels // (groups or 1)) * prod(kernel)


def pair(value: Any, default: int) -> tuple[int, int]:
    if isinstance(value, tuple):
        return value if len(value) == 2 else value * 2
    return (default,) * 2 if not isinstance(value, int) else (value,) * 2


def of_elements(sizes: list, arguments: dict) -> int:
    """One operation per element of the first tensor, as PyTorch counts."""
    return prod(sizes[0])


COUNTS: dict[str, Callable[[list, dict], int]] = {
    **{f"aten::{name}": products(0) for name in ("mm", "bmm", "matmul", "mv", "dot")},
    **{f"aten::{name}": products(1) for name in ("addmm", "baddbmm")},
    **{f"aten::{name}": of_elements for name in ("add", "add_", "mul", "mul_")},
    "aten::linear": of_linear,
    "aten::conv2d": of_convolution,
}

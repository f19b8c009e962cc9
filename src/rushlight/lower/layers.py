"""What layers are made of, by machine code: the names of the array language that it takes over, and products."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

import numpy as np

from rushlight.arrays import cpu
from rushlight.declarations.declare import OPS

WORTH = 1 << 18  # products of numbers: with as many, a kernel is worth compiling
# Names of the array language, by the modules that have functions of these names.
KERNELS = {
    "attention": ("attention", "attention_gradients"),
    "convolution": ("convolve", "convolve_input", "convolve_weight"),
    "normalization": (
        "batch_normalized",
        "batch_normalized_gradients",
        "channel_sum",
        "fixed_normalized",
        "fixed_normalized_gradients",
        "group_normalized",
        "group_normalized_gradients",
    ),
    "pooling": ("adaptive_max_pool", "max_pool", "max_pool_input", "max_pool_values"),
    "recurrent": ("gru", "gru_backward", "lstm", "lstm_backward", "rnn_backward"),
}


def engage() -> None:
    """From now on the CPU's array language has these kernels, which leave to NumPy what is small or rare."""
    bind({name: later(module, name) for module, names in KERNELS.items() for name in names})
    bind({name: multiplied_where_large(getattr(cpu, name)) for name in ("matmul", "dot")})
    bind_forward({name: waiting(name) for name in METHODS})


def later(module: str, name: str) -> Callable:
    """The function of that name until it is first called: then its module is imported. Few programs need all."""

    def first(*arguments, **named):
        found = getattr(import_module(f"rushlight.lower.{module}"), name)
        bind({name: found})
        return found(*arguments, **named)

    return first


def bind(functions: dict[str, Callable]) -> None:
    """Binds names of the array language, in it and in all generated modules that have them."""
    vars(cpu).update(functions)
    bind_generated({f"xp_{name}": each for name, each in functions.items()})


def bind_forward(functions: dict[str, Callable]) -> None:
    bind_generated({f"forward_{name}": each for name, each in functions.items()})


def bind_generated(functions: dict[str, Callable]) -> None:
    for path, module in list(sys.modules.items()):
        if path.startswith("rushlight._generated."):
            known = vars(module)
            known.update({name: functions[name] for name in functions.keys() & known.keys()})


def multiplied_where_large(original: Callable) -> Callable:
    """`xp.matmul` and `xp.dot`: operators call them that do something with the product, or with its operands."""

    def product(one, other):
        plain = type(one) is np.ndarray and one.dtype == np.float32 and 2 <= one.ndim == other.ndim <= 3
        if plain and one.size * other.shape[-1] >= WORTH:
            multiply = import_module("rushlight.kernels.matmul").multiply.machine()
            found = multiply(one, other, None, one.ndim)
            if found is not None:
                return found
        return original(one, other)

    return product


def waiting(name: str) -> Callable:
    """`forward` of a product until there is one that is worth compiling a kernel for.

    Until then there may be many small ones: what they are asked is one question, and nothing is packed for it.
    """
    original = OPS[name].forward

    def forward(xp, left, right):
        if left.size * right.size >= WORTH:
            compile_if_worth(left, right)
        return original(xp, left, right)

    def of_rows(xp, left, right, input=None):
        if left.size * right.size >= WORTH:
            compile_if_worth(left, right)
        return original(xp, left, right, input)

    def added(xp, input, left, right, *, beta=1, alpha=1, flipped=True):
        if left.size * right.size >= WORTH:
            compile_if_worth(left, right)
        return original(xp, input, left, right, beta=beta, alpha=alpha, flipped=flipped)

    return added if name == "affine" else of_rows if name == "flipped_product" else forward


def compile_if_worth(left, right) -> None:
    """Binds all products to the kernel if one of two arrays takes so many products of numbers."""
    if not all([type(each) is np.ndarray and each.dtype == np.float32 for each in (left, right)]):
        return
    if left.size * max(right.shape) >= WORTH:
        multiply = import_module("rushlight.kernels.matmul").multiply.machine()
        bind_forward({name: made(OPS[name].forward, multiply) for name, made in PRODUCTS.items()})


def multiplied(rank: int) -> Callable:
    """`forward` of `mm` and `bmm`, whose operands have that many dimensions."""

    def made(original: Callable, multiply: Callable) -> Callable:
        def forward(xp, input, mat2):
            found = multiply(input, mat2, None, rank)
            return original(xp, input, mat2) if found is None else found

        return forward

    return made


def multiplied_and_added(original: Callable, multiply: Callable) -> Callable:
    """`forward` of `affine`, where nothing is scaled and a row is added."""

    def forward(xp, input, mat1, mat2, *, beta=1, alpha=1, flipped=True):
        if beta == 1 == alpha and mat1.ndim == mat2.ndim == 2:
            found = multiply(mat1, mat2, input, flipped)
            if found is not None:
                return found
        return original(xp, input, mat1, mat2, beta=beta, alpha=alpha, flipped=flipped)

    return forward


def multiplied_by_rows(original: Callable, multiply: Callable) -> Callable:
    """`forward` of `flipped_product`."""

    def forward(xp, mat1, mat2, input=None):
        found = multiply(mat1, mat2, input, True) if mat2.ndim == 2 else None
        return original(xp, mat1, mat2, input) if found is None else found

    return forward


METHODS = ("mm", "affine", "flipped_product")  # NumPy's is not asked for by a name of the array language
PRODUCTS = {
    "mm": multiplied(2),
    "bmm": multiplied(3),
    "affine": multiplied_and_added,
    "flipped_product": multiplied_by_rows,
}

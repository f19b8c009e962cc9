"""What layers are made of, by machine code: the names of the array language that it takes over, and products."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from rushlight.arrays import cpu
from rushlight.compiler import attention, convolution, normalization, pooling, recurrent
from rushlight.compiler.kernels.multiplying import multiply
from rushlight.ops.declare import OPS

WORTH = 1 << 18  # products of numbers: with as many, a kernel is worth compiling
KERNELS = {
    "attention": attention.attention,
    "attention_slopes": attention.attention_slopes,
    "batch_normalized": normalization.batch_normalized,
    "batch_normalized_gradients": normalization.batch_normalized_gradients,
    "channel_sum": normalization.channel_sum,
    "convolve": convolution.convolve,
    "convolve_input": convolution.convolve_input,
    "convolve_weight": convolution.convolve_weight,
    "fixed_normalized": normalization.fixed_normalized,
    "fixed_normalized_gradients": normalization.fixed_normalized_gradients,
    "group_normalized": normalization.group_normalized,
    "group_normalized_gradients": normalization.group_normalized_gradients,
    "gru": recurrent.gru,
    "gru_slopes": recurrent.gru_slopes,
    "lstm": recurrent.lstm,
    "lstm_slopes": recurrent.lstm_slopes,
    "max_pool": pooling.max_pool,
    "max_pool_input": pooling.max_pool_input,
    "max_pool_values": pooling.max_pool_values,
    "rnn_slopes": recurrent.rnn_slopes,
}


def engage() -> None:
    """From now on the CPU's array language has these kernels, which leave to NumPy what is small or rare."""
    for name, kernel in KERNELS.items():
        setattr(cpu, name, kernel)
        bind(f"xp_{name}", kernel)
    for name in PRODUCTS:
        bind(f"forward_{name}", waiting(name))


def bind(name: str, value) -> None:
    """Binds a name in all generated modules that have it."""
    for path, module in list(sys.modules.items()):
        if path.startswith("rushlight._generated.") and name in vars(module):
            setattr(module, name, value)


def waiting(name: str) -> Callable:
    """`forward` of a product until there is one that is worth compiling a kernel for."""
    original = OPS[name].forward

    def forward(xp, *arrays, **rest):
        if all(type(each) is np.ndarray for each in arrays) and arrays[-2].size * max(arrays[-1].shape) >= WORTH:
            for each, made in PRODUCTS.items():
                bind(f"forward_{each}", made(OPS[each].forward, multiply.machine()))
        return original(xp, *arrays, **rest)

    return forward


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
        if beta == 1 == alpha and mat2.ndim == 2 and (flipped or mat1.ndim == 2):
            found = multiply(mat1, mat2, input, flipped)
            if found is not None:
                return found
        return original(xp, input, mat1, mat2, beta=beta, alpha=alpha, flipped=flipped)

    return forward


def multiplied_by_rows(original: Callable, multiply: Callable) -> Callable:
    """`forward` of `flipped_product`."""

    def forward(xp, mat1, mat2):
        found = multiply(mat1, mat2, None, True) if mat2.ndim == 2 else None
        return original(xp, mat1, mat2) if found is None else found

    return forward


PRODUCTS = {
    "mm": multiplied(2),
    "bmm": multiplied(3),
    "affine": multiplied_and_added,
    "flipped_product": multiplied_by_rows,
}

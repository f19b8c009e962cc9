"""What layers are made of, by machine code: the names of the array language that it takes over, and products."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

from rushlight.arrays import cpu
from rushlight.compiler import attention, convolution, normalization, pooling, recurrent
from rushlight.compiler.products import product
from rushlight.core.large import LARGE
from rushlight.ops.declare import OPS

KERNELS = {
    "attention": attention.attention,
    "attention_slopes": attention.attention_slopes,
    "batch_normalized": normalization.batch_normalized,
    "batch_normalized_gradients": normalization.batch_normalized_gradients,
    "convolve": convolution.convolve,
    "convolve_input": convolution.convolve_input,
    "convolve_weight": convolution.convolve_weight,
    "fixed_normalized": normalization.fixed_normalized,
    "fixed_normalized_gradients": normalization.fixed_normalized_gradients,
    "group_normalized": normalization.group_normalized,
    "group_normalized_gradients": normalization.group_normalized_gradients,
    "lstm": recurrent.lstm,
    "lstm_slopes": recurrent.lstm_slopes,
    "max_pool": pooling.max_pool,
    "max_pool_input": pooling.max_pool_input,
}


def engage() -> None:
    """From now on the CPU's array language has these kernels, which leave to NumPy what is small or rare."""
    modules = [vars(module) for name, module in sys.modules.items() if name.startswith("rushlight._generated.")]
    for name, kernel in KERNELS.items():
        setattr(cpu, name, kernel)
        bind(modules, f"xp_{name}", kernel)
    for name, forward in (("mm", multiplied), ("bmm", multiplied), ("affine", multiplied_and_added)):
        bind(modules, f"forward_{name}", partial(forward, OPS[name].forward))


def bind(modules: list[dict], name: str, value) -> None:
    """Binds a name in all modules that have it."""
    for module in modules:
        if name in module:
            module[name] = value


def multiplied(original, xp, input, mat2):
    """`forward` of `mm` and `bmm`."""
    if type(input) is np.ndarray and input.size >= LARGE and input.ndim == mat2.ndim:
        found = product(input, mat2)
        if found is not None:
            return found
    return original(xp, input, mat2)


def multiplied_and_added(original, xp, input, mat1, mat2, *, beta=1, alpha=1, flipped=True):
    """`forward` of `affine`, where nothing is scaled and a row is added."""
    if type(mat1) is np.ndarray and mat1.size >= LARGE and mat1.ndim == 2 == mat2.ndim and beta == 1 == alpha:
        other = mat2.T if flipped else mat2
        if input.dtype == mat1.dtype and input.shape == other.shape[1:]:
            found = product(mat1, other)
            if found is not None:
                found += input
                return found
    return original(xp, input, mat1, mat2, beta=beta, alpha=alpha, flipped=flipped)

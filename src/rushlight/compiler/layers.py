"""What layers are made of, by machine code: the names of the array language that it takes over."""

from __future__ import annotations

import sys

from rushlight.arrays import cpu
from rushlight.compiler import convolution, normalization, pooling

KERNELS = {
    "batch_normalized": normalization.batch_normalized,
    "batch_normalized_gradients": normalization.batch_normalized_gradients,
    "convolve": convolution.convolve,
    "convolve_input": convolution.convolve_input,
    "convolve_weight": convolution.convolve_weight,
    "max_pool": pooling.max_pool,
    "max_pool_input": pooling.max_pool_input,
}


def engage() -> None:
    """From now on the CPU's array language has these kernels, which leave to NumPy what is small or rare."""
    for name, kernel in KERNELS.items():
        setattr(cpu, name, kernel)
        for module in [each for path, each in sys.modules.items() if path.startswith("rushlight._generated.")]:
            if hasattr(module, f"xp_{name}"):
                setattr(module, f"xp_{name}", kernel)

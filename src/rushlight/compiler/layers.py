"""What layers are made of, by machine code: the names of the array language that it takes over."""

from __future__ import annotations

from rushlight.arrays import cpu
from rushlight.compiler import convolution

KERNELS = {
    "convolve": convolution.convolve,
    "convolve_input": convolution.convolve_input,
    "convolve_weight": convolution.convolve_weight,
}


def engage() -> None:
    """From now on the CPU's array language has these kernels, which leave to NumPy what is small or rare."""
    for name, kernel in KERNELS.items():
        setattr(cpu, name, kernel)

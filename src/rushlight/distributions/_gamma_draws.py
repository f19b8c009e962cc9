"""Gamma numbers and shares of a whole, drawn as PyTorch draws them, with the gradient of their quantiles.

The functions have PyTorch's names, under which programs that make distributions of their own call them: `torch` has
them too.
"""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.arrays import mt19937
from rushlight.core.device import host
from rushlight.core.dtype import SCALAR_NAMES, float32, float64
from rushlight.core.generator import default_generator
from rushlight.dispatch.making import made


def _drawn(draw, concentration, generator, kernel):
    if concentration.dtype not in (float32, float64):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[concentration.dtype]}'")
    stream = default_generator if generator is None else generator
    return made(draw(stream, host(concentration.detach())), device=concentration.device)


def _standard_gamma(input, generator=None):
    """A number of the gamma distribution of rate 1 for every element, which is its shape."""
    return F.gamma_drawn(input, _drawn(mt19937.standard_gamma, input, generator, "gamma_cpu"))


def _standard_gamma_grad(input, output):
    """How the gamma numbers `output` move with their shapes."""
    return F.gamma_grad(output, input)


def _sample_dirichlet(input, generator=None):
    """Numbers that sum to 1 along the last dimension, of the Dirichlet distribution."""
    return F.dirichlet_drawn(input, _drawn(mt19937.dirichlet, input, generator, "dirichlet"))


def _dirichlet_grad(x, alpha, total):
    """How a share `x` moves with its shape, over what it lacks to 1; `total` is the sum of all shapes."""
    return F.dirichlet_grad(x, alpha, total)

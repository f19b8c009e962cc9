"""Gamma numbers and shares of a whole, drawn as PyTorch draws them, with the gradient of their quantiles."""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.arrays import mt19937
from rushlight.core.device import host
from rushlight.core.dtype import SCALAR_NAMES, float32, float64
from rushlight.core.generator import default_generator
from rushlight.dispatch.making import made


def _drawn(draw, concentration, kernel):
    if concentration.dtype not in (float32, float64):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[concentration.dtype]}'")
    return made(draw(default_generator, host(concentration.detach())), device=concentration.device)


def standard_gamma(concentration):
    """A number of the gamma distribution of rate 1 for every element."""
    return F.gamma_drawn(concentration, _drawn(mt19937.standard_gamma, concentration, "gamma_cpu"))


def dirichlet(concentration):
    """Numbers that sum to 1 along the last dimension, of the Dirichlet distribution."""
    return F.dirichlet_drawn(concentration, _drawn(mt19937.dirichlet, concentration, "dirichlet"))

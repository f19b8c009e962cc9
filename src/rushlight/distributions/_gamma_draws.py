"""Gamma and Dirichlet samples, drawn as in PyTorch, with the gradient of their quantiles.

The functions have PyTorch's names, which users' distributions call; `torch` exports them too.
"""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.arrays import mt19937
from rushlight.arrays.size_limits import check_copy_fits
from rushlight.core.device import host
from rushlight.core.dtype import SCALAR_NAMES, float32, float64
from rushlight.core.generator import generator_of
from rushlight.core.traced import ENTERED
from rushlight.create.construction import from_array
from rushlight.create.randomness import drawn_from, without_derivative
from rushlight.dispatch.override import ABSENT


def _drawn(draw, concentration, generator, kernel):
    if concentration.dtype not in (float32, float64):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[concentration.dtype]}'")
    if ENTERED:
        values = drawn_from(concentration.detach(), lambda value: _drawn(draw, value, generator, kernel))
        if values is not ABSENT:
            return values
    check_copy_fits(concentration._array)
    stream = generator_of(concentration._array) if generator is None else generator
    return from_array(draw(stream, host(concentration.detach())), device=concentration.device)


def _standard_gamma(input, generator=None):
    """Draws from the gamma distribution of rate 1; the elements of `input` are the concentrations."""
    return F.gamma_drawn(input, _drawn(mt19937.standard_gamma, input, generator, "gamma_cpu"))


def _standard_gamma_grad(input, output):
    """Returns the derivative of gamma samples `output` with respect to the concentrations."""
    return F.gamma_grad(output, input)


def _sample_dirichlet(input, generator=None):
    """Draws from the Dirichlet distribution; samples sum to 1 along the last dimension.

    They have no derivative, as in PyTorch: those of `torch.distributions.Dirichlet` have one.
    """
    return without_derivative([input], _dirichlet(input, generator), "_sample_dirichlet")


def _dirichlet(concentration, generator=None):
    return _drawn(mt19937.dirichlet, concentration, generator, "dirichlet")


def reparameterized(concentration):
    """Returns a draw from the Dirichlet distribution, with the gradient of its quantiles."""
    return F.dirichlet_drawn(concentration, _dirichlet(concentration))


def _dirichlet_grad(x, alpha, total):
    """Returns the derivative of `x` with respect to its concentration, divided by 1 - x; `total` is their sum."""
    values = F.dirichlet_grad(x.detach(), alpha.detach(), total.detach())
    return without_derivative([x, alpha, total], values, "_dirichlet_grad")

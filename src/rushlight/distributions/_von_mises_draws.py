"""Draws from the von Mises distribution."""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.core.dtype import bool as boolean
from rushlight.core.dtype import float64
from rushlight.create.filled import empty, zeros
from rushlight.create.random import rand


def drawn_angles(shape, concentration):
    """Draws angles around 0, by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979)."""
    spread = cauchy_spread(concentration)
    angles = empty(shape, dtype=float64, device=concentration.device)
    done = zeros(shape, dtype=boolean, device=concentration.device)
    while not done.all():
        first, second, third = rand((3, *shape), dtype=float64, device=concentration.device).unbind()
        direction = (math.pi * first).cos()
        proposed = (1 + spread * direction) / (spread + direction)
        excess = concentration * (spread - proposed)
        accept = (excess * (2 - excess) - second > 0) | ((excess / second).log() + 1 - excess >= 0)
        angles = F.where(accept, (third - 0.5).sign() * proposed.acos(), angles)
        done = done | accept
    return angles


def cauchy_spread(concentration):
    root = 1 + (1 + 4 * concentration**2).sqrt()
    rho = (root - (2 * root).sqrt()) / (2 * concentration)
    # Second-order expansion where the difference is lost in rounding
    return F.where(concentration < 1e-5, 1 / concentration + concentration, (1 + rho**2) / (2 * rho))

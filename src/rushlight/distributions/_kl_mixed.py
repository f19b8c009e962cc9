"""Divergences between distributions of different families.

Each is the mean of `-log q(x)` under p, minus the entropy of p. The terms of q that depend on p, such as mean,
variance, mean logarithm or mean exponential, have a closed form for the listed families of p.
"""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.create.filled import full_like
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.beta import Beta
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.gumbel import Gumbel
from rushlight.distributions.kl import register_kl
from rushlight.distributions.laplace import Laplace
from rushlight.distributions.normal import Normal
from rushlight.distributions.pareto import Pareto
from rushlight.distributions.poisson import Poisson
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import euler_constant


def _for_each(*pairs):
    """Registers one function for several pairs of classes."""

    def decorate(function):
        for pair in pairs:
            register_kl(*pair)(function)
        return function

    return decorate


# ---- the support of p exceeds that of q

UNIT = (Beta, ContinuousBernoulli)
OUTSIDE = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (*UNIT, Pareto, Uniform),
    Gamma: (*UNIT, Pareto, Uniform),
    Gumbel: (*UNIT, Exponential, Gamma, Pareto, Uniform),
    Laplace: (*UNIT, Exponential, Gamma, Pareto, Uniform),
    Normal: (*UNIT, Exponential, Gamma, Pareto, Uniform),
    Pareto: (*UNIT, Uniform),
    Poisson: (Bernoulli, Binomial),
}


@_for_each(*((p, q) for p, kinds in OUTSIDE.items() for q in kinds))
def _infinite(p, q):
    return full_like(p.mean, math.inf)


# ---- by moments


def _entry(table, p):
    """Returns the entry for the class of a distribution."""
    return next(entry for cls, entry in table.items() if isinstance(p, cls))


def _moments(p):
    """Returns mean and variance; of a Pareto distribution finite values also where they are infinite."""
    if not isinstance(p, Pareto):
        return p.mean, p.variance
    mean = p.alpha * p.scale / (p.alpha - 1)
    return mean, p.alpha * (mean / p.alpha) ** 2 / (p.alpha - 2)


def _where_finite(p, order, result):
    """Returns infinity where a Pareto moment is infinite, and, for q above 0, where p is uniform below 0."""
    if isinstance(p, Pareto):
        return F.where(p.alpha <= order, math.inf, result)
    return F.where(p.low < 0, math.inf, result) if isinstance(p, Uniform) and order == 1 else result


@_for_each(*((p, Normal) for p in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)))
def _to_normal(p, q):
    mean, variance = _moments(p)
    off = variance + (mean - q.loc) ** 2
    return _where_finite(p, 2, 0.5 * math.log(2 * math.pi) + q.scale.log() + off / (2 * q.scale**2) - p.entropy())


@_for_each(*((p, Exponential) for p in (Beta, ContinuousBernoulli, Gamma, Pareto, Uniform)))
def _to_exponential(p, q):
    mean, _ = _moments(p)
    return _where_finite(p, 1, q.rate * mean - q.rate.log() - p.entropy())


@_for_each(*((p, Gamma) for p in (Beta, Exponential, Pareto, Uniform)))
def _to_gamma(p, q):
    shape = q.concentration
    normalizer = F.lgamma(shape) - shape * q.rate.log()
    mean, _ = _moments(p)
    return _where_finite(p, 1, normalizer - (shape - 1) * _entry(MEAN_LOGS, p)(p) + q.rate * mean - p.entropy())


def _mean_log_between(low, high):
    return (F.xlogy(high, high) - F.xlogy(low, low)) / (high - low) - 1


# The mean of the logarithm.
MEAN_LOGS = {
    Beta: lambda p: F.digamma(p.concentration1) - F.digamma(p.concentration1 + p.concentration0),
    Exponential: lambda p: -p.rate.log() - euler_constant,
    Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
    Uniform: lambda p: _mean_log_between(p.low, p.high),
}


@_for_each(*((p, Gumbel) for p in (Exponential, Gamma, Normal, Uniform)))
def _to_gumbel(p, q):
    return q.scale.log() + (p.mean - q.loc) / q.scale + _entry(MEAN_EXPONENTIALS, p)(p, q) - p.entropy()


def _shrunk_gamma(concentration, rate, q):
    return F.exp(q.loc / q.scale) * (1 + (rate * q.scale).reciprocal()) ** -concentration


# The mean of exp(-(x - loc) / scale), with loc and scale of q.
MEAN_EXPONENTIALS = {
    Exponential: lambda p, q: _shrunk_gamma(1, p.rate, q),
    Gamma: lambda p, q: _shrunk_gamma(p.concentration, p.rate, q),
    Normal: lambda p, q: F.exp((q.loc - p.loc) / q.scale + 0.5 * (p.scale / q.scale) ** 2),
    Uniform: lambda p, q: (
        (F.exp((q.loc - p.low) / q.scale) - F.exp((q.loc - p.high) / q.scale)) * q.scale / (p.high - p.low)
    ),
}


@register_kl(Normal, Laplace)
def _normal_to_laplace(p, q):
    off = (p.loc - q.loc) / p.scale
    # The mean of a folded normal distribution: https://en.wikipedia.org/wiki/Folded_normal_distribution
    folded = math.sqrt(2 / math.pi) * F.exp(-0.5 * off**2) + off * F.erf(math.sqrt(0.5) * off)
    return F.log(2 * q.scale) + p.scale * folded / q.scale - p.entropy()


@register_kl(Bernoulli, Poisson)
def _bernoulli_to_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


# ---- q with bounded support


@register_kl(Uniform, Beta)
def _uniform_to_beta(p, q):
    a, b = q.concentration1, q.concentration0
    logs = (a - 1) * _mean_log_between(p.low, p.high) + (b - 1) * _mean_log_between(1 - p.high, 1 - p.low)
    result = F.lgamma(a) + F.lgamma(b) - F.lgamma(a + b) - logs - p.entropy()
    return F.where((p.high > 1) | (p.low < 0), math.inf, result)


@register_kl(Uniform, Pareto)
def _uniform_to_pareto(p, q):
    log_density = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _entry(MEAN_LOGS, p)(p)
    return F.where(p.low < q.scale, math.inf, -log_density - p.entropy())


@register_kl(Beta, Uniform)
def _beta_to_uniform(p, q):
    return F.where((q.low > 0) | (q.high < 1), math.inf, (q.high - q.low).log() - p.entropy())


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_to_uniform(p, q):
    # PyTorch returns infinity also where q begins at 0 or ends at 1
    return F.where((q.low >= 0) | (q.high <= 1), math.inf, (q.high - q.low).log() - p.entropy())


@register_kl(Beta, ContinuousBernoulli)
def _beta_to_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - F.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_to_continuous_bernoulli(p, q):
    # PyTorch returns infinity also where p begins at 0 or ends at 1
    return F.where((p.high >= 1) | (p.low <= 0), math.inf, _beta_to_continuous_bernoulli(p, q))

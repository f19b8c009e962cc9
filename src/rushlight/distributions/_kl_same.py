"""Divergences between two distributions of one family.

Those of the exponential families follow from their moments: https://en.wikipedia.org/wiki/Exponential_family; sources
of the others are at the functions. Most are in Gil, On Renyi divergence measures for continuous alphabet sources, 2011.
"""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.beta import Beta
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.cauchy import Cauchy
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
from rushlight.distributions.dirichlet import Dirichlet
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.geometric import Geometric
from rushlight.distributions.gumbel import Gumbel
from rushlight.distributions.half_normal import HalfNormal
from rushlight.distributions.independent import Independent
from rushlight.distributions.kl import kl_divergence, register_kl
from rushlight.distributions.laplace import Laplace
from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from rushlight.distributions.multivariate_normal import MultivariateNormal
from rushlight.distributions.normal import Normal
from rushlight.distributions.one_hot_categorical import OneHotCategorical
from rushlight.distributions.pareto import Pareto
from rushlight.distributions.poisson import Poisson
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import _sum_rightmost, euler_constant


def _term(p_chance, q_chance, ratio):
    """Returns `p * log(p / q)`: 0 where p is 0, infinite where only q is 0."""
    return F.where(p_chance == 0, 0.0, F.where(q_chance == 0, math.inf, p_chance * ratio))


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    success = F.softplus(-q.logits) - F.softplus(-p.logits)
    failure = F.softplus(q.logits) - F.softplus(p.logits)
    return _term(p.probs, q.probs, success) + _term(1 - p.probs, 1 - q.probs, failure)


@register_kl(Beta, Beta)
def _beta(p, q):
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    per_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return F.where(p.total_count > q.total_count, math.inf, p.total_count * per_trial)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    return _term(p.probs, q.probs, p.logits - q.logits).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    normalizers = p._cont_bern_log_norm() + F.log1p(-p.probs) - q._cont_bern_log_norm() - F.log1p(-q.probs)
    return p.mean * (p.logits - q.logits) + normalizers


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    p_sum, q_sum = p.concentration.sum(-1), q.concentration.sum(-1)
    normalizers = F.lgamma(p_sum) - F.lgamma(q_sum) - (F.lgamma(p.concentration) - F.lgamma(q.concentration)).sum(-1)
    mean_logs = F.digamma(p.concentration) - F.digamma(p_sum).unsqueeze(-1)
    return normalizers + ((p.concentration - q.concentration) * mean_logs).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p, q):
    """Computes the Bregman divergence between natural parameters: Nielsen and Nock, 2010."""
    if type(p) is not type(q):
        raise NotImplementedError(
            f"The cross KL-divergence between different exponential families cannot {' ' * 28}be computed using "
            "Bregman divergences"
        )
    leaves, normalizer, slopes = p._normalized()
    result = q._log_normalizer(*q._natural_params) - normalizer
    for own, theirs, slope in zip(leaves, q._natural_params, slopes, strict=True):
        result = result - _sum_rightmost((theirs - own) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    return (
        q.concentration * (p.rate / q.rate).log()
        + F.lgamma(q.concentration)
        - F.lgamma(p.concentration)
        + (p.concentration - q.concentration) * F.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - F.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    shrunk = (F.lgamma(1 + ratio) - shift).exp()
    return shift - ratio.log() + ratio * euler_constant + shrunk - (1 + euler_constant)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return distance / q.scale - ratio.log() + ratio * (-distance / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _multivariate_normal(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be computed"
        )
    spread = sum(q._relative(root) for root in p._roots)
    distance = q._relative((q.loc - p.loc).unsqueeze(-1))
    return 0.5 * (q._log_det - p._log_det + spread + distance - p.event_shape[0])


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return F.where(p.scale < q.scale, math.inf, result)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return F.where((q.low > p.low) | (q.high < p.high), math.inf, result)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    """Chyzak and Nielsen, 2019, https://arxiv.org/abs/1905.10965."""
    return ((p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2).log() - (4 * p.scale * q.scale).log()


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    """The divergence is invariant under a common bijective transform."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)

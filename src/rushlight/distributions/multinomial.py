"""The multinomial distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones_like
from rushlight.distributions import constraints
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.one_hot_categorical import OfCategorical
from rushlight.distributions.utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(OfCategorical):
    """The counts of each category in `total_count` draws; the number of draws is the same for the whole batch."""

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        categorical = Categorical(probs, logits)
        self._binomial = Binomial(total_count, categorical.probs)
        self._over(categorical, validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Multinomial, _instance)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = self._binomial.expand((*batch_shape, *self._event_shape))
        return new._expanded_from(self, batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        draws = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)  # (..., draw)
        counts = draws.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, draws, ones_like(draws)).type_as(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        log_combinations = F.lgamma(value.sum(-1) + 1) - F.lgamma(value + 1).sum(-1)
        # An impossible category with count 0 contributes 0
        logits = F.where((value == 0) & (logits == -math.inf), 0.0, logits)
        return log_combinations + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        draws = self.total_count
        counts = self._binomial.enumerate_support(expand=False)[1:]
        expected = (self._binomial.log_prob(counts).exp() * F.lgamma(counts + 1)).sum((0, -1))
        return draws * self._categorical.entropy() - math.lgamma(draws + 1) + expected

"""The relaxed categorical distribution: points of a simplex, with differentiable samples."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import rand
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.one_hot_categorical import OfCategorical
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import ExpTransform
from rushlight.distributions.utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OfCategorical):
    """The logarithms of `RelaxedOneHotCategorical`.

    Maddison, Mnih and Teh, The Concrete Distribution, 2017, https://arxiv.org/abs/1611.00712, appendix C.
    """

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: TensorOrFloat,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._over(Categorical(probs, logits), validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)
        return new._expanded_from(self, batch_shape)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniform = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = -((-uniform.log()).log())
        return F.log_softmax((self.logits + gumbel) / self.temperature, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        categories = self._event_shape[0]
        logits, value = broadcast_all(self.logits, value)
        normalizer = math.lgamma(categories) + (categories - 1) * F.log(self.temperature)
        return F.log_softmax(logits - value * self.temperature, -1).sum(-1) + normalizer


class RelaxedOneHotCategorical(TransformedDistribution):
    """A point of a simplex, closer to a one-hot vector at lower `temperature`; samples are differentiable.

    Maddison, Mnih and Teh, The Concrete Distribution, 2017; Jang, Gu and Poole, Categorical Reparameterization with
    Gumbel-Softmax, 2017.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self,
        temperature: TensorOrFloat,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    @property
    def temperature(self) -> Tensor:
        """Higher values keep samples away from one-hot vectors."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of the categories."""
        return self.base_dist.probs

"""The relaxed Bernoulli distribution: numbers between 0 and 1, with differentiable samples."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import rand
from rushlight.distributions import constraints
from rushlight.distributions._probs_or_logits import ProbsOrLogits
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import SigmoidTransform
from rushlight.distributions.utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The log odds of `RelaxedBernoulli`: a logistic distribution around `logits`, divided by `temperature`.

    Maddison, Mnih and Teh, The Concrete Distribution, 2017, https://arxiv.org/abs/1611.00712.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _parameter_names = ("probs", "logits")

    def __init__(
        self,
        temperature: TensorOrFloat,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._choose(probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniform = clamp_probs(rand(shape, dtype=probs.dtype, device=probs.device))
        return (uniform.log() - (-uniform).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        off = logits - value * self.temperature
        return F.log(self.temperature) + off - 2 * off.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A number between 0 and 1, closer to 0 or 1 at lower `temperature`; samples are differentiable.

    Maddison, Mnih and Teh, The Concrete Distribution, 2017; Jang, Gu and Poole, Categorical Reparameterization with
    Gumbel-Softmax, 2017.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        temperature: TensorOrFloat,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self) -> Tensor:
        """Higher values keep samples away from 0 and 1."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log odds of 1."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self.base_dist.probs

"""The categorical distribution of one-hot vectors."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import eye
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OfCategorical(Distribution):
    """Base of distributions of vectors with one element per category."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def _over(self, categorical, validate_args) -> None:
        self._categorical = categorical
        shape = categorical.param_shape
        Distribution.__init__(self, categorical.batch_shape, shape[-1:], validate_args=validate_args)

    @property
    def _param(self):
        return self._categorical._param

    @property
    def probs(self) -> Tensor:
        """The probabilities of the categories."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._categorical.param_shape


class OneHotCategorical(OfCategorical):
    """A vector with 1 at the index of the category and 0 elsewhere."""

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: TensorOrFloat | None = None, logits: TensorOrFloat | None = None, validate_args: bool | None = None
    ) -> None:
        self._over(Categorical(probs, logits), validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(OneHotCategorical, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return new._expanded_from(self, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return self._vectors(self.probs.argmax(-1))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _vectors(self, categories):
        return F.one_hot(categories, self._event_shape[-1]).to(self.probs)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        return self._vectors(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._event_shape[0]
        values = eye(count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((count, *(1,) * len(self._batch_shape), count))
        return values.expand((count, *self._batch_shape, count)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A `OneHotCategorical` whose samples pass gradients straight through to the probabilities.

    Bengio, Leonard and Courville, Estimating or propagating gradients through stochastic neurons, 2013.
    """

    has_rsample = True

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())

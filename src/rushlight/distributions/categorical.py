"""The categorical distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo, int64
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full
from rushlight.create.random import multinomial
from rushlight.create.ranges import arange
from rushlight.distributions import constraints
from rushlight.distributions._probs_or_logits import ProbsOrLogits
from rushlight.distributions.distribution import Distribution as Distribution

__all__ = ["Categorical"]


class Categorical(ProbsOrLogits):
    """The index of a category; the last dimension of `probs` or `logits` (log probabilities) are the categories.

    Neither needs to be normalized. Raises ValueError if it has no dimension.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary = False
    _parameter_names = ("probs", "logits")
    probs: Tensor
    logits: Tensor

    def __init__(
        self, probs: TensorOrFloat | None = None, logits: TensorOrFloat | None = None, validate_args: bool | None = None
    ) -> None:
        self._normalize(probs, logits)
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    def _normalize(self, probs, logits):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        else:
            self.probs = probs / probs.sum(-1, keepdim=True)

    @property
    def _num_events(self):
        return self._param.shape[-1]

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return self.mean

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        rows = self.probs.reshape(-1, self._num_events)  # (batch, category)
        drawn = multinomial(rows, Size(sample_shape).numel(), replacement=True).T  # (sample, batch)
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        value, logits = value.to(int64).unsqueeze(-1), self.logits
        if value.shape[:-1] != logits.shape[:-1]:
            value, logits = F.broadcast_tensors(value, logits)
            value = value[..., :1]
        return logits.gather(-1, value).squeeze(-1)

    def entropy(self) -> Tensor:
        # An impossible category has the logit -inf, and contributes 0
        finite = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(finite * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._along_first(arange(self._num_events, dtype=int64, device=self._param.device), expand)

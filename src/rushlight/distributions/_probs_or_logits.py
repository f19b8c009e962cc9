"""Base of distributions that take either probabilities or logits."""

from __future__ import annotations

from rushlight.core.size import Size
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class ProbsOrLogits(Distribution):
    """A distribution with one of `probs` and `logits`, which computes the other at its first use."""

    _is_binary = True

    def _choose(self, probs, logits, **others) -> None:
        """Stores the one that is given, broadcast with the other parameters, which are cast to its dtype."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, parameter = ("logits", logits) if probs is None else ("probs", probs)
        *values, chosen = broadcast_all(*[*others.values()], parameter)
        for key, value in zip(others, values, strict=True):
            setattr(self, key, value.type_as(chosen))
        setattr(self, name, chosen)

    @property
    def _given_name(self) -> str:
        """Returns the name of the given one: only that is an attribute from the beginning."""
        return next(name for name in vars(self) if name in ("probs", "logits"))

    @property
    def _param(self):
        return vars(self)[self._given_name]

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._param.shape

    @lazy_property
    def logits(self):
        """The logits of `probs`."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self):
        """The probabilities of `logits`."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

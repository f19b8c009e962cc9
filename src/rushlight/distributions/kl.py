"""`kl_divergence`: which formula belongs to two kinds of distributions, and the table that users can add to."""

from __future__ import annotations

import warnings

from rushlight.core.tensor import Tensor
from rushlight.distributions.distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict = {}


def register_kl(type_p: type, type_q: type):
    """A decorator that enters a function of p and q for two classes of distributions.

    Where several entries fit, by the bases of p's and q's classes, the most specific one is taken. The classes need not
    be distributions: packages have some of their own. Raises TypeError if one of the two is no class.
    """
    if not (isinstance(type_p, type) and isinstance(type_q, type)):
        raise TypeError("issubclass() arg 1 must be a class")

    def decorate(function):
        _KL_REGISTRY[type_p, type_q] = function
        return function

    return decorate


def _formula(type_p, type_q):
    """The function for the most specific pair of classes, None if there is none."""
    fitting = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not fitting:
        return None
    by_p = {kind: place for place, kind in enumerate(type_p.__mro__)}
    by_q = {kind: place for place, kind in enumerate(type_q.__mro__)}
    first = min(fitting, key=lambda pair: (by_p[pair[0]], by_q[pair[1]]))
    other = min(fitting, key=lambda pair: (by_q[pair[1]], by_p[pair[0]]))
    if _KL_REGISTRY[first] is not _KL_REGISTRY[other]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({first[0].__name__}, {other[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[first]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The divergence of Kullback and Leibler from q to p: the mean of `log p(x) - log q(x)` over x drawn from p.

    Raises NotImplementedError if there is no formula for the two kinds.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    formula = _formula(type(p), type(q))
    if formula is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return formula(p, q)

"""`kl_divergence`: selects the formula for two classes of distributions; users can register more."""

from __future__ import annotations

import warnings

from rushlight.core.tensor import Tensor
from rushlight.distributions.distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict = {}
SELECTED: dict = {}  # class of p -> class of q -> the function: those registered, and others that were searched


def register_kl(type_p: type, type_q: type):
    """Returns a decorator that registers a function of p and q for two classes of distributions.

    If several entries match base classes of p and q, the most specific one is used. The classes need not be
    distributions: packages register their own. Raises TypeError if an argument is not a class.
    """
    if not (isinstance(type_p, type) and isinstance(type_q, type)):
        raise TypeError("issubclass() arg 1 must be a class")

    def decorate(function):
        _KL_REGISTRY[type_p, type_q] = function
        SELECTED.clear()
        for (p, q), each in _KL_REGISTRY.items():
            SELECTED.setdefault(p, {})[q] = each
        return function

    return decorate


def _formula(type_p, type_q):
    """Returns the function for the most specific pair of classes, None if there is none."""
    of_p = SELECTED.get(type_p)
    if of_p is None:
        of_p = SELECTED[type_p] = {}
    if type_q not in of_p:
        of_p[type_q] = _selected(type_p, type_q)
    return of_p[type_q]


def _selected(type_p, type_q):
    """Searches the registry. Warns if the order of the two classes matters."""
    fitting = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not fitting:
        return None
    by_p = {cls: index for index, cls in enumerate(type_p.__mro__)}
    by_q = {cls: index for index, cls in enumerate(type_q.__mro__)}
    first = min(fitting, key=lambda pair: (by_p[pair[0]], by_q[pair[1]]))
    second = min(fitting, key=lambda pair: (by_q[pair[1]], by_p[pair[0]]))
    if _KL_REGISTRY[first] is not _KL_REGISTRY[second]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({first[0].__name__}, {second[1].__name__})",
            RuntimeWarning,
            stacklevel=4,
        )
    return _KL_REGISTRY[first]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Returns the Kullback-Leibler divergence of p from q: the mean of `log p(x) - log q(x)` over x drawn from p.

    Raises NotImplementedError if there is no formula for the two classes.

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

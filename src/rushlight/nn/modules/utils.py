"""Expands one value to all dimensions."""

from collections.abc import Iterable


def _ntuple(count, name="parse"):
    """Returns a function that makes a tuple of `count` from one value, and returns sequences as they are."""

    def parse(value):
        return tuple(value) if isinstance(value, Iterable) else (value,) * count

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")

"""Checks of `complex_numbers.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.declarations.dtype_rules import unimplemented

PARTS = frozenset("efd")  # half, float and double; NumPy's kind f includes 8-bit floats


def same_floats(one, other) -> None:
    """The parts of a complex number are floating-point numbers of one dtype."""
    if one.dtype == other.dtype and one.dtype.char in PARTS:
        return
    names = [SCALAR_NAMES[BY_NUMPY[each.dtype]] for each in (one, other)]
    if one.dtype.char not in PARTS or other.dtype.char not in PARTS:
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got {} and {}".format(*names))
    raise RuntimeError("Expected object of scalar type {} but got scalar type {} for second argument".format(*names))


def check_polar_dtype(abs) -> None:
    if abs.dtype.itemsize < 4:
        raise unimplemented("polar_cpu")(BY_NUMPY[abs.dtype])

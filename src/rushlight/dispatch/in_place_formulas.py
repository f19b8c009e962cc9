"""In place, by formulas of several steps: few numbers are computed and put where they came from, and nothing else.

Or some are put where positions and masks say, by the functions of `arrays.inplace_scatter`.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import bool as bool_
from rushlight.core.dtype import float32, float64, int8, int16, int64, uint8
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.policy import MEDIUM
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.tables import xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.dispatch.in_place_numbers import ANY, EASY, free_array, is_apart, overwritten_by
from rushlight.dispatch.numpy_errors import FAILURES

FLOATS = frozenset((float32.numpy, float64.numpy))
PLACES = frozenset((int64.numpy, bool_.numpy))  # the dtypes of indices and masks
ALIKE: frozenset = frozenset()  # none: elements are computed with others of their own dtype
SMALL_WHOLE = frozenset((int8.numpy, int16.numpy, uint8.numpy))
NUMBERS = frozenset((int, float))
PARAMETERS = frozenset((int, float, bool, str, type(None)))


def computed_into(formula, function, kinds: frozenset, tensor: Tensor, *given, **named) -> bool:
    """Writes what a formula of arrays gives, where nothing but a few floats changes; whether it did.

    Beside a tensor stand others of its dtype or of `kinds`, without a history, and plain parameters. Many numbers are
    computed by a kernel where they stand, if the formula has one for them.
    """
    array = free_array(tensor, ANY)
    if array is None or (kind := array.dtype) not in FLOATS:
        return False
    raw = raw_beside(tensor, kind, kinds, given) if given else given
    if raw is None:
        return False
    for each in named.values():
        if type(each) not in PARAMETERS:
            return False
    token = set_errors(xp.IGNORED)
    try:
        if array.size < MEDIUM or not overwritten_by(formula, array, raw, named):
            found = formula(array, *raw, **named) if raw or named else formula(array)
            if found.dtype is not kind or found.shape != array.shape:
                return False
            array[...] = found
    except FAILURES:
        return False
    finally:
        reset_errors(token)
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def placed_into(kernel, function, tensor: Tensor, *given) -> bool:
    """Writes by a function of an array, and of positions, masks and what goes there; whether it did.

    It raises before it has written anything if that is not for it. What counts is how many places are written to: an
    array is not copied for a few, however large it is.
    """
    array = free_array(tensor, ANY)
    if array is None or not array.flags.c_contiguous:
        return False
    if (kind := array.dtype) not in EASY and (kind not in SMALL_WHOLE or not NUMBERS.isdisjoint(map(type, given))):
        return False  # numbers may not fit
    raw = raw_beside(tensor, kind, PLACES, given)
    if raw is None:
        return False
    token = set_errors(xp.IGNORED)
    try:
        kernel(array, *raw)
    except FAILURES:
        return False
    finally:
        reset_errors(token)
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def raw_beside(tensor: Tensor, kind, kinds: frozenset, given) -> list | None:
    """Arrays of one dtype or of `kinds`, apart from a tensor, and plain parameters; None where there is another."""
    raw: list = []
    for each in given:
        if type(each) in PLAIN_TYPES:
            values, store = each._array, each._store
            if type(values) is not np.ndarray or not (values.dtype is kind or values.dtype in kinds):
                return None
            # What `is_apart` asks: few numbers are computed in the time of a call or two
            if not (each._edge is None is each._base) and not is_apart(each, tensor):
                return None
            if each is tensor or (store is not None and store is tensor._store):
                return None
            raw.append(values)
        elif type(each) in PARAMETERS:
            raw.append(each)
        elif type(each) is tuple or type(each) is list:
            several = raw_beside(tensor, kind, kinds, each)
            if several is None:
                return None
            raw.append(several)
        else:
            return None
    return raw

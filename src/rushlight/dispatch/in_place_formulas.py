"""In place, by formulas of several steps: few numbers are computed and put where they came from, and nothing else."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import bool as bool_
from rushlight.core.dtype import float32, float64, int64
from rushlight.core.large import LARGE
from rushlight.core.modes import MODE
from rushlight.core.noting import NOTING, note_write
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.dispatch.errors_of_numpy import FAILURES, IGNORED, reset_errors, set_errors
from rushlight.dispatch.in_place_numbers import is_apart, is_untracked

get_mode, ndarray = MODE.get, np.ndarray
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
PLACES = frozenset((int64.numpy, bool_.numpy))  # the dtypes of indices and masks
ALIKE: frozenset = frozenset()  # none: elements are computed with others of their own dtype
PARAMETERS = frozenset((int, float, bool, str, type(None)))


def computed_into(formula, function, kinds: frozenset, tensor: Tensor, *given, **named) -> bool:
    """Writes what a formula of arrays gives, where nothing but a few floats changes; whether it did.

    Beside a tensor stand others of its dtype or of `kinds`, without a history, and plain parameters.
    """
    # What `free_array` asks, without the call
    if type(tensor) is not Tensor and type(tensor) not in PLAIN_TYPES:
        return False
    array, mode = tensor._array, get_mode()
    if mode is not False and not (mode is True and (tensor._edge is None is tensor._base or is_untracked(tensor))):
        return False
    if type(array) is not ndarray or not ((kind := array.dtype) is FLOAT32 or kind is FLOAT64):
        return False
    if array.size >= LARGE or not array.flags.forc or (storage := tensor._store or tensor._storage).inference:
        return False
    raw = []
    for each in given:
        if type(each) in PARAMETERS:
            raw.append(each)
        elif type(each) in PLAIN_TYPES:
            values = each._array
            if type(values) is not ndarray or not (values.dtype is kind or values.dtype in kinds):
                return False
            if not is_apart(each, tensor):
                return False
            raw.append(values)
        else:
            return False
    if named and not all([type(each) in PARAMETERS for each in named.values()]):
        return False
    token = set_errors(IGNORED)
    try:
        found = formula(array, *raw, **named) if raw or named else formula(array)
    except FAILURES:
        return False
    finally:
        reset_errors(token)
    if found.dtype is not kind or found.shape != array.shape:
        return False
    array[...] = found
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True

"""In place where nothing but numbers changes: there is no history, and no memory that is read and written at once.

A ufunc writes where it reads, what is moved is copied. Each function tells whether it has written; if it has not, the
long way (`inplace.write`) begins, which knows everything else, and says what is wrong.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.elementwise import FITTING_NUMBERS, scaled
from rushlight.core import dtype as dtypes
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import LARGE, MEDIUM
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.tables import xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.dispatch.plan import SCALING
from rushlight.dispatch.short import FITTED, FLOAT32, number_beside

get_mode = MODE.get
ndarray, ufunc = np.ndarray, np.ufunc
BARE = frozenset((float, int))
# The types of those that an array takes, by the letter of its dtype.
NUMBERS_FOR = {"?": (), **dict.fromkeys("fdeE", (float, int)), **dict.fromkeys("lqihbB", (int,))}
MANY = 4 * LARGE  # numbers, from which on kernels write in place: up to there, what they ask takes longer than a copy
ANY = math.inf
# The dtypes that are computed in as they are, of which the fast paths know.
EASY = frozenset(map(np.dtype, ("float32", "float64", "int64", "int32", "bool")))
# Those that are moved as they are: nothing is computed.
MOVED = EASY | dtypes.HALVES | frozenset(map(np.dtype, ("int8", "int16", "uint8")))
REAL = MOVED | frozenset(map(np.dtype, ("uint16", "uint32", "uint64")))
# What may become infinite, or the largest number, is not written in passing: whether it fits is asked on the long way.
HELD = {"e": 6e4, "E": 3e38, "f": 3e38, "d": math.inf}


def written_by(kernel, function, kinds: frozenset, tensor: Tensor, other=NOTHING, alpha=1, fits=False) -> bool:
    """Writes by a ufunc what `function` would return, where only numbers change, all of one dtype; whether it did.

    A number that has to fit the dtype may have to be left to the long way, which knows in which dtypes.
    """
    # What `free_array` asks, without the call: of few numbers all that stands here takes as long as the ufunc.
    if type(tensor) is not Tensor and type(tensor) not in PLAIN_TYPES:
        return False
    array, mode = tensor._array, get_mode()
    if mode is not False and not (mode is True and (tensor._edge is None is tensor._base or is_untracked(tensor))):
        return False
    if type(array) is not ndarray or not array.flags.forc or (storage := tensor._store or tensor._storage).inference:
        return False
    kind, given = array.dtype, type(other)
    if array.size >= LARGE and not (type(kernel) is ufunc and is_even(array, other)):
        return False
    if widened := not (kind is FLOAT32 or kind in kinds):
        if kind not in dtypes.HALVES or alpha != 1 or array.size >= MEDIUM:
            return False
    if given is Tensor or given in PLAIN_TYPES:
        values = other._array
        # Neither a history nor, but for the same elements, the memory of what is written to
        if values.dtype is not kind or not (other is tensor or is_apart(other, tensor, array)):
            return False
    elif other is not NOTHING and (given not in NUMBERS_FOR[kind.char] or alpha != 1):
        return False
    token = set_errors(xp.IGNORED)
    try:
        if widened:
            if fits and given in BARE and FITTED[kind][other] is None:
                return False
            rounded_into(kernel, function.__name__, array, values if given in PLAIN_TYPES else other)
        elif other is NOTHING:
            kernel(array, array)
        elif given is int or given is float:
            numbers = (FITTING_NUMBERS if fits else ARRAY_NUMBERS)[kind]
            kernel(array, numbers[other] if other or given is float else numbers.zero, out=array)
        elif alpha == 1 or not is_scaled(function, array, values, alpha):
            kernel(array, values if alpha == 1 else scaled(values, alpha), out=array)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False  # nothing has been written yet, and the long way explains it
    finally:
        reset_errors(token)
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def is_even(array, other) -> bool:
    """Whether a ufunc finds floats one behind the other in both operands, or has one number beside them."""
    return array.dtype.char in "fd" and (type(other) not in PLAIN_TYPES or other._array.shape == array.shape)


def is_scaled(function, array, values, alpha) -> bool:
    """Whether machine code has written what a function gives of an array and a multiple of another, in one pass."""
    machine = SCALING.get(function.__name__)
    return (
        machine is not None
        and array.size >= MEDIUM
        and type(alpha) in (int, float)
        and abs(alpha) < HELD["f"]
        and is_even(array, values)
        and values.shape == array.shape
        and machine(array, values, alpha)
    )


def rounded_into(kernel, name: str, array, other) -> None:
    """Writes to an array of half precision what a ufunc gives of it, and of another or a number, as float32."""
    wide = array.astype(FLOAT32)
    if other is NOTHING:
        kernel(wide, out=wide)
    elif type(other) is np.ndarray:
        kernel(wide, other.astype(FLOAT32), out=wide)
    else:
        kernel(wide, number_beside(name, array.dtype, other), out=wide)
    array[...] = wide


def converted_into(tensor: Tensor, source: Tensor) -> bool:
    """Writes real numbers of another dtype, where only numbers change; whether it did."""
    array, values = free_array(tensor), source._array
    if array is None or type(values) is not np.ndarray or values.size >= LARGE or values.ndim > array.ndim:
        return False
    if array.dtype not in REAL or values.dtype not in REAL or not is_apart(source, tensor):
        return False
    try:
        xp.cast_into(array, values)
    except ValueError:
        return False
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, OPS["copy_values"].function)
    return True


def written_with(kernel, function, kinds: frozenset, tensor: Tensor, *operands) -> bool:
    """The same by a function of a tensor and of masks, numbers or None, which sets no flags."""
    array = free_array(tensor, MANY)
    if array is None and hasattr(kernel, "overwrite"):
        array = free_array(tensor, ANY)
    if array is None or array.dtype not in kinds:
        return False
    try:
        given = [_operand(each, tensor, array) for each in operands] if operands else ()
        if array.size < LARGE or not overwritten_by(kernel, array, given, {}):
            kernel(array, *given, array)
    except (TypeError, ValueError, OverflowError):
        return False
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def overwritten_by(formula, array, given, named: dict) -> bool:
    """Whether a kernel has put the result in the place of an array. Raises ValueError for so many that one should."""
    overwrite = getattr(formula, "overwrite", None)
    if overwrite is not None and overwrite(array, *given, **named):
        return True
    if array.size >= MANY:
        raise ValueError
    return False


def _operand(value, tensor: Tensor, array):
    """A mask, a number or None as a kernel takes it. Raises TypeError for anything else."""
    if value is None:
        return None
    if type(value) in NUMBERS_FOR[array.dtype.char]:
        if HELD.get(array.dtype.char, math.inf) <= abs(value) < math.inf:
            raise OverflowError
        return ARRAY_NUMBERS[array.dtype][value]
    if type(value) in PLAIN_TYPES and value._array.dtype.char == "?" and is_apart(value, tensor):
        return value._array
    raise TypeError


def is_apart(other: Tensor, tensor: Tensor, array=None) -> bool:
    """Whether an operand has neither a history nor the memory of what is written to, save where it shows `array`."""
    if not (other._edge is None is other._base) and not (get_mode() is False or is_untracked(other)):
        return False
    return (other._store or other) is not (tensor._store or tensor) or other._array is array


def overwritten(array, value, out):
    """One number in the place of all elements. Raises ValueError for more, and for what may be too large a number."""
    if value.ndim or not abs(value.item()) < HELD.get(value.dtype.char, math.inf):
        raise ValueError
    out[...] = value


def replaced(array, values, out):
    """Others in the place of all elements. Raises ValueError where they have more dimensions."""
    if values.ndim > out.ndim:
        raise ValueError
    out[...] = values


def cleared(array, out):
    """0 in the place of all elements."""
    if out.size >= MEDIUM or out.dtype.kind == "V":  # bytes are filled by the C library, and bfloat16 is no stranger
        out = out.reshape(-1, order="A").view(np.uint8)
    out.fill(0)


def filled(array, mask, value, out):
    """A number wherever a mask is true. Raises TypeError for what is neither, and for so many as a kernel is for."""
    if mask is None or value is None or mask.dtype.char != "?" or value.ndim or out.size >= LARGE:
        raise TypeError
    if out.size < MEDIUM and mask.shape == out.shape:
        out[mask] = value
    else:
        np.copyto(out, value, where=mask)


def free_array(tensor: Tensor, most: float = LARGE):
    """The array of a tensor of which a write changes the numbers and nothing else, if it is smaller; else None."""
    if type(tensor) is not Tensor and type(tensor) not in PLAIN_TYPES:
        return None
    array, mode, store = tensor._array, get_mode(), tensor._store
    if mode is not False:
        # The first line of `is_untracked`, which it spares most tensors
        if mode is not True or not (tensor._edge is None is tensor._base or is_untracked(tensor)):
            return None
    if type(array) is not ndarray or array.size >= most or not array.flags.forc:
        return None
    return None if store is not None and store.inference else array


def is_untracked(tensor: Tensor) -> bool:
    """Whether there is no history, neither of a tensor nor of what it is a view of."""
    return tensor._edge is None and (tensor._base is None or (tensor._base._edge is None and edge_of(tensor) is None))

"""The short way of few numbers where the fast path does not know the dtype, or finds several.

Half precision is made float32, computed and rounded; bytes, complex numbers and what is to have another dtype are
computed as they are, several dtypes in the one that they are promoted to. The general path finds this out as well, for
any operands, and takes ten times as long for it as NumPy for the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from rushlight.arrays.elementwise import largest
from rushlight.core.dtype import BY_NUMPY, HALVES, PROMOTED, REDUCED, REDUCED_NUMPY, dtype
from rushlight.core.formats import laid_out
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.modes import MODE
from rushlight.core.numbers import ARRAY_NUMBERS, MANY
from rushlight.core.policy import LARGE, MEDIUM
from rushlight.core.tables import forward, objects, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import CONSTANT, OPERANDS, OPS, OPTIONAL, OPTIONAL_CONSTANT, TENSOR, TENSORS
from rushlight.dispatch.numpy_errors import FAILURES
from rushlight.dispatch.operands import FACTORS, WIDE_FACTORS, is_number
from rushlight.dispatch.plan import CONVERTING
from rushlight.dispatch.recording import FOLLOWED, record

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
FLOATING = HALVES | {FLOAT32, FLOAT64}
ROUNDED: dict = {half: {} for half in HALVES}  # numbers that have been rounded, as float32


class Fitted(dict):
    """What numbers are in half precision, as Python's; None for those that it cannot hold."""

    def __init__(self, half):
        super().__init__()
        self.half = half

    def __missing__(self, number):
        if not number:
            return number  # 0.0 and -0.0 are one key
        if len(self) >= MANY:
            self.clear()
        rounded = float(xp.cast(ARRAY_NUMBERS[FLOAT32][number], self.half))
        self[number] = found = rounded if abs(number) <= largest(self.half) or math.isinf(number) else None
        return found


FITTED = {half: Fitted(half) for half in HALVES}
ROUNDED_ONCE = frozenset(("add", "sub", "mul"))  # by NumPy as by PyTorch: float32 has digits for all
ANY = math.inf
AS_THEY_ARE = "biufc"  # NumPy's kinds of dtypes that are computed in themselves
# What an argument is to an operator.
ELSEWHERE, LEFT_OUT, KIND, PLAIN, NUMBER, FITTING, BESIDE = range(7)
WIDENED, WIDENED_OR_NUMBER, WIDENED_OR_FITTING, SEVERAL = range(7, 11)


@cache
def plan_of(op) -> list | None:
    """How an operator takes its arguments on this way, as (part, default, name if it needs one); None for another."""
    if op.view or op.multi_output or op.cross_device or (op.dtype == "common" and not op.exact):
        return None
    parts = tuple([part_of(op, place, each) for place, each in enumerate(op.arguments)])
    if ELSEWHERE in parts:
        return None
    return [
        (part, each.default, each.name if each.keyword_only else None)
        for part, each in zip(parts, op.arguments, strict=True)
    ]


def part_of(op, place: int, argument) -> int:
    if argument.role in (TENSOR, OPTIONAL):
        if not place or op.exact or not op.takes_number(argument.name):
            return WIDENED
        return WIDENED_OR_FITTING if argument.name in op.casts_scalar else WIDENED_OR_NUMBER
    if argument.role in (CONSTANT, OPTIONAL_CONSTANT):
        return BESIDE
    if argument.name in FACTORS:  # what else than the default may stand there is looked at elsewhere
        return LEFT_OUT
    if argument.name == "dtype":
        return KIND
    if argument.role == TENSORS:
        return SEVERAL if op.exact else ELSEWHERE
    return FITTING if argument.name in op.casts_scalar else NUMBER if is_number(argument) else PLAIN


def shortly(op, arguments: tuple, kind=None, *, many: bool = False):
    """The result where nothing stands in the way of the short way; None where there is more to think of.

    Operands are of one dtype; those of several are brought to `kind`, once that is known, `many` numbers by a kernel.
    """
    mode = MODE.get()
    if not (mode is True or mode is False) or (rows := plan_of(op)) is None:
        return None
    known = kind is not None
    half, work, most = way_of(op.exact, kind) if known else (None, None, LARGE)
    given: list = []
    named, recorded = {}, False
    for (part, default, name), value in zip(rows, arguments, strict=True):
        raw = value
        if part >= WIDENED and type(value) in PLAIN_TYPES:
            if type(raw := value._array) is Unresolved:
                return of_resolved(op, arguments)
            if not known:
                if kind is None:
                    kind = raw.dtype
                    half, work, most = way_of(op.exact, kind)
                elif raw.dtype is not kind:
                    return of_several(op, arguments)
                if type(raw) is not np.ndarray or raw.size >= most:
                    if half is None or given or op.name not in CONVERTING or type(raw) is not np.ndarray:
                        return None if half is None else of_many(op, arguments)
                    many, most = True, ANY  # of the first operand; the others are asked as they come
                if many and not raw.ndim:
                    return None
            if mode and (value._edge is not None or value._base is not None):
                recorded = recorded or has_history(value)
            if raw.dtype is not work and not many:
                raw = raw.astype(work) if raw.flags.c_contiguous else xp.astype(raw, work)
        elif part == SEVERAL:
            if not known:
                return of_several(op, arguments)
            raw = [each._array for each in value]
            recorded = mode and any([has_history(each) for each in value])
        elif part >= WIDENED_OR_NUMBER and kind is not None and changes_nothing(kind, value, op.dtype == "bool"):
            raw = ARRAY_NUMBERS[kind][value] if half is None else number_beside(op.name, half, value)
            if part == WIDENED_OR_FITTING and half is not None and FITTED[half][value] is None:
                return None
        elif part == FITTING and half is not None and (type(value) is float or type(value) is int):
            raw = FITTED[half][value]
            if raw is None:
                return None
        elif not is_taken(part, default, value, as_it_is=half is None and not many):
            return None
        elif part == BESIDE and value is not None:
            raw = value._array
        if name is None:
            given.append(raw)
        elif many or value is not default:
            named[name] = raw
    if kind is None or (op.dtype == "float" and kind.kind in "biu") or is_refused(op, arguments, kind):
        return None
    if many:
        return None if recorded else by_kernel(op, [*given, *named.values()], work, kind)
    if recorded and len(op.results) > 1:
        return None
    tensor = computed(op, given, named, half)
    if recorded and tensor is not None and op.derivatives and tensor._array.dtype.kind in FOLLOWED:
        record(op, arguments, tensor, FLOAT32 if work is not kind else None)
    return tensor


def between_halves(op, input: Tensor, other: Tensor) -> Tensor | None:
    """What NumPy gives of few numbers of one half precision, which it widens and rounds itself, where that is the same.

    None of anything else, and where there is a history.
    """
    array, values, mode = input._array, other._array, MODE.get()
    if op.name not in ROUNDED_ONCE or values.dtype is not array.dtype or not (mode is True or mode is False):
        return None
    if type(array) is not np.ndarray or array.size >= MEDIUM or values.size >= MEDIUM:
        return None
    return None if mode and (has_history(input) or has_history(other)) else computed(op, [array, values], {}, None)


@cache
def way_of(exact: bool, kind) -> tuple:
    """The dtype if it is half precision, the one that is computed in, and how many elements are too many.

    A thousand numbers of half precision and more, and of several dtypes, are left to the kernels that convert. No
    kernel waits for whole and complex numbers, or for what is only moved: of these there are never too many.
    """
    if kind in HALVES:
        return kind, kind if exact else FLOAT32, ANY if exact else MEDIUM
    most = (ANY if exact or kind not in FLOATING else LARGE) if is_known(kind) else 0
    # Of the dtype alone: one with a mark is the same key.
    return None, kind if kind.metadata is None else np.dtype(kind.type), most


def of_resolved(op, arguments: tuple) -> Tensor | None:
    """The same of numbers in the place of conjugates and negatives that nobody has computed, if nothing is recorded."""
    tensors = [each for each in arguments if type(each) in PLAIN_TYPES]
    if MODE.get() and any([has_history(each) for each in tensors]):
        return None
    given = list(arguments)
    for place, each in enumerate(arguments):
        if type(each) in PLAIN_TYPES and type(each._array) is Unresolved:
            given[place] = made_of(each._array.resolved())
    return called(OPS[op.name], given)  # what is behind a method or an operator takes fewer arguments


def called(op, given: Sequence):
    """The generated function on all its arguments in order: the quick way, where there is one."""
    if not op.arguments[-1].keyword_only:
        return op.function(*given)
    last = sum([not each.keyword_only for each in op.arguments])
    named = {each.name: value for each, value in zip(op.arguments[last:], given[last:], strict=True)}
    return op.function(*given[:last], **named)


def of_several(op, arguments: tuple) -> Tensor | None:
    """The same where operands are lists of tensors, or tensors of several dtypes."""
    operands = [each for each, (part, _, _) in zip(arguments, plan_of(op) or (), strict=True) if part >= WIDENED]
    kind = common_of(op, operands)
    return of_many(op, arguments) if kind is None else shortly(op, arguments, kind)


def common_of(op, operands: list):
    """The dtype of what is differentiated, in the CPU's memory, or of few numbers that to which all are promoted.

    None where arrays are another's to look at: those of 8-bit floats, those of other dtypes without dimensions.
    """
    kind, mixed, scalars, many = None, False, False, False
    for value in operands:
        if type(value) not in PLAIN_TYPES:
            if type(value) in (list, tuple):
                if not all([type(each) in PLAIN_TYPES for each in value]):
                    return None
                operands += value  # the loop comes to them
            elif value is not None and type(value) is not int and type(value) is not float:
                return None
            continue
        array = value._array
        if type(array) is not np.ndarray or (array.size >= MEDIUM and array.dtype in HALVES):
            return None
        many = many or array.size >= LARGE
        if kind is None:
            kind = array.dtype
        elif array.dtype is not kind and array.dtype != kind:
            kind, mixed = promoted(kind, array.dtype), True
            if kind is None:
                return None
        scalars = scalars or not array.ndim
    if kind is None or not is_known(kind) or (mixed and (scalars or many or op.exact or op.dtype == "keep")):
        return None
    if many and kind in FLOATING and not op.exact:  # for which there may be kernels that convert
        return None
    return kind


def has_history(tensor: Tensor) -> bool:
    return tensor._edge is not None or (tensor._base is not None and edge_of(tensor) is not None)


@cache
def promoted(first, second):
    """The dtype to which arrays of two are brought; None where one of them is none of those."""
    found = PROMOTED.get((BY_NUMPY.get(first), BY_NUMPY.get(second)))
    return found.numpy if found is not None and is_known(first) and is_known(second) else None


def is_known(kind) -> bool:
    return kind in HALVES or (kind.kind in AS_THEY_ARE and kind not in REDUCED_NUMPY)


def of_many(op, arguments: tuple) -> Tensor | None:
    """The same of many floats, where a kernel may convert what it loads."""
    if op.name not in CONVERTING or op.exact:
        return None
    operands = [each for each, (part, _, _) in zip(arguments, plan_of(op) or (), strict=True) if part >= WIDENED]
    kind = common_float([each._array for each in operands if type(each) in PLAIN_TYPES])
    return None if kind is None else shortly(op, arguments, kind, many=True)


def by_kernel(op, given: list, work, kind) -> Tensor | None:
    """What a kernel gives that computes in the dtype `work`, in the dtype that operands have in common."""
    token = set_errors(xp.IGNORED)
    try:
        found = CONVERTING[op.name]({each.name: raw for each, raw in zip(op.arguments, given, strict=True)}, work, kind)
    except FAILURES:
        return None
    finally:
        reset_errors(token)
    if found is None:
        return None
    found = np.asarray(found)  # which may be one number
    return made_of(xp.cast(found, kind) if kind is not work and found.dtype == FLOAT32 else found)


def common_float(arrays: list) -> np.dtype | None:
    """The dtype of what floats have in common, of which there are many; None of anything else."""
    if not all([type(each) is np.ndarray and each.ndim for each in arrays]):
        return None
    kinds = {each.dtype for each in arrays}
    if not kinds <= FLOATING or max([each.size for each in arrays], default=0) < MEDIUM:
        return None
    return FLOAT64 if FLOAT64 in kinds else FLOAT32 if len(kinds) > 1 else kinds.pop()


def changes_nothing(kind, number, compared: bool = False) -> bool:
    """Whether arrays of the dtype stay what they are beside a number, which fits, or is a truth and only compared."""
    if kind.kind == "b":
        return compared and type(number) is bool
    if kind.kind in "iu":
        return type(number) is int and 0 <= number < 128
    return kind.kind in "fcV" and (type(number) is float or type(number) is int)


def number_beside(name: str, half, number):
    """A number as float32, rounded to the dtype beside it first save where it multiplies or divides."""
    found = ARRAY_NUMBERS[FLOAT32][number]
    if name in WIDE_FACTORS or not number:  # 0.0 and -0.0 are one key
        return found
    known = ROUNDED[half]
    if number not in known:
        if len(known) >= MANY:
            known.clear()
        known[number] = xp.cast(xp.cast(found, half), FLOAT32)
    return known[number]


def is_taken(part: int, default, value, *, as_it_is: bool) -> bool:
    """Whether an argument that is neither widened nor a number beside needs no thought.

    Another dtype may be asked for where operands are computed in as they are.
    """
    if part == LEFT_OUT:
        return value is default or (type(value) is int and value == default)
    if part == KIND:
        return value is None or (as_it_is and type(value) is dtype and value not in REDUCED)
    if part == BESIDE:
        return value is None or (type(value) in PLAIN_TYPES and type(value._array) is np.ndarray)
    if part >= WIDENED:
        return value is None
    return type(value) in (int, float, bool) if part in (NUMBER, FITTING) else not isinstance(value, Tensor)


def is_refused(op, arguments: tuple, kind) -> bool:
    """Whether an operator has no kernel for the dtype, or for these operands."""
    refusal = op.refuses
    if refusal is None:
        return False
    if op.refused_by is not None:
        asked = [value.dtype for value, each in zip(arguments, op.arguments, strict=True) if each.name in op.refused_by]
        return max(each.category for each in asked) in refusal
    if not callable(refusal):
        return BY_NUMPY[kind] in refusal or BY_NUMPY[kind].category in refusal
    operands = [value for value, each in zip(arguments, op.arguments, strict=True) if each.role in OPERANDS]
    return refusal(*operands) is not None


def computed(op, given: list, named: dict, half):
    """The operator's `forward`, rounded and wrapped. Whatever goes wrong, the general path meets again and explains.

    Several results come as the tuple that the operator returns.
    """
    token = set_errors(xp.IGNORED)
    try:
        # A call with names, be there none, takes NumPy's functions in it 0.5 us longer
        run = getattr(forward, op.name)
        found = run(xp, *given, **named) if named else run(xp, *given)
        if len(op.results) > 1:
            found = [made_of(rounded(op, each, half)) for each in found]
            return op.named_tuple(*found) if op.named_tuple else tuple(found)
        found = rounded(op, found, half)
        if found.ndim > 2 and op.kind == "elementwise":
            arrays = [each for each in (*given, *named.values()) if type(each) is np.ndarray]
            found = laid_out(found, arrays, op.contiguous_result)
    except FAILURES:
        return None
    finally:
        reset_errors(token)
    return made_of(found)


def rounded(op, found, half):
    """A result as an array, in half precision if that was widened."""
    if type(found) is not np.ndarray:
        found = np.asarray(found)
    return found.astype(half) if half is not None and found.dtype == FLOAT32 and not op.exact else found


def made_of(array) -> Tensor:
    tensor = objects.tensor(None)
    tensor._array = array
    tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
    return tensor

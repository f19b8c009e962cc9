"""Memory that is read and written in one call: what PyTorch refuses, for `out=` and in place, in one place.

Here a result is computed before it is written, so an overlap spoils nothing. It is refused all the same where PyTorch
refuses it: a program that is right here has to be right there. The rules are those of PyTorch's `MemoryOverlap.h`: two
tensors without gaps overlap fully or partly, what has gaps is not looked into.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.inplace_errors import refuse_expanded
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.strides import is_dense
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS

FULL, PARTIAL = "full", "partial"


def overlap(one: Tensor, other: Tensor) -> str | None:
    """FULL if two tensors are the same elements in the same order, PARTIAL if they share some, None if none."""
    if one is other:
        return FULL
    a, b = beneath(one._array), beneath(other._array)
    if one._storage is not other._storage or not _is_dense(a) or not _is_dense(b):
        return None
    first, second = one.data_ptr(), other.data_ptr()
    if first == second and a.nbytes == b.nbytes:
        return FULL if one.stride() == other.stride() else PARTIAL
    return PARTIAL if first < second + b.nbytes and second < first + a.nbytes else None


def _is_dense(array) -> bool:
    """Whether an array of the CPU has elements, without gaps between them and none in the place of another."""
    return isinstance(array, np.ndarray) and array.size > 0 and is_dense(array)


def refuse_overlap(out: Tensor, operands, rule: str | None = "full") -> None:
    """Raises RuntimeError if a tensor that is written to shares memory with an operand against the rule."""
    for each in operands:
        if isinstance(each, Tensor):
            if each is out or each._storage is out._storage:
                found = overlap(out, each)
                if found == PARTIAL or (found == FULL and rule != "full"):
                    raise refusal()
        elif isinstance(each, (tuple, list)):
            refuse_overlap(out, each, rule)


def check_in_place(tensor: Tensor, name: str, arguments: tuple) -> None:
    """Raises RuntimeError if the in-place form of an operator may not write to a tensor that the others share."""
    for at, each in enumerate(arguments, 1):
        several = each if type(each) is tuple or type(each) is list else (each,)
        for one in several:
            if isinstance(one, Tensor) and one._storage is tensor._storage:
                _check_shared(tensor, OPS.get(name), at, one)


def _check_shared(tensor: Tensor, op, at: int, argument: Tensor) -> None:
    """The same for one argument on the memory that is written to. A `value` is read as a number before that."""
    rule = op.overlap if op is not None else None
    if rule != "any" and not (op is not None and at < len(op.arguments) and op.arguments[at].name == "value"):
        refuse_overlap(tensor, (argument,), "none" if rule == "first" else "full")


def check_out(out: Tensor, op, arguments: tuple) -> None:
    """Raises RuntimeError if an operator may not write to `out`, for the memory that it reads or for its own."""
    refuse_expanded(out)
    rule = None if op is None else op.overlap
    if rule == "first":
        refuse_overlap(out, arguments[:1])
        refuse_overlap(out, arguments[1:], "none")
    elif rule not in (None, "any"):
        refuse_overlap(out, arguments, rule)


def refusal() -> RuntimeError:
    error = RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )
    error.add_note("The input and the output share memory: pass a clone() of the input.")
    return error

"""Writes that PyTorch refuses: to memory that is read in the same call, to expanded and to inference tensors.

Here a result is computed before it is written, so an overlap spoils nothing. It is refused all the same, so that a
program that runs here runs there. The rules are those of PyTorch's `MemoryOverlap.h`: two tensors without gaps overlap
fully or partly; tensors with gaps are not checked.
"""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.determinism import levels_to_the_program
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.strides import is_dense
from rushlight.core.tensor import Tensor, look_at
from rushlight.declarations.declare import OPS, Op

FULL, PARTIAL = "full", "partial"

# ---- memory that is read and written in one call


def overlap(one: Tensor, other: Tensor) -> str | None:
    """Returns FULL if two tensors have the same elements in the same order, PARTIAL if they share some, else None."""
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
    """Whether a NumPy array has elements, without gaps or repetitions."""
    return isinstance(array, np.ndarray) and array.size > 0 and is_dense(array)


def refuse_overlap(out: Tensor, operands, rule: str | None = "full") -> None:
    """Raises RuntimeError if a tensor to write shares more memory with an operand than the rule allows."""
    for operand in operands:
        if isinstance(operand, Tensor):
            if operand is out or operand._storage is out._storage:
                shared = overlap(out, operand)
                if shared == PARTIAL or (shared == FULL and rule != "full"):
                    raise refusal()
        elif isinstance(operand, (tuple, list)):
            refuse_overlap(out, operand, rule)


def check_in_place(tensor: Tensor, name: str, arguments: tuple) -> None:
    """Raises RuntimeError if the in-place form of an operator may not write to memory that an argument shares."""
    for position, argument in enumerate(arguments, 1):
        items = argument if type(argument) is tuple or type(argument) is list else (argument,)
        for item in items:
            if isinstance(item, Tensor) and item._storage is tensor._storage:
                _check_shared(tensor, OPS.get(name), position, item)


def _check_shared(tensor: Tensor, op, position: int, argument: Tensor) -> None:
    """Checks one argument on the tensor's memory. A `value` is read as a scalar before the write."""
    rule = op.overlap if op is not None else None
    if rule != "any" and not (
        op is not None and position < len(op.arguments) and op.arguments[position].name == "value"
    ):
        refuse_overlap(tensor, (argument,), "none" if rule == "first" else "full")


def check_out(out: Tensor, op, arguments: tuple) -> None:
    """Raises RuntimeError if an operator may not write to `out`: it is expanded, or shares memory with an operand."""
    refuse_expanded(out)
    rule = None if op is None else op.overlap
    if rule == "first":
        refuse_overlap(out, arguments[:1])
        refuse_overlap(out, arguments[1:], "none")
    elif rule not in (None, "any"):
        refuse_overlap(out, arguments, rule)


def refusal() -> RuntimeError:
    """Returns the error for memory that is read and written in one call."""
    error = RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )
    error.add_note("The input and the output share memory: pass a clone() of the input.")
    return error


# ---- inference tensors


def written_outside() -> RuntimeError:
    """Returns the error for a write to an inference tensor outside inference mode."""
    error = RuntimeError(
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
        "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
    )
    error.add_note("Write to it inside `with torch.inference_mode():`, or to its clone().")
    return error


# ---- expanded tensors


def is_expanded(tensor) -> bool:
    """Whether several elements share one memory location."""
    array = tensor._array
    if 0 in array.strides and array.size and isinstance(beneath(array), np.ndarray):
        return any(step == 0 and length > 1 for length, step in zip(array.shape, array.strides, strict=True))
    return False


def refuse_expanded(tensor) -> None:
    """Raises RuntimeError for an expanded tensor: its elements cannot be written one by one."""
    if is_expanded(tensor):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


# The operators that may still write to an expanded tensor without a history: the name in the warning, an example.
DEPRECATED = {
    "index_fill": ("index_fill_", "tensor[mask] = scalar"), "masked_fill": ("masked_fill_", "tensor[mask] = scalar"),
    "index_put": ("index_put_", "tensor[indices] = tensor"), "put_indices": ("index_put_", "tensor[indices] = tensor"),
}  # fmt: skip


def may_write_expanded(tensor: Tensor, op, arguments: tuple, keywords: dict) -> bool:
    """Whether a tensor is expanded, and one of these operators overwrites elements; adding to them is refused."""
    if not is_expanded(tensor):
        return False
    names = [argument.name for argument in op.arguments[1:]] if isinstance(op, Op) else []
    named = dict(zip(names, arguments, strict=False)) | keywords
    return not named.get("accumulate", False)


def write_expanded(tensor: Tensor, result: Tensor, name: str) -> bool:
    """Writes the elements that an operator has changed, with PyTorch's warning that this is deprecated.

    Returns True: `result` now has one value for each memory location.
    """
    called, example = DEPRECATED[name]
    warnings.warn(
        f"Use of {called} on expanded tensors is deprecated. Please clone() the tensor before performing this "
        f"operation. This also applies to advanced indexing e.g. {example}",
        UserWarning,
        stacklevel=levels_to_the_program(),
    )
    old, new = tensor._array, result._array
    np.copyto(old, new, where=(new != old) & ((new == new) | (old == old)))
    look_at(result, old.copy())
    return True

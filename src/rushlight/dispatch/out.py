"""`out=`: writes results to the tensors that a call names.

The generated functions call `to_out` and `all_to_out` with arrays, the general path and composites `write_out` with
tensors. All three first try `copied`; the checks, casts and resizing below are for what it does not accept.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, CAPTURING
from rushlight.core.errors import noted
from rushlight.core.formats import laid_out
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import beneath, plain, showing
from rushlight.core.modes import MODE, announce_write, current
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.strides import preserving
from rushlight.core.tensor import PLAIN_TYPES, Tensor, look_at, wrap
from rushlight.core.traced import ENTERED, BatchedArray, no_batched_out, traced_arrays
from rushlight.declarations.dtype_rules import no_cast, not_castable
from rushlight.declarations.results import result_type
from rushlight.dispatch import message
from rushlight.dispatch.destination import SEQUENCES, writable
from rushlight.dispatch.operands import has_history
from rushlight.dispatch.refused_writes import check_out, refuse_expanded, written_outside
from rushlight.dispatch.resizing import resize

get_mode = MODE.get


class NotHere(Exception):
    """The fast path leaves a call with `out=` to the general path, which computes again or raises."""


def to_out(out, values, op, *operands):
    """Copies an array, just computed from `operands`, to `out`, and returns `out`."""
    if copied(out, values, op, operands):
        return out
    if type(out) not in PLAIN_TYPES:
        raise NotHere
    if get_mode() and any([operand is not None and has_history(operand) for operand in operands]):
        raise NotHere
    if op.computes_in_out_dtype and out._array.dtype != values.dtype:
        raise NotHere
    values = np.asarray(values)
    if op.kind == "elementwise":
        values = laid_out(
            values, [operand._array for operand in operands if isinstance(operand, Tensor)], op.contiguous_result
        )
    return _write_checked(out, op.called, wrap(values), op, operands)


def all_to_out(out, arrays, returned, op, *operands):
    """Copies several arrays to the tensors of `out`, and returns them as the type for `returned`."""
    if type(out) not in SEQUENCES or len(out) != len(arrays) or not all_copied(out, arrays, op, operands):
        raise NotHere
    return out_type(returned)(out)


def copied(out, values, op, operands) -> bool:
    """Copies an array to a tensor of its shape and dtype if that changes elements and nothing else."""
    target = writable(out, operands, op is not None and op.overlap == "full")
    if target is None or target.dtype is not values.dtype or target.shape != values.shape:
        return False
    target[...] = values
    storage = out._store
    storage.written()
    if NOTING:
        note_write(storage, 3, None)
    return True


def all_copied(outs, arrays, op, operands) -> bool:
    """Copies several arrays in the same way, all or none."""
    same, targets = op is not None and op.overlap == "full", []
    for out, values in zip(outs, arrays, strict=True):
        target = writable(out, operands, same)
        if target is None or target.dtype is not values.dtype or target.shape != values.shape:
            return False
        targets.append(target)
    for out, target, values in zip(outs, targets, arrays, strict=True):
        target[...] = values
        storage = out._store
        storage.written()
        if NOTING:
            note_write(storage, 3, None)
    return True


def in_dtype_of(out, op, arguments: tuple) -> tuple:
    """Returns the arguments of a sum or a product, with the dtype of `out` if the call names none."""
    if not isinstance(out, Tensor):
        return arguments
    position = [argument.name for argument in op.arguments].index("dtype")
    if arguments[position] not in (None, out.dtype):
        raise message.other_dtype(op.computes_in_out_dtype, arguments[position], out.dtype)
    return (*arguments[:position], out.dtype, *arguments[position + 1 :])


def write_out(out, name: str, results, op=None, arguments: tuple = ()):
    """Copies results to the tensors given as `out=`, and returns those.

    Raises what PyTorch raises, before anything is written.
    """
    if ENTERED:
        refuse_traced(out, name, results)
    if isinstance(results, tuple):
        if type(out) in SEQUENCES and len(out) == len(results) and all([_is_plain(result) for result in results]):
            if all_copied(out, [result._array for result in results], op, arguments):
                return out_type(type(results))(out)
    elif _is_plain(results) and copied(out, results._array, op, arguments):
        return out
    return _write_checked(out, name, results, op, arguments)


def refuse_traced(out, name: str, results) -> None:
    """Raises if a result, or what it is written to, has a tangent (NotImplementedError) or a batch (RuntimeError)."""
    for array in traced_arrays((out, results)):
        if type(array) is BatchedArray and array.level.alive:
            raise no_batched_out(name)
        if getattr(array, "tangent", None) is not None and array.level.alive:
            raise NotImplementedError(
                f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
            )


def _is_plain(result) -> bool:
    return type(result) in PLAIN_TYPES and not has_history(result)


def _write_checked(out, name: str, results, op, arguments: tuple):
    """Checks all tensors of `out`, then resizes and writes them."""
    if isinstance(results, tuple):
        _check_several(out, name, results, op, arguments)
        pairs = [*zip(out, results, strict=True)]
    elif isinstance(out, Tensor):
        pairs = [(out, results)]
    else:
        raise _wrong_out(out, name, "Tensor", op, arguments)
    for position, pair in enumerate(pairs):
        _check_target(*pair, name, op, arguments, position if isinstance(results, tuple) else None)
    for pair in pairs:
        _fill_out(*pair)
    return out_type(type(results))(out) if isinstance(results, tuple) else out


@cache
def out_type(returned) -> type:
    """Returns the type of the tuple that a call with `out=` returns: PyTorch has named tuples of their own for it."""
    return result_type(f"{returned.__name__}_out", *returned._fields) if hasattr(returned, "_fields") else returned


def _check_target(out: Tensor, results: Tensor, name: str, op, arguments: tuple, position: int | None) -> None:
    """Raises if PyTorch refuses to write a result, at `position` among several, to a tensor."""
    _check_history(name, current().grad and (edge_of(results) is not None or edge_of(out) is not None))
    _before_write(out)
    check_out(out, op, arguments)
    words = op is not None and (op.out_same_dtype or (position is not None and op.outs_same_dtype))
    if op is not None and op.castable and not dtypes.can_cast(results.dtype, out.dtype):
        raise not_castable(op.castable, position or 0, results.dtype, out.dtype)
    if type(words) is tuple:
        words = words[position or 0]
    if words and out.dtype is not results.dtype:
        raise message.other_dtype(words, results.dtype, out.dtype)
    if op is not None and op.checks_out:
        op.checks_out(out, results, arguments)
    elif op is not None and op.refuses_out:
        op.refuses_out(out)
    elif not dtypes.can_cast(results.dtype, out.dtype):
        raise no_cast(results.dtype, out.dtype)
    if out.device != results.device:
        raise message.different_devices((out.device, results.device))


def _check_history(name: str, recorded: bool) -> None:
    """Raises if a call with `out=` would have to be recorded."""
    if recorded:
        raise noted(
            RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            ),
            "Call the function without out=, or under torch.no_grad().",
        )


def _check_several(out, name: str, results: tuple, op, arguments: tuple) -> None:
    """Raises unless `out` has one tensor for each result."""
    if op is not None and op.refuses_several:
        is_one = isinstance(out, Tensor)
        raise RuntimeError(op.refuses_several) if is_one else _wrong_out(out, name, "Tensor", op, arguments)
    if not isinstance(out, (tuple, list)):
        raise _wrong_out(out, name, "tuple of Tensors", op, arguments)
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for position, tensor in enumerate(out):
        if not isinstance(tensor, Tensor):
            words = f"expected Tensor as element {position} in argument {len(arguments)}"
            raise TypeError(f"{words}, but got {message.type_name(tensor)}")


def _wrong_out(out, name: str, expected: str, op, arguments: tuple) -> TypeError:
    """Returns the error for an `out` of another type."""
    words = f"argument 'out' must be {expected}, not {message.type_name(out)}"
    if op is None:
        return TypeError(f"{name}(): {words}")
    return import_module("rushlight.dispatch.argument_errors").wrong_out(op, arguments, out, words)


def _before_write(out: Tensor) -> None:
    """Raises for an inference tensor outside inference mode; calls the hook that saves elements before a write."""
    if out._storage.inference and not current().inference:
        raise written_outside()
    announce_write(out)


def _fill_out(out: Tensor, result: Tensor) -> None:
    """Resizes `out` if necessary, and writes a result to it."""
    size = tuple(result._array.shape)
    if out._array.shape != size:
        if out._array.size:
            _warn_about_resizing(out, size)
        fit(out, size, result._array)
    fill(out, result._array)


def fit(out: Tensor, size: tuple, like=None) -> None:
    """Resizes a tensor before it is written, in its own memory if it has elements.

    A tensor without elements gets new memory: NumPy does not keep the address of an empty view.
    """
    array, dtype = beneath(out._array), out.dtype.numpy
    if array.size and type(array) is np.ndarray:
        resize(out, size, like)
    elif like is not None:
        values = plain(like)
        look_at(out, showing(preserving(values.astype(dtype), values), out._array))
    else:
        look_at(out, showing(BACKENDS.of(array).from_cpu(np.empty(size, dtype), out.device), out._array))


def fill(out: Tensor, array) -> None:
    """Copies an array of its shape to a tensor."""
    out._array[...] = values = plain(array)
    if CAPTURING:
        CAPTURING[-1].wrote(out._array, values)
    out._storage.written()
    if NOTING:
        note_write(out._storage, 2, None)


def prepare(out: Tensor, name: str, size: tuple, *, counted: bool = False, operands=()) -> None:
    """Resizes the `out` of a constructor, without a warning, as PyTorch does.

    With `counted` any shape of as many elements is kept. Raises RuntimeError for a tensor that may not be written to.
    """
    _check_history(name, current().grad and any([edge_of(each) is not None for each in (out, *operands)]))
    _before_write(out)
    refuse_expanded(out)
    if out._array.size != size[0] if counted else tuple(out._array.shape) != size:
        fit(out, size)


def ready(out: Tensor, name: str, size: tuple, operands) -> None:
    """Resizes the `out` of a random function of tensors; warns if it had elements and another size."""
    if out._array.size and tuple(out._array.shape) != size:
        _warn_about_resizing(out, size)
    prepare(out, name, size, operands=operands)


def _warn_about_resizing(out: Tensor, size: tuple) -> None:
    warnings.warn(
        f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not match "
        f"the required output shape {list(size)}. This behavior is deprecated, and in a future PyTorch release "
        "outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by "
        "resizing it, inplace, to zero elements with t.resize_(0).",
        UserWarning,
        stacklevel=5,
    )

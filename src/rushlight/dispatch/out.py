"""`out=`: results written to the tensors that a call names for them."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.core.formats import laid_out
from rushlight.core.history import edge_of
from rushlight.core.inplace_errors import refuse_expanded, written_outside
from rushlight.core.lazy_conj_neg import beneath, plain, showing
from rushlight.core.modes import MODE, announce_write, current
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.strides import preserving
from rushlight.core.tensor import PLAIN_TYPES, Tensor, look_at, wrap
from rushlight.declarations.results import result_type
from rushlight.dispatch import message
from rushlight.dispatch.overlap import check_out
from rushlight.dispatch.resizing import resize
from rushlight.dispatch.short import has_history

get_mode = MODE.get


class NotHere(Exception):
    """What is given is no tensor, or there is a history: the general path refuses it, or does not."""


def written_to(out, values, op, *operands):
    """`out`, to which an array is written that the fast path of an operator has computed from its operands."""
    target = target_of(out, values, op, operands)
    if target is None:
        if op.computes_in_out_dtype and out._array.dtype != values.dtype:
            raise NotHere
        values = np.asarray(values)
        if op.kind == "elementwise":
            values = laid_out(
                values, [each._array for each in operands if isinstance(each, Tensor)], op.contiguous_result
            )
        return _into(out, op.called, wrap(values), op, operands)
    return put(out, target, values, 3)


def put(out, target, values, depth: int):
    """`out`, whose array has been written to, on the line that stands so many calls outside."""
    if (mode := get_mode()) is not True and mode is not False:
        announce_write(out)
    target[...] = values
    storage = out._store
    storage.written()
    if NOTING:
        note_write(storage, depth, None)
    return out


def all_written_to(out, arrays, returned, op, *operands):
    """The same of several results, which are `returned` as such a tuple."""
    if type(out) in (tuple, list) and len(out) == len(arrays):
        targets = [target_of(each, values, op, operands) for each, values in zip(out, arrays, strict=True)]
        if all([each is not None for each in targets]):
            return written(returned)([put(each, *pair, 4) for each, *pair in zip(out, targets, arrays, strict=True)])
    raise NotHere


def target_of(out, values, op, operands):
    """The array of `out` where PyTorch has nothing to refuse or to warn of; None where there is more to ask."""
    if type(out) is not Tensor and type(out) not in PLAIN_TYPES:
        raise NotHere
    array, storage, mode, shared = out._array, out._store or out._storage, get_mode(), False
    for each in operands:
        if each is not None:
            if mode and (each._edge is not None or each._base is not None) and has_history(each):
                raise NotHere
            if each._store is storage and (each is not out or op.overlap != "full"):
                shared = True
    if shared or type(array) is not np.ndarray or array.dtype is not values.dtype or array.shape != values.shape:
        return None
    if storage.inference or not array.flags.forc or (mode and has_history(out)):
        return None
    return array


def in_dtype_of(out, op, arguments: tuple) -> tuple:
    """The arguments of a sum or a product, which is computed in the dtype of `out` if none was given for it."""
    if not isinstance(out, Tensor):
        return arguments
    place = [each.name for each in op.arguments].index("dtype")
    if arguments[place] not in (None, out.dtype):
        raise message.other_dtype(op.computes_in_out_dtype, arguments[place], out.dtype)
    return (*arguments[:place], out.dtype, *arguments[place + 1 :])


def into(out, name: str, results, op=None, arguments: tuple = ()):
    """Writes results to the tensors given as `out=`, as PyTorch does, and returns those."""
    several = isinstance(results, tuple)
    if all([type(each) in PLAIN_TYPES and not has_history(each) for each in (results if several else (results,))]):
        operands = [*_tensors(arguments)]
        try:
            if several:
                return all_written_to(out, [each._array for each in results], type(results), op, *operands)
            target = target_of(out, results._array, op, operands)
            if target is not None:
                return put(out, target, results._array, 2)
        except NotHere:
            pass
    return _into(out, name, results, op, arguments)


def _tensors(arguments):
    """The tensors among arguments."""
    for each in arguments:
        if type(each) in (tuple, list):
            yield from _tensors(each)
        elif isinstance(each, Tensor):
            yield each


def _into(out, name: str, results, op, arguments: tuple):
    """The same, whatever is given. Nothing is written before all of it has been looked at."""
    if isinstance(results, tuple):
        _check_several(out, name, results, op, arguments)
        pairs = [*zip(out, results, strict=True)]
    elif isinstance(out, Tensor):
        pairs = [(out, results)]
    else:
        raise _wrong_out(out, name, "Tensor", op, arguments)
    for place, pair in enumerate(pairs):
        _check_target(*pair, name, op, arguments, place if isinstance(results, tuple) else None)
    for pair in pairs:
        _fill_out(*pair)
    return written(type(results))(out) if isinstance(results, tuple) else out


@cache
def written(returned: type) -> type:
    """What comes back of several results that were written: PyTorch has types of their own for them."""
    return result_type(f"{returned.__name__}_out", *returned._fields) if hasattr(returned, "_fields") else returned


def _check_target(out: Tensor, results: Tensor, name: str, op, arguments: tuple, place: int | None) -> None:
    """Raises where PyTorch forbids to write a result, the one at `place` of several, to a tensor."""
    _check_history(name, current().grad and (edge_of(results) is not None or edge_of(out) is not None))
    _before_write(out)
    check_out(out, op, arguments)
    words = op is not None and (op.out_same_dtype or (place is not None and op.outs_same_dtype))
    if type(words) is tuple:
        words = words[place or 0]
    if words and out.dtype is not results.dtype:
        raise message.other_dtype(words, results.dtype, out.dtype)
    if op is not None and op.refuses_out:
        op.refuses_out(out)
    elif not dtypes.can_cast(results.dtype, out.dtype):
        raise RuntimeError(
            f"result type {dtypes.SCALAR_NAMES[results.dtype]} can't be cast to the desired output type "
            f"{dtypes.SCALAR_NAMES[out.dtype]}"
        )
    if out.device != results.device:
        raise message.different_devices((out.device, results.device))


def _check_history(name: str, recorded: bool) -> None:
    """A write to `out=` is not recorded, so that there must be no history."""
    if recorded:
        raise noted(
            RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            ),
            "Call the function without out=, or under torch.no_grad().",
        )


def _check_several(out, name: str, results: tuple, op, arguments: tuple) -> None:
    """Raises unless there is a tensor for each of several results."""
    if not isinstance(out, (tuple, list)):
        raise _wrong_out(out, name, "tuple of Tensors", op, arguments)
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for place, each in enumerate(out):
        if not isinstance(each, Tensor):
            words = f"expected Tensor as element {place} in argument {len(arguments)}"
            raise TypeError(f"{words}, but got {message.type_name(each)}")


def _wrong_out(out, name: str, kind: str, op, arguments: tuple) -> TypeError:
    """Something else in the place of what results are written to."""
    words = f"argument 'out' must be {kind}, not {message.type_name(out)}"
    if op is None:
        return TypeError(f"{name}(): {words}")
    return import_module("rushlight.dispatch.argument_errors").wrong_out(op, arguments, out, words)


def _before_write(out: Tensor) -> None:
    """An inference tensor is written to in inference mode only; who keeps what lies there is told."""
    if out._storage.inference and not current().inference:
        raise written_outside()
    announce_write(out)


def _fill_out(out: Tensor, result: Tensor) -> None:
    size = tuple(result._array.shape)
    if out._array.shape != size:
        if out._array.size:
            _warn_about_resizing(out, size)
        fit(out, size, result._array)
    fill(out, result._array)


def fit(out: Tensor, size: tuple, like=None) -> None:
    """Gives a tensor that is to be written another size, in its own memory if it has elements there.

    NumPy does not say where in its memory a view without elements begins, so that one gets memory of its own.
    """
    array, kind = beneath(out._array), out.dtype.numpy
    if array.size and type(array) is np.ndarray:
        resize(out, size, like)
    elif like is not None:
        numbers = plain(like)
        look_at(out, showing(preserving(numbers.astype(kind), numbers), out._array))
    else:
        look_at(out, showing(BACKENDS.of(array).from_cpu(np.empty(size, kind), out.device), out._array))


def fill(out: Tensor, array) -> None:
    """Writes numbers of its size to a tensor."""
    out._array[...] = plain(array)
    out._storage.written()
    if NOTING:
        note_write(out._storage, 2, None)


def prepare(out: Tensor, name: str, size: tuple, *, counted: bool = False, operands=()) -> None:
    """Gives a tensor that is to be filled the size of what a function makes, as PyTorch does: without a warning.

    A function that counts its elements is content with another shape of as many. Raises RuntimeError for a tensor that
    may not be written to.
    """
    _check_history(name, current().grad and any([edge_of(each) is not None for each in (out, *operands)]))
    _before_write(out)
    refuse_expanded(out)
    if out._array.size != size[0] if counted else tuple(out._array.shape) != size:
        fit(out, size)


def ready(out: Tensor, name: str, size: tuple, operands) -> None:
    """The same for what a function of tensors draws, with the warning that there is where `out` has another size."""
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

"""`out=`: results written to the tensors that a call names for them."""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.errors import noted
from rushlight.core.history import edge_of
from rushlight.core.modes import current
from rushlight.core.noting import NOTING, note_write
from rushlight.core.refused_writes import written_outside
from rushlight.core.tensor import PLAIN_TYPES, Tensor, look_at
from rushlight.core.unresolved import beneath, plain, showing
from rushlight.dispatch import message
from rushlight.dispatch.overlap import check_out


def is_written(out, result, op, arguments: tuple) -> bool:
    """Writes a result where that changes nothing but numbers and PyTorch has nothing to refuse; whether it did."""
    if type(out) not in PLAIN_TYPES or type(result) not in PLAIN_TYPES:
        return False
    array, values, store = out._array, result._array, out._store
    if not (type(array) is type(values) is np.ndarray and array.dtype is values.dtype and array.shape == values.shape):
        return False
    if not (out._edge is None is out._base and result._edge is None is result._base and array.flags.c_contiguous):
        return False
    if store is not None and (store.inference or any([_shares(each, out, store) for each in arguments])):
        return False
    if op.overlap != "full" and any([each is out for each in arguments]):
        return False
    array[...] = values
    out._storage.written()
    if NOTING:
        note_write(out._storage, 1, None)
    return True


def _shares(value, out: Tensor, store) -> bool:
    """Whether an argument may be another look at the memory of `out`."""
    return type(value) in (tuple, list) or (isinstance(value, Tensor) and value is not out and value._store is store)


def into(out, name: str, results, op=None, arguments: tuple = ()):
    """Writes results to the tensors given as `out=`, as PyTorch does, and returns those."""
    if isinstance(results, tuple):
        _check_several(out, name, results, op, arguments)
        for target, result in zip(out, results, strict=True):
            into(target, name, result, op, arguments)
        return type(results)(*out) if hasattr(results, "_fields") else tuple(out)
    if not isinstance(out, Tensor):
        raise _wrong_out(out, name, "Tensor", op, arguments)
    if current().grad and (edge_of(results) is not None or edge_of(out) is not None):
        raise noted(
            RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            ),
            "Leave out= away, or compute under torch.no_grad().",
        )
    _check_inference(out)
    check_out(out, op, arguments)
    if op is not None and op.same_dtype and out.dtype is not results.dtype:
        raise message.other_dtype(op.same_dtype, results.dtype, out.dtype)
    _fill_out(out, results)
    return out


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
    return import_module("rushlight.dispatch.misuse").wrong_out(op, arguments, out, words)


def _check_inference(out: Tensor) -> None:
    """An inference tensor is written to in inference mode only."""
    if out._storage.inference and not current().inference:
        raise written_outside()


def _fill_out(out: Tensor, result: Tensor) -> None:
    if not dtypes.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {dtypes.SCALAR_NAMES[result.dtype]} can't be cast to the desired output type "
            f"{dtypes.SCALAR_NAMES[out.dtype]}"
        )
    if out.device != result.device:
        raise message.different_devices((out.device, result.device))
    if out._array.shape != result._array.shape:
        if out._array.size:
            _warn_about_resizing(out, result)
        look_at(out, showing(plain(result._array).astype(beneath(out._array).dtype), out._array))
    else:
        out._array[...] = plain(result._array)
    out._storage.written()
    if NOTING:
        note_write(out._storage, 1, None)


def _warn_about_resizing(out: Tensor, result: Tensor) -> None:
    warnings.warn(
        f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not match "
        f"the required output shape {list(result.shape)}. This behavior is deprecated, and in a future PyTorch release "
        "outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by "
        "resizing it, inplace, to zero elements with t.resize_(0).",
        UserWarning,
        stacklevel=5,
    )

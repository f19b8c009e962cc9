"""Collates samples to a batch: tensors are stacked, containers are kept and their entries collated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.errors import noted
from rushlight.core.shape_queries import STRIDED
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import as_tensor, tensor
from rushlight.utils.data.nested import is_named_tuple, like_mapping, like_sequence

np_str_obj_array_pattern = re.compile("[SaUO]")  # kinds of NumPy dtypes that have no tensor dtype
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """Converts NumPy arrays and scalars to tensors, also in containers; others are unchanged. Tuples become lists.

    >>> default_convert({"a": np.array([1, 2]), "b": "text"})
    {'a': tensor([1, 2]), 'b': 'text'}
    """
    if isinstance(data, Tensor):
        return data
    if type(data).__module__ == "numpy" and not isinstance(data, np.str_):
        return (
            data
            if isinstance(data, np.ndarray) and np_str_obj_array_pattern.search(data.dtype.str)
            else as_tensor(data)
        )
    if isinstance(data, Mapping):
        return like_mapping(data, {key: default_convert(data[key]) for key in data})
    if is_named_tuple(data):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple):
        return list(map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return like_sequence(data, list(map(default_convert, data)))
    return data


def default_collate(batch: Any) -> Any:
    """Collates samples to a batch: tensors, arrays and numbers are stacked, also in containers; text is kept.

    Tuple samples give a list. Raises RuntimeError if sequences differ in length, TypeError for other types.

    >>> default_collate([{"a": 0, "b": (1.5, "x")}, {"a": 1, "b": (2.5, "y")}])
    {'a': tensor([0, 1]), 'b': [tensor([1.5000, 2.5000], dtype=torch.float64), ('x', 'y')]}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Collates samples to a batch, with a function per type for samples that are not containers.

    It is called as `function(batch, collate_fn_map=...)`; the exact type takes precedence over base classes.
    """
    first = batch[0]
    function = _function_for(first, collate_fn_map or {})
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)

    def collated(parts):
        return collate(parts, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return like_mapping(first, {key: collated([sample[key] for sample in batch]) for key in first})
    if is_named_tuple(first):
        return type(first)(*map(collated, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        columns = list(map(collated, _columns(batch)))
        return columns if isinstance(first, tuple) else like_sequence(first, columns)
    raise _not_collatable(type(first))


def _function_for(first, collate_fn_map: dict) -> Callable | None:
    exact = collate_fn_map.get(type(first))
    if exact is not None:
        return exact
    return next((function for cls, function in collate_fn_map.items() if isinstance(first, cls)), None)


def _columns(batch) -> list:
    lengths = [len(sample) for sample in batch]
    if len(set(lengths)) > 1:
        raise noted(
            RuntimeError("each element in list of batch should be of equal size"),
            f"The samples have {lengths} entries: pad them in the data set, or pass a collate_fn.",
        )
    return list(zip(*batch, strict=True))


def _not_collatable(cls) -> TypeError:
    error = TypeError(default_collate_err_msg_format.format(cls))
    error.add_note("Convert it in the data set, or pass a collate_fn that accepts the type.")
    return error


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Stacks tensors along a new first dimension."""
    if batch[0].layout != STRIDED:
        raise RuntimeError(
            "Batches of sparse tensors are not currently supported by the default collate_fn; please provide a custom "
            "collate_fn to handle them appropriately."
        )
    return F.stack(batch, 0)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """Stacks arrays as tensors; raises TypeError for text and objects."""
    if np_str_obj_array_pattern.search(batch[0].dtype.str):
        raise _not_collatable(batch[0].dtype)
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """Converts NumPy scalars to one tensor of their dtype."""
    return as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Converts Python floats to one float64 tensor."""
    return tensor(batch, dtype=dtypes.float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Converts Python integers, or bools, to one tensor."""
    return tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Returns text, or bytes, unchanged."""
    return batch


default_collate_fn_map: dict[type | tuple[type, ...], Callable] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}

"""Checks of `strided.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.strides import extent


def check_reach(input, size, stride, start: int) -> None:
    """Raises RuntimeError for elements outside of a sample: those may belong to another one."""
    first, array = input.storage_offset(), input._array
    own = tuple([step // array.itemsize for step in array.strides])
    end, last = start + reach_of(size, stride), first + reach_of(array.shape, own)
    if 0 not in size and not first <= start <= end <= last:
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access memory outside of `tensor`. "
            f"`result` can access some memory in range [{start}, {end}], but `tensor` can only access some memory in "
            f"range [{first}, {last}]. This is not supported inside of vmap, please try to rewrite the `as_strided` "
            "call as a sequence of PyTorch view operations"
        )


def reach_of(size, stride) -> int:
    """Returns the number of elements of memory from the first to the last of a tensor."""
    return 0 if 0 in size else 1 + sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])


def check_strides(input, size, stride, start: int) -> None:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    if any(step < 0 for step in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(length < 0 for length in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    reach = sum((n - 1) * step for n, step in zip(size, stride, strict=True)) + 1 + start if 0 not in size else 0
    needed, held = reach * input.itemsize, extent(input._memory())
    if needed > held:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize "
            f"{input.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {held}"
        )

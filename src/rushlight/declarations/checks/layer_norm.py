"""Checks of `layer_norm.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.checks.normalize import check_one_dtype
from rushlight.declarations.dtype_rules import refuse


def check_layer_norm(input, normalized_shape, weight, bias) -> None:
    """The shape is that of the input's last dimensions, and of weight and bias; the dtypes go together."""
    shape = tuple(normalized_shape)
    dtype = input.dtype
    if shape and dtype.char in "fd" and input.shape[-len(shape) :] == shape:
        if weight is None or (weight.shape == shape and weight.dtype is dtype):
            if bias is None or (bias.shape == shape and bias.dtype is dtype):
                return
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(each.shape)} "
                f"and normalized_shape = {list(shape)}"
            )
    if input.shape[max(input.ndim - len(shape), 0) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got input of size{list(input.shape)}"
        )
    refuse(input, "biuc", "LayerNormKernelImpl")
    check_one_dtype(input, weight, bias)


def check_group_norm(input, num_groups, weight, bias) -> None:
    """Groups are equally large, weight and bias have an element for each channel, and the dtypes go together."""
    dtype = input.dtype
    if dtype.char in "fd" and num_groups > 0 and not input.shape[1] % num_groups:
        if all([each is None or (each.dtype is dtype and each.shape == input.shape[1:2]) for each in (weight, bias)]):
            return
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    shape, channels = list(input.shape), input.shape[1]
    if channels % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {shape} and "
            f"num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(each.shape)} and input of shape {shape}"
            )
    refuse(input, "biuc", "GroupNormKernelImpl")
    check_one_dtype(input, weight, bias)

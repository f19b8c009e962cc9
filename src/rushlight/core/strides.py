"""Strides in elements, as PyTorch counts them; NumPy counts bytes."""

from __future__ import annotations


def contiguous_strides(shape: tuple) -> tuple:
    """The strides, in elements, of a fresh tensor of that shape; empty dimensions count as one."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def element_strides(array) -> tuple:
    """The strides of an array, in elements."""
    size = array.itemsize
    return tuple(step // size for step in array.strides)

"""A tensor of a graph: a layout, and later an address."""

import ctypes

import numpy as np

from rushlight.arrays.cuda.fake.array import ELSEWHERE

from .names import DTYPES


class Tensor:
    def __init__(self, dim=None, stride=None, data_type=None, is_pass_by_value=False):
        self.dim, self.stride, self.kind, self.by_value = dim, stride, data_type, is_pass_by_value
        self.output = False

    def set_output(self, value):
        self.output = value
        return self

    def set_data_type(self, dtype):
        self.kind = dtype
        return self

    def set_dim(self, dim):
        self.dim = dim
        return self

    def set_stride(self, stride):
        self.stride = stride
        return self

    def at(self, pointer):
        """The numbers at a pointer: of the fake CuPy, or of the CPU for a number that is passed by value."""
        assert type(pointer) is int and (pointer < ELSEWHERE) is self.by_value
        assert pointer % 16 == 0 or self.by_value
        dtype = DTYPES[self.kind]
        count = 1 + sum((size - 1) * step for size, step in zip(self.dim, self.stride, strict=True))
        address = pointer if self.by_value else pointer - ELSEWHERE
        flat = np.frombuffer((ctypes.c_char * (count * dtype.itemsize)).from_address(address), dtype)
        return np.lib.stride_tricks.as_strided(flat, self.dim, [step * dtype.itemsize for step in self.stride])

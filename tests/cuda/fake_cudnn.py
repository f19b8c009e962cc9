"""The names of NVIDIA's cuDNN frontend that are used; convolutions are computed on the memory of the fake CuPy.

It refuses what the frontend refuses: other keywords, calls out of order, operands of several dtypes, pointers that are
missing, and sizes that do not fit.
"""

import ctypes
from enum import Enum, auto
from types import SimpleNamespace

import ml_dtypes
import numpy as np

import rushlight as torch
from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import ELSEWHERE

data_type = Enum("data_type", "HALF BFLOAT16 FLOAT DOUBLE NOT_SET")
heur_mode = Enum("heur_mode", "A B FALLBACK")
numerical_note = Enum("numerical_note", "TENSOR_CORE NONDETERMINISTIC")
DTYPES = {
    data_type.HALF: np.dtype(np.float16), data_type.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    data_type.FLOAT: np.dtype(np.float32), data_type.DOUBLE: np.dtype(np.float64),
}  # fmt: skip
COUNTS = SimpleNamespace(built=0, executed=[], deselected=[])


class cudnnGraphNotSupportedError(Exception):
    pass


class Step(Enum):
    OPEN = auto()
    VALIDATED = auto()
    LOWERED = auto()
    PLANNED = auto()
    SUPPORTED = auto()
    BUILT = auto()


class Tensor:
    def __init__(self, dim=None, stride=None, data_type=None):
        self.dim, self.stride, self.kind, self.output = dim, stride, data_type, False

    def set_output(self, value):
        self.output = value
        return self

    def set_data_type(self, kind):
        self.kind = kind
        return self

    def set_dim(self, dim):
        self.dim = dim
        return self

    def set_stride(self, stride):
        self.stride = stride
        return self

    def at(self, pointer):
        """The numbers at a pointer of the fake CuPy."""
        dtype = DTYPES[self.kind]
        count = 1 + sum((size - 1) * step for size, step in zip(self.dim, self.stride, strict=True))
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(pointer - ELSEWHERE)
        flat = np.frombuffer(memory, dtype)
        return np.lib.stride_tricks.as_strided(flat, self.dim, [step * dtype.itemsize for step in self.stride])


class pygraph:
    def __init__(self, *, io_data_type, intermediate_data_type, compute_data_type, handle):
        assert intermediate_data_type is compute_data_type in (data_type.FLOAT, data_type.DOUBLE)
        self.handle, self.step, self.tensors = handle, Step.OPEN, []

    def tensor(self, *, name, dim, stride, data_type):
        self.tensors.append(Tensor(dim, stride, data_type))
        return self.tensors[-1]

    def _convolution(self, name, first, second, pre_padding, post_padding, stride, dilation, compute_data_type):
        assert pre_padding == post_padding and len(first.dim) == len(stride) + 2 >= 4 and first.kind is second.kind
        self.call = name, first, second, tuple(pre_padding), tuple(stride), tuple(dilation)
        self.result = Tensor()
        return self.result

    def conv_fprop(self, *, image, weight, **settings):
        return self._convolution("conv_fprop", image, weight, **settings)

    def conv_dgrad(self, *, loss, filter, **settings):
        return self._convolution("conv_dgrad", loss, filter, **settings)

    def conv_wgrad(self, *, image, loss, **settings):
        return self._convolution("conv_wgrad", image, loss, **settings)

    def _reach(self, step):
        assert self.step.value == step.value - 1, f"{step} after {self.step}"
        self.step = step

    def validate(self):
        assert self.result.output and self.result.kind is self.tensors[0].kind
        self._reach(Step.VALIDATED)

    def build_operation_graph(self):
        self._reach(Step.LOWERED)

    def create_execution_plans(self, modes):
        assert all(isinstance(mode, heur_mode) for mode in modes)
        self._reach(Step.PLANNED)

    def deselect_numeric_notes(self, notes):
        assert self.step is Step.PLANNED
        COUNTS.deselected += notes

    def check_support(self):
        name, first, *_ = self.call
        if first.kind is data_type.DOUBLE and len(first.dim) == 5:  # as an example of what has no kernel
            raise cudnnGraphNotSupportedError("no engine")
        self._reach(Step.SUPPORTED)

    def build_plans(self):
        self._reach(Step.BUILT)
        COUNTS.built += 1

    def get_workspace_size(self):
        assert self.step is Step.BUILT
        return 64

    def execute(self, pointers, workspace, *, handle):
        assert self.step is Step.BUILT and handle is self.handle and workspace
        assert handle.stream == streams.current().ptr and set(pointers) == {*self.tensors, self.result}
        streams.current().synchronize()
        name, first, second, padding, stride, dilation = self.call
        one, other = (torch.from_numpy(each.at(pointers[each]).astype(np.float64)) for each in (first, second))
        dim, kind = tuple(self.result.dim), f"conv{len(stride)}d"
        if name == "conv_fprop":
            settings = stride, padding, dilation, one.shape[1] // other.shape[1]
            result = getattr(torch.nn.functional, kind)(one, other, None, *settings)
        elif name == "conv_dgrad":
            settings = stride, padding, dilation, dim[1] // other.shape[1]
            result = getattr(torch.nn.grad, f"{kind}_input")(dim, other, one, *settings)
        else:
            settings = stride, padding, dilation, one.shape[1] // dim[1]
            result = getattr(torch.nn.grad, f"{kind}_weight")(one, dim, other, *settings)
        target = self.result.at(pointers[self.result])
        assert target.shape == tuple(result.shape)
        target[...] = result.numpy().astype(target.dtype)
        COUNTS.executed.append(name)


def create_handle():
    return SimpleNamespace(stream=None)


def set_stream(*, handle, stream):
    handle.stream = stream


def backend_version():
    return 91002

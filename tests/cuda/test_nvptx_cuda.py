"""How kernels reach CuPy: what is loaded and launched, on a stand-in that notes it. No GPU runs here."""

import itertools
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower.nvptx.calls import GpuKernels
from rushlight.lower.nvptx.cuda import CudaGpu


def test_nothing_of_it_is_imported_before_a_gpu_is_used():
    program = (
        "import sys, rushlight as torch\n"
        "x = torch.ones(1 << 20, requires_grad=True)\n"
        "for _ in range(20): (x * 2).exp().sum().backward()\n"
        "assert 'rushlight.lower.install' in sys.modules\n"
        "print([name for name in sys.modules if 'nvptx' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class Module:
    def load(self, image):
        self.image = image

    def get_function(self, name):
        return lambda *launch: LAUNCHED.append((self.image, name, launch))


class Device:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


LAUNCHED = []
ADDRESSES = itertools.count(1 << 36, 1 << 34)
PROPERTIES = {"major": 9, "minor": 0, "multiProcessorCount": 132, "maxThreadsPerMultiProcessor": 2048}
CUPY = SimpleNamespace(
    cuda=SimpleNamespace(
        runtime=SimpleNamespace(getDeviceProperties=lambda device: PROPERTIES),
        function=SimpleNamespace(Module=Module),
        Device=Device,
    ),
    empty=lambda shape, dtype: Array(np.empty(shape, dtype)),
)


class Array:
    """An array with what kernels ask CuPy's for."""

    def __init__(self, cells):
        self.shape, self.strides, self.dtype, self.ndim = cells.shape, cells.strides, cells.dtype, cells.ndim
        self.data = SimpleNamespace(ptr=next(ADDRESSES))


def test_a_launch_has_the_ptx_of_its_gpu_and_the_parameters_in_order():
    gpu = CudaGpu(CUPY)
    kernels = GpuKernels(gpu, lambda x: [x["a"] * x["b"] + x["c"]])
    a, c = (Array(np.zeros(100_000, np.float32)) for _ in range(2))
    LAUNCHED.clear()
    (result,) = kernels.run({"a": a, "b": 2.5, "c": c}, np.dtype(np.float32), stream="its stream")
    ((image, name, (grid, block, parameters, shared, stream)),) = LAUNCHED
    assert image.endswith(b"\0") and b".target sm_90" in image and f".entry {name}(".encode() in image
    assert (grid, block, shared, stream) == ((98, 1, 1), (256, 1, 1), 0, "its stream")
    assert parameters == (a.data.ptr, np.float32(2.5), c.data.ptr, result.data.ptr, 100_000)
    assert [x.dtype.name for x in parameters] == ["uint64", "float32", "uint64", "uint64", "int64"]


def test_a_grid_has_a_bounded_size():
    kernels = GpuKernels(CudaGpu(CUPY), lambda x: [x["a"] * x["a"]])
    LAUNCHED.clear()
    kernels.run({"a": Array(np.broadcast_to(np.float32(0), (1 << 24,)))}, np.dtype(np.float32))
    assert LAUNCHED[0][2][0] == (132 * 16, 1, 1)


def test_a_declaration_is_loaded_where_it_is_not_yet():
    program = (
        "import numpy as np\n"
        "from rushlight.lower.nvptx.calls import kernels_of\n"
        "from rushlight.lower.nvptx.lockstep import HostGpu\n"
        "values = {'input': np.ones(3, np.float32), 'approximate': 'none'}\n"
        "print(kernels_of(HostGpu(), 'gelu').run(values, np.dtype(np.float32))[0].round(4).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[0.841")

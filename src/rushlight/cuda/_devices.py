"""The current GPU, and properties of a GPU: for a simulated one, those of the machine."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.cuda import device_count
from rushlight.cuda._utils import NVML, _get_device_index, backend_of, need_gpu
from rushlight.cuda.streams import SIMULATE

MIB = 1 << 20
# Properties of a GPU: PyTorch's names, and CUDA's.
NAMES = {
    "major": "major", "minor": "minor", "multi_processor_count": "multiProcessorCount", "is_integrated": "integrated",
    "is_multi_gpu_board": "isMultiGpuBoard", "max_threads_per_multi_processor": "maxThreadsPerMultiProcessor",
    "max_threads_per_block": "maxThreadsPerBlock", "regs_per_multiprocessor": "regsPerMultiprocessor",
    "warp_size": "warpSize", "pci_bus_id": "pciBusID", "pci_device_id": "pciDeviceID",
    "pci_domain_id": "pciDomainID", "L2_cache_size": "l2CacheSize", "clock_rate": "clockRate",
    "memory_clock_rate": "memoryClockRate", "memory_bus_width": "memoryBusWidth",
    "shared_memory_per_block": "sharedMemPerBlock", "shared_memory_per_block_optin": "sharedMemPerBlockOptin",
    "shared_memory_per_multiprocessor": "sharedMemPerMultiprocessor",
}  # fmt: skip


def set_device(device: Any) -> None:
    """Sets the current GPU of this thread; a negative index changes nothing.

    Raises AssertionError if there is no GPU, AcceleratorError if there is none with this index.
    """
    index = _get_device_index(device)
    if index is not None and index >= 0:
        backend_of(index).enter()


class device:
    """Sets the current GPU in a `with` block; a negative index changes nothing.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate(devices=2), torch.cuda.device(1):
    ...     torch.ones(2, device="cuda").device
    device(type='cuda', index=1)
    """

    __module__ = "torch.cuda"

    def __init__(self, device: Any) -> None:
        self.idx = _get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is None or self.idx < 0:
            return
        if "cuda" not in BACKENDS.by_kind:
            raise noted(RuntimeError("PyTorch was compiled without CUDA support"), SIMULATE)
        self.prev_idx = backend_of(self.idx).enter()

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        if self.prev_idx >= 0 and self.prev_idx < device_count():
            backend_of(self.prev_idx).enter()


class device_of(device):
    """Sets the current GPU to that of a tensor; a tensor on the CPU changes nothing."""

    __module__ = "torch.cuda"

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


class _CudaDeviceProperties:
    """The result of `torch.cuda.get_device_properties`: sizes in bytes, rates in kHz, 0 where the system tells none."""

    __module__ = "torch._C"

    def __init__(self, backend: Any) -> None:
        self._values = backend.properties
        self.name = self.gcnArchName = self._values["name"].decode()
        self.total_memory = backend.memory.total
        self.uuid = uuid.UUID(bytes=self._values["uuid"])

    def __getattr__(self, name: str) -> int:
        if name not in NAMES:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return self._values.get(NAMES[name], 0)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *NAMES]

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // MIB}MB, multi_processor_count={self.multi_processor_count}, "
            f"uuid={self.uuid}, pci_bus_id={self.pci_bus_id}, pci_device_id={self.pci_device_id}, "
            f"pci_domain_id={self.pci_domain_id}, L2_cache_size={self.L2_cache_size // MIB}MB)"
        )


def get_device_properties(device: Any = None) -> _CudaDeviceProperties:
    """Returns name, memory, number of processors and more of a GPU. Raises AssertionError if there is no such one."""
    return _CudaDeviceProperties(_known(device))


def _known(device: Any) -> Any:
    """Returns the backend of a GPU. Raises AssertionError if there is no such one."""
    need_gpu()
    index = _get_device_index(device, optional=True)
    if index is not None and not 0 <= index < device_count():
        raise AssertionError("Invalid device id")
    return backend_of(index)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Returns the compute capability of a GPU: (0, 0) for a simulated one. Raises AssertionError if there is none."""
    values = _known(device).properties
    return values["major"], values["minor"]


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether one GPU can read the memory of another. Raises AssertionError if there is no such one."""
    need_gpu()
    indices = [_get_device_index(each, optional=True) for each in (device, peer_device)]
    for index, words in zip(indices, ("Invalid device id", "Invalid peer device id"), strict=True):
        if index is None or not 0 <= index < device_count():
            raise AssertionError(words)
    return indices[0] != indices[1]


def get_arch_list() -> list[str]:
    """Returns the GPU architectures that the library was built for: none."""
    return []


def get_gencode_flags() -> str:
    """Returns the flags of its compilation: none."""
    return ""


def is_tf32_supported() -> bool:
    """Whether the GPU supports TF32 products: False."""
    return False


def ipc_collect() -> None:
    """Frees memory that other processes shared and released. Raises AssertionError if there is no GPU."""
    need_gpu()


def current_blas_handle() -> int:
    """Returns the address of cuBLAS's state: 0, since there is none. Raises AssertionError if there is no GPU."""
    need_gpu()
    return 0


current_solver_handle = current_blas_handle


def _sensor(name: str) -> Callable[..., NoReturn]:
    def measure(device: Any = None) -> NoReturn:
        words = "A simulated GPU has no such sensor; torch.cuda.mem_get_info() tells free memory."
        raise noted(ModuleNotFoundError(NVML), words)

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = "Raises ModuleNotFoundError, as PyTorch does without NVIDIA's package for the driver's sensors."
    return measure


clock_rate, device_memory_used, memory_usage = map(_sensor, ("clock_rate", "device_memory_used", "memory_usage"))
power_draw, temperature, utilization = map(_sensor, ("power_draw", "temperature", "utilization"))

"""Written by `python -m rushlight.describe` from `_on_first_use.py`: do not edit."""

from typing import Any

from rushlight.core.errors import AcceleratorError as AcceleratorError
from rushlight.core.errors import OutOfMemoryError as OutOfMemoryError
from rushlight.core.generator import Generator
from rushlight.cuda import _utils as _utils
from rushlight.cuda import amp as amp
from rushlight.cuda import comm as comm
from rushlight.cuda import graphs as graphs
from rushlight.cuda import memory as memory
from rushlight.cuda import nccl as nccl
from rushlight.cuda import nvtx as nvtx
from rushlight.cuda import profiler as profiler
from rushlight.cuda import random as random
from rushlight.cuda import sparse as sparse
from rushlight.cuda import streams as streams
from rushlight.cuda._devices import can_device_access_peer as can_device_access_peer
from rushlight.cuda._devices import clock_rate as clock_rate
from rushlight.cuda._devices import current_blas_handle as current_blas_handle
from rushlight.cuda._devices import current_solver_handle as current_solver_handle
from rushlight.cuda._devices import device as device
from rushlight.cuda._devices import device_memory_used as device_memory_used
from rushlight.cuda._devices import device_of as device_of
from rushlight.cuda._devices import get_arch_list as get_arch_list
from rushlight.cuda._devices import get_device_capability as get_device_capability
from rushlight.cuda._devices import get_device_properties as get_device_properties
from rushlight.cuda._devices import get_gencode_flags as get_gencode_flags
from rushlight.cuda._devices import ipc_collect as ipc_collect
from rushlight.cuda._devices import is_tf32_supported as is_tf32_supported
from rushlight.cuda._devices import memory_usage as memory_usage
from rushlight.cuda._devices import power_draw as power_draw
from rushlight.cuda._devices import set_device as set_device
from rushlight.cuda._devices import temperature as temperature
from rushlight.cuda._devices import utilization as utilization
from rushlight.cuda._runtime import CudaError as CudaError
from rushlight.cuda._runtime import DeferredCudaCallError as DeferredCudaCallError
from rushlight.cuda._runtime import check_error as check_error
from rushlight.cuda._runtime import cudaStatus as cudaStatus
from rushlight.cuda._runtime import cudart as cudart
from rushlight.cuda._runtime import get_sync_debug_mode as get_sync_debug_mode
from rushlight.cuda._runtime import set_sync_debug_mode as set_sync_debug_mode
from rushlight.cuda._utils import _get_device_index as _get_device_index
from rushlight.cuda.graphs import CUDAGraph as CUDAGraph
from rushlight.cuda.graphs import graph as graph
from rushlight.cuda.graphs import graph_pool_handle as graph_pool_handle
from rushlight.cuda.graphs import is_current_stream_capturing as is_current_stream_capturing
from rushlight.cuda.graphs import make_graphed_callables as make_graphed_callables
from rushlight.cuda.memory import CUDAPluggableAllocator as CUDAPluggableAllocator
from rushlight.cuda.memory import MemPool as MemPool
from rushlight.cuda.memory import caching_allocator_alloc as caching_allocator_alloc
from rushlight.cuda.memory import caching_allocator_delete as caching_allocator_delete
from rushlight.cuda.memory import caching_allocator_disabled as caching_allocator_disabled
from rushlight.cuda.memory import caching_allocator_enable as caching_allocator_enable
from rushlight.cuda.memory import change_current_allocator as change_current_allocator
from rushlight.cuda.memory import empty_cache as empty_cache
from rushlight.cuda.memory import get_allocator_backend as get_allocator_backend
from rushlight.cuda.memory import get_per_process_memory_fraction as get_per_process_memory_fraction
from rushlight.cuda.memory import host_memory_stats as host_memory_stats
from rushlight.cuda.memory import host_memory_stats_as_nested_dict as host_memory_stats_as_nested_dict
from rushlight.cuda.memory import list_gpu_processes as list_gpu_processes
from rushlight.cuda.memory import max_memory_allocated as max_memory_allocated
from rushlight.cuda.memory import max_memory_cached as max_memory_cached
from rushlight.cuda.memory import max_memory_reserved as max_memory_reserved
from rushlight.cuda.memory import mem_get_info as mem_get_info
from rushlight.cuda.memory import memory_allocated as memory_allocated
from rushlight.cuda.memory import memory_cached as memory_cached
from rushlight.cuda.memory import memory_reserved as memory_reserved
from rushlight.cuda.memory import memory_snapshot as memory_snapshot
from rushlight.cuda.memory import memory_stats as memory_stats
from rushlight.cuda.memory import memory_stats_as_nested_dict as memory_stats_as_nested_dict
from rushlight.cuda.memory import memory_summary as memory_summary
from rushlight.cuda.memory import reset_accumulated_host_memory_stats as reset_accumulated_host_memory_stats
from rushlight.cuda.memory import reset_accumulated_memory_stats as reset_accumulated_memory_stats
from rushlight.cuda.memory import reset_max_memory_allocated as reset_max_memory_allocated
from rushlight.cuda.memory import reset_max_memory_cached as reset_max_memory_cached
from rushlight.cuda.memory import reset_peak_host_memory_stats as reset_peak_host_memory_stats
from rushlight.cuda.memory import reset_peak_memory_stats as reset_peak_memory_stats
from rushlight.cuda.memory import set_per_process_memory_fraction as set_per_process_memory_fraction
from rushlight.cuda.memory import use_mem_pool as use_mem_pool
from rushlight.cuda.random import get_rng_state as get_rng_state
from rushlight.cuda.random import get_rng_state_all as get_rng_state_all
from rushlight.cuda.random import initial_seed as initial_seed
from rushlight.cuda.random import seed as seed
from rushlight.cuda.random import seed_all as seed_all
from rushlight.cuda.random import set_rng_state as set_rng_state
from rushlight.cuda.random import set_rng_state_all as set_rng_state_all
from rushlight.cuda.streams import Event as Event
from rushlight.cuda.streams import ExternalStream as ExternalStream
from rushlight.cuda.streams import Stream as Stream
from rushlight.cuda.streams import StreamContext as StreamContext
from rushlight.cuda.streams import current_stream as current_stream
from rushlight.cuda.streams import default_stream as default_stream
from rushlight.cuda.streams import get_stream_from_external as get_stream_from_external
from rushlight.cuda.streams import set_stream as set_stream
from rushlight.cuda.streams import stream as stream

has_half: bool
has_magma: bool
default_generators: tuple[Generator, ...]

BFloat16Tensor: Any
BoolTensor: Any
ByteTensor: Any
CharTensor: Any
DoubleTensor: Any
FloatTensor: Any
HalfTensor: Any
IntTensor: Any
LongTensor: Any
ShortTensor: Any

def _is_compiled() -> bool: ...
def _is_in_bad_fork() -> bool: ...
def _lazy_init() -> None: ...
def _set_generators() -> None: ...
def begin() -> None: ...
def current_device() -> int: ...
def device_count() -> int: ...
def get_device_name(device: Any = None) -> str: ...
def has_driver() -> bool: ...
def init() -> None: ...
def is_available() -> bool: ...
def is_bf16_supported(including_emulation: bool = True) -> bool: ...
def is_initialized() -> bool: ...
def manual_seed(seed: int) -> None: ...
def manual_seed_all(seed: int) -> None: ...
def simulate(devices: int | None = None, memory: int | str | None = None) -> Any: ...
def synchronize(device: Any = None) -> None: ...

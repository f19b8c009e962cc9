"""Attributes of the root that are imported on first use, so that `import rushlight` is fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import ModuleType

from rushlight._standard import NAMES as STANDARD
from rushlight._standard import namespace as standard
from rushlight.core.dtype import STORAGE_NAMES
from rushlight.create.foreach import NAMES as FOR_LISTS
from rushlight.memory.tensor_storage import TYPED

# One line each, in alphabetical order, since these lists grow.
MODULES = frozenset({
    "_C",
    "_VF",
    "__config__",
    "__future__",
    "_classes",
    "_custom_ops",
    "_dynamo",
    "_functorch",
    "_higher_order_ops",
    "_inductor",
    "_jit_internal",
    "_library",
    "_logging",
    "_ops",
    "_subclasses",
    "_tensor",
    "_tensor_str",
    "_utils",
    "_vmap_internals",
    "accelerator",
    "amp",
    "ao",
    "array_api",
    "backends",
    "cpu",
    "distributed",
    "distributions",
    "explain",
    "export",
    "fft",
    "func",
    "functional",
    "futures",
    "fx",
    "hub",
    "jit",
    "library",
    "linalg",
    "masked",
    "mps",
    "mtia",
    "multiprocessing",
    "nn",
    "onnx",
    "optim",
    "overrides",
    "profiler",
    "quantization",
    "quasirandom",
    "return_types",
    "serialization",
    "signal",
    "sparse",
    "special",
    "storage",
    "testing",
    "types",
    "utils",
    "xpu",
})  # fmt: skip

# For names that are not modules: their module, without `rushlight.`.
OF_ROOT = {
    "_C": "Future",
    "_as_torch.finder": "install uninstall",
    "_classes": "classes",
    "_control_flow": "cond while_loop",
    "_library.keys": "DispatchKey",
    "_library.schema": "FunctionSchema",
    "_library.tags": "Tag",
    "_ops": "ops",
    "_removed": "eig lstsq matrix_rank solve symeig",
    "_streams": "Event Stream",
    "accelerator": "get_device_module",
    "amp": "GradScaler autocast",
    "amp.deprecated": "get_autocast_cpu_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype "
    "is_autocast_cpu_enabled is_autocast_ipu_enabled is_autocast_xla_enabled set_autocast_cpu_dtype "
    "set_autocast_cpu_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled "
    "set_autocast_xla_dtype set_autocast_xla_enabled",
    "amp.unscaling": "_amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_",
    "ao.quantization._types": "per_channel_affine per_channel_affine_float_qparams per_channel_symmetric "
    "per_tensor_affine per_tensor_symmetric qint32 qint8 qscheme quint2x4 quint4x2 quint8",
    "ao.quantization.rounding": "fake_quantize_per_channel_affine fake_quantize_per_tensor_affine",
    "core.errors": "AcceleratorError OutOfMemoryError",
    "create.checks": "_assert_async _assert_tensor_metadata _check _check_index _check_is_size _check_not_implemented "
    "_check_tensor_all _check_tensor_all_with _check_type _check_value _check_with _shape_as_tensor",
    "create.integer_products": "_int_mm",
    "create.symbolic": "SymBool SymFloat SymInt sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum",
    "distributions._gamma_draws": "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad",
    "explain": "explain_backward explain_nan explain_plan why_no_grad",
    "explain.drawing": "draw",
    "explain.live_graphs": "graphs",
    "explain.strict": "strict",
    "explain.watch": "watch",
    "func.vmap": "vmap",
    "jit": "ScriptFunction ScriptModule",
    "nn.modules.compiled": "compile",
    "serialization": "load save",
    "serialization.contents": "inspect",
    "serialization.records": "PyTorchFileReader",
    "sparse.construct": (
        "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
        "sparse_csr_tensor"
    ),
    "sparse.index_conversions": "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo",
    "sparse.products": "dsmm hsmm hspmm saddmm smm spmm sspaddmm",
    "sparse.resizing": "_sparse_broadcast_to resize_as_sparse_",
    "sparse.validation": "_validate_sparse_bsc_tensor_args _validate_sparse_bsr_tensor_args "
    "_validate_sparse_compressed_tensor_args _validate_sparse_coo_tensor_args _validate_sparse_csc_tensor_args "
    "_validate_sparse_csr_tensor_args",
    "storage": "TypedStorage UntypedStorage",
    "utils.seeding": "seed_everything",
}


def place(module: str) -> Callable[[], ModuleType]:
    return partial(import_module, f"rushlight.{module}")


def storages_of(holder: str) -> Callable[[], ModuleType]:
    """Returns the lazy attributes for the typed storage classes of `torch` or `torch.cuda`."""
    return lambda: getattr(import_module(TYPED), holder)


ELSEWHERE: Mapping[str, Callable[[], ModuleType]] = {
    **dict.fromkeys(STANDARD, standard),
    **dict.fromkeys(FOR_LISTS, place("create.foreach")),
    **dict.fromkeys(("Storage", *STORAGE_NAMES.values()), storages_of("OF_TORCH")),
    **{name: place(module) for module, names in OF_ROOT.items() for name in names.split()},
}

# For names that `torch.cuda` imports on first use: their module, without `rushlight.cuda.`.
OF_CUDA = {
    "_devices": "can_device_access_peer clock_rate current_blas_handle current_solver_handle device device_memory_used "
    "device_of get_arch_list get_device_capability get_device_properties get_gencode_flags ipc_collect "
    "is_tf32_supported memory_usage power_draw set_device temperature utilization",
    "_runtime": "CudaError DeferredCudaCallError check_error cudaStatus cudart get_sync_debug_mode set_sync_debug_mode",
    "_utils": "_get_device_index",
    "graphs": "CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    "memory": "CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete "
    "caching_allocator_disabled caching_allocator_enable change_current_allocator empty_cache get_allocator_backend "
    "get_per_process_memory_fraction host_memory_stats host_memory_stats_as_nested_dict list_gpu_processes "
    "max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated memory_cached "
    "memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary "
    "reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated "
    "reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats set_per_process_memory_fraction "
    "use_mem_pool",
    "random": "get_rng_state get_rng_state_all initial_seed seed seed_all set_rng_state set_rng_state_all",
    "streams": "Event ExternalStream Stream StreamContext current_stream default_stream get_stream_from_external "
    "set_stream stream",
}

LEGACY_TENSORS = (
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor",
)  # fmt: skip

# Packages that are imported at once: their lazy modules and names.
OF_PACKAGES: Mapping[str, tuple[frozenset[str], Mapping[str, Callable[[], ModuleType]]]] = {
    "autograd": (frozenset({"forward_ad", "functional", "profiler_util"}), {}),
    "compiler": (frozenset(), {"compile": ELSEWHERE["compile"], "config": place("_dynamo.compiler_config")}),
    "cuda": (
        frozenset(
            {"_utils", "amp", "comm", "graphs", "memory", "nccl", "nvtx", "profiler", "random", "sparse", "streams"}
        ),  # fmt: skip
        {
            **dict.fromkeys(STORAGE_NAMES.values(), storages_of("OF_CUDA")),
            **{name: place(f"cuda.{module}") for module, names in OF_CUDA.items() for name in names.split()},
            **dict.fromkeys(("AcceleratorError", "OutOfMemoryError"), place("core.errors")),
            **dict.fromkeys(LEGACY_TENSORS, place("cuda._typed")),
        },
    ),
}

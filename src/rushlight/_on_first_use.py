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
    "_classes",
    "_custom_ops",
    "_dynamo",
    "_functorch",
    "_higher_order_ops",
    "_jit_internal",
    "_library",
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
    "special",
    "storage",
    "testing",
    "types",
    "utils",
    "xpu",
})  # fmt: skip

# For names that are not modules: their module, without `rushlight.`.
PLACES = {
    "AcceleratorError": "core.errors",
    "DispatchKey": "_library.keys",
    "Event": "_streams",
    "FunctionSchema": "_library.schema",
    "Future": "_C",
    "GradScaler": "amp",
    "OutOfMemoryError": "core.errors",
    "PyTorchFileReader": "serialization.records",
    "ScriptFunction": "jit",
    "ScriptModule": "jit",
    "Stream": "_streams",
    "SymBool": "create.symbolic",
    "SymFloat": "create.symbolic",
    "SymInt": "create.symbolic",
    "Tag": "_library.tags",
    "TypedStorage": "storage",
    "UntypedStorage": "storage",
    "_assert_async": "create.checks",
    "_check": "create.checks",
    "_check_index": "create.checks",
    "_check_is_size": "create.checks",
    "_check_not_implemented": "create.checks",
    "_check_tensor_all": "create.checks",
    "_check_tensor_all_with": "create.checks",
    "_check_type": "create.checks",
    "_check_value": "create.checks",
    "_check_with": "create.checks",
    "_dirichlet_grad": "distributions._gamma_draws",
    "_sample_dirichlet": "distributions._gamma_draws",
    "_shape_as_tensor": "create.checks",
    "_standard_gamma": "distributions._gamma_draws",
    "_standard_gamma_grad": "distributions._gamma_draws",
    "autocast": "amp",
    "classes": "_classes",
    "compile": "nn.modules.compiled",
    "cond": "_control_flow",
    "draw": "explain.drawing",
    "eig": "_removed",
    "explain_backward": "explain",
    "explain_nan": "explain",
    "explain_plan": "explain",
    "fake_quantize_per_channel_affine": "ao.quantization.rounding",
    "fake_quantize_per_tensor_affine": "ao.quantization.rounding",
    "get_autocast_cpu_dtype": "amp.deprecated",
    "get_autocast_gpu_dtype": "amp.deprecated",
    "get_autocast_ipu_dtype": "amp.deprecated",
    "get_autocast_xla_dtype": "amp.deprecated",
    "get_device_module": "accelerator",
    "graphs": "explain.live_graphs",
    "inspect": "serialization.contents",
    "install": "_as_torch.finder",
    "is_autocast_cpu_enabled": "amp.deprecated",
    "is_autocast_ipu_enabled": "amp.deprecated",
    "is_autocast_xla_enabled": "amp.deprecated",
    "load": "serialization",
    "lstsq": "_removed",
    "matrix_rank": "_removed",
    "ops": "_ops",
    "per_channel_affine": "ao.quantization._types",
    "per_channel_affine_float_qparams": "ao.quantization._types",
    "per_channel_symmetric": "ao.quantization._types",
    "per_tensor_affine": "ao.quantization._types",
    "per_tensor_symmetric": "ao.quantization._types",
    "qint32": "ao.quantization._types",
    "qint8": "ao.quantization._types",
    "qscheme": "ao.quantization._types",
    "quint2x4": "ao.quantization._types",
    "quint4x2": "ao.quantization._types",
    "quint8": "ao.quantization._types",
    "save": "serialization",
    "seed_everything": "utils.seeding",
    "set_autocast_cpu_dtype": "amp.deprecated",
    "set_autocast_cpu_enabled": "amp.deprecated",
    "set_autocast_gpu_dtype": "amp.deprecated",
    "set_autocast_ipu_dtype": "amp.deprecated",
    "set_autocast_ipu_enabled": "amp.deprecated",
    "set_autocast_xla_dtype": "amp.deprecated",
    "set_autocast_xla_enabled": "amp.deprecated",
    "solve": "_removed",
    "strict": "explain.strict",
    "sym_float": "create.symbolic",
    "sym_int": "create.symbolic",
    "sym_ite": "create.symbolic",
    "sym_max": "create.symbolic",
    "sym_min": "create.symbolic",
    "sym_not": "create.symbolic",
    "sym_sqrt": "create.symbolic",
    "sym_sum": "create.symbolic",
    "symeig": "_removed",
    "uninstall": "_as_torch.finder",
    "watch": "explain.watch",
    "vmap": "func.vmap",
    "while_loop": "_control_flow",
    "why_no_grad": "explain",
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
    **{name: place(module) for name, module in PLACES.items()},
}

# For names that `torch.cuda` imports on first use: their module, without `rushlight.cuda.`.
OF_CUDA = {
    "_devices": "can_device_access_peer device device_of get_arch_list get_device_capability get_device_properties "
    "get_gencode_flags ipc_collect is_tf32_supported",
    "_utils": "_get_device_index",
    "graphs": "CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    "memory": "get_per_process_memory_fraction host_memory_stats max_memory_cached mem_get_info memory_cached "
    "memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats reset_max_memory_allocated "
    "reset_max_memory_cached reset_peak_memory_stats set_per_process_memory_fraction",
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
    "autograd": (frozenset({"forward_ad", "functional", "profiler"}), {}),
    "compiler": (frozenset(), {"compile": ELSEWHERE["compile"]}),
    "cuda": (
        frozenset({"_utils", "amp", "graphs", "memory", "nccl", "nvtx", "random", "streams"}),
        {
            **dict.fromkeys(STORAGE_NAMES.values(), storages_of("OF_CUDA")),
            **{name: place(f"cuda.{module}") for module, names in OF_CUDA.items() for name in names.split()},
            **dict.fromkeys(("AcceleratorError", "OutOfMemoryError"), place("core.errors")),
            **dict.fromkeys(LEGACY_TENSORS, place("cuda._typed")),
        },
    ),
}

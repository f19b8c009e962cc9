"""What the root has and imports when it is first named: `import rushlight` is to be quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import ModuleType

from rushlight._standard import NAMES as STANDARD
from rushlight._standard import namespace as standard
from rushlight.core.dtype import STORAGE_NAMES
from rushlight.dispatch.lists import NAMES as FOR_LISTS
from rushlight.dispatch.storages import TYPED

# One line each, in alphabetical order: these lists grow.
MODULES = frozenset({
    "_dynamo",
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
    "jit",
    "linalg",
    "masked",
    "mps",
    "mtia",
    "nn",
    "optim",
    "quasirandom",
    "return_types",
    "serialization",
    "signal",
    "special",
    "storage",
    "testing",
    "utils",
    "xpu",
})  # fmt: skip

# The module, without `rushlight.`, that has what is not a module.
PLACES = {
    "AcceleratorError": "core.errors",
    "OutOfMemoryError": "core.errors",
    "TypedStorage": "storage",
    "UntypedStorage": "storage",
    "_dirichlet_grad": "distributions._gamma_draws",
    "_sample_dirichlet": "distributions._gamma_draws",
    "_standard_gamma": "distributions._gamma_draws",
    "_standard_gamma_grad": "distributions._gamma_draws",
    "autocast": "amp",
    "compile": "nn.modules.compiled",
    "draw": "explain.drawing",
    "explain_backward": "explain",
    "explain_nan": "explain",
    "graphs": "explain.census",
    "inspect": "serialization.contents",
    "install": "_as_torch.finder",
    "load": "serialization",
    "save": "serialization",
    "seed_everything": "utils.seeding",
    "strict": "explain.strict",
    "uninstall": "_as_torch.finder",
    "watch": "explain.watch",
    "why_no_grad": "explain",
}


def place(module: str) -> Callable[[], ModuleType]:
    return partial(import_module, f"rushlight.{module}")


def storages_of(holder: str) -> Callable[[], ModuleType]:
    """Where `torch` or `torch.cuda` has its classes of typed storages."""
    return lambda: getattr(import_module(TYPED), holder)


ELSEWHERE: Mapping[str, Callable[[], ModuleType]] = {
    **dict.fromkeys(STANDARD, standard),
    **dict.fromkeys(FOR_LISTS, place("dispatch.lists")),
    **dict.fromkeys(("Storage", *STORAGE_NAMES.values()), storages_of("OF_TORCH")),
    **{name: place(module) for name, module in PLACES.items()},
}

# The module, without `rushlight.cuda.`, that has what `torch.cuda` imports when it is first named.
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

# Packages that are there from the start: which of their modules, and of their names, are not.
OF_PACKAGES: Mapping[str, tuple[frozenset[str], Mapping[str, Callable[[], ModuleType]]]] = {
    "autograd": (frozenset({"functional"}), {}),
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

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
    "_C",
    "_VF",
    "_dynamo",
    "_jit_internal",
    "_tensor",
    "_tensor_str",
    "_utils",
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
    "jit",
    "linalg",
    "masked",
    "nn",
    "optim",
    "overrides",
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

# The module, without `rushlight.`, that has what is not a module.
PLACES = {
    "AcceleratorError": "core.errors",
    "OutOfMemoryError": "core.errors",
    "SymBool": "dispatch.symbolic",
    "SymFloat": "dispatch.symbolic",
    "SymInt": "dispatch.symbolic",
    "TypedStorage": "storage",
    "UntypedStorage": "storage",
    "_assert_async": "dispatch.checks",
    "_check": "dispatch.checks",
    "_check_index": "dispatch.checks",
    "_check_is_size": "dispatch.checks",
    "_check_not_implemented": "dispatch.checks",
    "_check_tensor_all": "dispatch.checks",
    "_check_tensor_all_with": "dispatch.checks",
    "_check_type": "dispatch.checks",
    "_check_value": "dispatch.checks",
    "_check_with": "dispatch.checks",
    "_dirichlet_grad": "distributions._gamma_draws",
    "_sample_dirichlet": "distributions._gamma_draws",
    "_shape_as_tensor": "dispatch.checks",
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
    "sym_float": "dispatch.symbolic",
    "sym_int": "dispatch.symbolic",
    "sym_ite": "dispatch.symbolic",
    "sym_max": "dispatch.symbolic",
    "sym_min": "dispatch.symbolic",
    "sym_not": "dispatch.symbolic",
    "sym_sqrt": "dispatch.symbolic",
    "sym_sum": "dispatch.symbolic",
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

# Packages that are there from the start: which of their modules, and of their names, are not.
OF_PACKAGES: Mapping[str, tuple[frozenset[str], Mapping[str, Callable[[], ModuleType]]]] = {
    "autograd": (frozenset({"functional"}), {}),
    "compiler": (frozenset(), {"compile": ELSEWHERE["compile"]}),
    "cuda": (frozenset({"amp"}), dict.fromkeys(STORAGE_NAMES.values(), storages_of("OF_CUDA"))),
}

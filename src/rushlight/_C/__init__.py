"""`torch._C`: names of PyTorch's compiled module that packages import, implemented in Python."""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import Any
from weakref import ref

from rushlight._C import _autograd as _autograd
from rushlight._C import _functions as _functions
from rushlight._C import _nn as _nn
from rushlight._C.graphs import Current, TracingState
from rushlight._C.graphs import Graph as Graph
from rushlight._C.graphs import Node as Node
from rushlight._C.graphs import Value as Value
from rushlight._C.switches import (
    _debug_only_are_vmap_fallback_warnings_enabled as _debug_only_are_vmap_fallback_warnings_enabled,
)
from rushlight._C.switches import (
    _debug_only_display_vmap_fallback_warnings as _debug_only_display_vmap_fallback_warnings,
)
from rushlight._C.switches import (
    _get_math_sdp_allow_fp16_bf16_reduction as _get_math_sdp_allow_fp16_bf16_reduction,
)  # fmt: skip
from rushlight._C.switches import (
    _jit_can_fuse_on_cpu as _jit_can_fuse_on_cpu,
)
from rushlight._C.switches import (
    _jit_can_fuse_on_gpu as _jit_can_fuse_on_gpu,
)
from rushlight._C.switches import (
    _jit_override_can_fuse_on_cpu as _jit_override_can_fuse_on_cpu,
)
from rushlight._C.switches import (
    _jit_override_can_fuse_on_gpu as _jit_override_can_fuse_on_gpu,
)
from rushlight._C.switches import (
    _jit_set_nvfuser_enabled as _jit_set_nvfuser_enabled,
)
from rushlight._C.switches import (
    _jit_set_nvfuser_guard_mode as _jit_set_nvfuser_guard_mode,
)
from rushlight._C.switches import (
    _jit_set_profiling_executor as _jit_set_profiling_executor,
)
from rushlight._C.switches import (
    _jit_set_profiling_mode as _jit_set_profiling_mode,
)
from rushlight._C.switches import (
    _jit_set_texpr_fuser_enabled as _jit_set_texpr_fuser_enabled,
)
from rushlight._C.switches import (
    _jit_texpr_fuser_enabled as _jit_texpr_fuser_enabled,
)
from rushlight._C.switches import (
    _set_math_sdp_allow_fp16_bf16_reduction as _set_math_sdp_allow_fp16_bf16_reduction,
)
from rushlight.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from rushlight.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from rushlight.autograd.forward_ad import _is_fwd_grad_enabled as _is_fwd_grad_enabled
from rushlight.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from rushlight.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from rushlight.autograd.running import current_graph_task_id as _current_graph_task_id  # noqa: F401
from rushlight.autograd.running import will_execute as _will_engine_execute_node  # noqa: F401
from rushlight.core.determinism import DETERMINISM
from rushlight.core.determinism import set_fill as _set_deterministic_fill_uninitialized_memory  # noqa: F401
from rushlight.core.device import BACKENDS
from rushlight.core.device import device as device
from rushlight.core.dtype import dtype as dtype
from rushlight.core.dtype import finfo as finfo
from rushlight.core.dtype import get_default_dtype as get_default_dtype
from rushlight.core.dtype import iinfo as iinfo
from rushlight.core.errors import AcceleratorError as AcceleratorError
from rushlight.core.errors import OutOfMemoryError as OutOfMemoryError
from rushlight.core.formats import memory_format as memory_format
from rushlight.core.generator import Generator as Generator
from rushlight.core.modes import NEVER, TRANSFORMS, change, current
from rushlight.core.shape_queries import layout as layout
from rushlight.core.size import Size as Size
from rushlight.core.tensor import Tensor
from rushlight.dispatch.torch_function import DisableTorchFunction as DisableTorchFunction
from rushlight.dispatch.torch_function import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from rushlight.dispatch.torch_function import (
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)  # fmt: skip
from rushlight.futures import BaseFuture as Future  # noqa: F401
from rushlight.random import default_generator as default_generator

# Names of the dispatcher, imported on first use.
OF_DISPATCHER = frozenset(
    """DispatchKey DispatchKeySet FunctionSchema _AutoDispatchBelowADInplaceOrView _AutoDispatchBelowAutograd
    _ExcludeDispatchKeyGuard _after_ADInplaceOrView_keyset _after_autograd_keyset
    _dispatch_find_schema_or_throw _dispatch_get_all_op_names _dispatch_get_registrations_for_dispatch_key
    _dispatch_has_computed_kernel_for_dispatch_key _dispatch_has_kernel
    _dispatch_has_kernel_for_any_dispatch_key _dispatch_has_kernel_for_dispatch_key _dispatch_is_alias_key
    _dispatch_key_for_device _dispatch_key_name _dispatch_key_parse _dispatch_keys
    _dispatch_tls_is_dispatch_key_excluded _dispatch_tls_local_exclude_set _jit_get_all_schemas
    _jit_get_schemas_for_operator parse_schema""".split()
)

_has_torch_function, _has_torch_function_unary = has_torch_function, has_torch_function_unary
_has_torch_function_variadic = has_torch_function_variadic
TensorBase = _TensorBase = Tensor
_TensorMeta = type(Tensor)
_disabled_torch_function_impl = NEVER


has_lapack = has_spectral = True
has_mkl = has_openmp = _has_cuda = _has_cudnn = _has_magma = _has_mkldnn = _has_mps = _has_xpu = False


def _log_api_usage_once(event: str, /) -> None:
    """Does nothing. PyTorch logs the use of its API here, if enabled."""


def _get_default_device() -> str:
    """Returns the device type of new tensors, without `torch.set_default_device`."""
    return "cpu"


def _get_accelerator() -> device:
    """Returns the GPU's type; the CPU if there is none."""
    return device("cuda" if "cuda" in BACKENDS.by_kind else "cpu")


def _get_privateuse1_backend_name() -> str:
    """Returns the name of a custom backend."""
    return "privateuseone"


def _get_tracing_state() -> TracingState | None:
    """Returns the trace that is being recorded; None if there is none."""
    return Current.state


def _are_functorch_transforms_active() -> bool:
    """Whether transforms of `torch.func` are under way."""
    return bool(TRANSFORMS.get())


def _is_torch_function_enabled() -> bool:
    """Whether subclasses of Tensor override calls."""
    return not current().subclass_disabled


class _TorchFunctionState(Enum):
    """Which overrides of calls are disabled."""

    ENABLED, SUBCLASSES_DISABLED, ALL_DISABLED = range(3)


def _get_torch_function_state() -> _TorchFunctionState:
    """Returns which overrides are disabled in this thread."""
    modes = current()
    if modes.subclass_disabled:
        return _TorchFunctionState.ALL_DISABLED if modes.modes_disabled else _TorchFunctionState.SUBCLASSES_DISABLED
    return _TorchFunctionState.ENABLED


def _set_torch_function_state(state: _TorchFunctionState, /) -> None:
    """Disables overrides in this thread, or enables them."""
    if not isinstance(state, _TorchFunctionState):
        raise TypeError(
            "_set_torch_function_state(): incompatible function arguments. The following argument types are supported:"
        )
    all_disabled = state is _TorchFunctionState.ALL_DISABLED
    change(subclass_disabled=state is not _TorchFunctionState.ENABLED, modes_disabled=all_disabled)


def _is_torch_function_all_disabled() -> bool:
    """Whether neither subclasses of Tensor nor modes override calls."""
    modes = current()
    return modes.subclass_disabled and modes.modes_disabled


def _len_torch_function_stack() -> int:
    """Returns the number of active modes."""
    return len(current().function_modes)


def _get_function_stack_at(level: int, /) -> Any:
    """Returns the mode at a level; 0 is the outermost."""
    return current().function_modes[level]


def _push_on_torch_function_stack(mode: Any, /) -> None:
    """Pushes a mode."""
    change(function_modes=(*current().function_modes, mode))


def _pop_torch_function_stack() -> Any:
    """Pops the innermost mode and returns it."""
    *rest, innermost = current().function_modes
    change(function_modes=tuple(rest))
    return innermost


def _get_deterministic_fill_uninitialized_memory() -> bool:
    """Whether new tensors with undefined values are filled, as `torch.utils.deterministic` sets it."""
    return DETERMINISM.fill


def _is_alias_of(first: Tensor, second: Tensor, /) -> bool:
    """Whether two tensors have the same storage."""
    return first.untyped_storage()._cdata == second.untyped_storage()._cdata


def _set_grad_enabled(enabled: bool, /) -> None:
    """Enables or disables recording."""
    change(grad=enabled)


def _set_fwd_grad_enabled(enabled: bool, /) -> None:
    """Enables or disables tangents of results in forward mode."""
    change(forward=enabled)


class _WeakTensorRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Tensor):
        self._reference = ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._reference() is None


def __getattr__(name: str) -> Any:
    if name == "_distributed_c10d":
        return import_module("rushlight._C._distributed_c10d")
    if name not in OF_DISPATCHER:
        raise AttributeError(f"module 'torch._C' has no attribute {name!r}")
    result = getattr(import_module("rushlight._library.dispatch_names"), name)
    globals()[name] = result
    return result

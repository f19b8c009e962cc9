"""`torch.backends.cuda`: switches of matrix products and attention on a GPU.

The switches of attention choose between cuDNN and the formulas on a GPU; in PyTorch they also apply to the CPU.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.backends.libraries import (
    SDPAParams,
    cuFFTPlanCache,
    cuFFTPlanCacheManager,
    preferred_blas_library,
    preferred_linalg_library,
    preferred_rocm_fa_library,
    reduced,
)  # fmt: skip
from rushlight.backends.switches import precision
from rushlight.core.device import BACKENDS
from rushlight.create.switches import get_float32_matmul_precision, set_float32_matmul_precision
from rushlight.declarations.attention import is_narrow
from rushlight.dispatch.message import type_name

__all__ = [
    "SDPAParams", "allow_fp16_bf16_reduction_math_sdp", "can_use_cudnn_attention", "can_use_efficient_attention",
    "can_use_flash_attention", "cuBLASModule", "cuFFTPlanCache", "cuFFTPlanCacheManager", "cudnn_sdp_enabled",
    "cufft_plan_cache", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp",
    "flash_sdp_enabled", "fp16_bf16_reduction_math_sdp_allowed", "is_built", "is_ck_sdpa_available",
    "is_flash_attention_available", "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled",
    "preferred_blas_library", "preferred_linalg_library", "preferred_rocm_fa_library", "sdp_kernel",
]  # fmt: skip


def is_built() -> bool:
    """Whether the library was built for GPUs: False."""
    return False


class cuBLASModule:
    """The switches of matrix products. `allow_tf32` is equivalent to `set_float32_matmul_precision`.

    Products here have all digits of their dtype; the switches are kept, and change no result.
    """

    _kept: dict[str, bool]

    def __init__(self) -> None:
        vars(self).update(_kept=dict.fromkeys(REDUCED, True) | {ACCUMULATION: False}, _precision="none")

    def __getattr__(self, name: str) -> Any:
        if name not in SWITCHES:
            raise AttributeError(f"Unknown attribute {name}")
        return self._kept[name]

    @property
    def fp32_precision(self) -> str:
        """How float32 factors may be rounded: "tf32", "ieee" for not at all, or "none" if nothing is set."""
        return "tf32" if self.allow_tf32 else self._precision

    @fp32_precision.setter
    def fp32_precision(self, wanted: str) -> None:
        vars(self).update(_precision=precision("cuda", wanted))
        set_float32_matmul_precision("high" if wanted == "tf32" else "highest")

    @property
    def allow_tf32(self) -> bool:
        """Whether factors may be rounded: False for precision "highest". They never are."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        if type(allowed) is not bool:
            raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type_name(allowed)}")
        set_float32_matmul_precision("high" if allowed else "highest")
        if not allowed and self._precision == "tf32":
            vars(self).update(_precision="ieee")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("allow_tf32", "fp32_precision"):
            super().__setattr__(name, value)
        elif name in REDUCED:
            self._kept[name] = reduced(name, value)
        elif name == ACCUMULATION:
            if type(value) is not bool:
                raise RuntimeError(f"set_{name}_cublas expects a bool, but got {type_name(value)}")
            self._kept[name] = value
        else:
            raise AttributeError(f"Unknown attribute {name}")


REDUCED = "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"
ACCUMULATION = "allow_fp16_accumulation"
SWITCHES = frozenset((*REDUCED, ACCUMULATION))
matmul = cuBLASModule()
cufft_plan_cache = cuFFTPlanCacheManager()


# ---- attention

ATTENTION = {
    "cudnn": True,
    "flash": True,
    "mem_efficient": True,
    "math": True,
    "overrideable": True,
    "reduction": False,
}
DEPRECATED = (
    "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
    "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature."
)


def set_attention(kernel: str, enabled: bool) -> None:
    if type(enabled) is not bool:
        raise RuntimeError(f"set_sdp_use_{kernel} expects a bool, but got {type_name(enabled)}")
    ATTENTION[kernel] = enabled


@contextmanager
def only_attention_kernels(kernels: set[str]) -> Iterator[dict]:
    """Allows only these kernels of attention in a `with` block."""
    before = ATTENTION.copy()
    ATTENTION.update({name: name in kernels for name in ATTENTION if name != "reduction"})
    try:
        yield {}
    finally:
        ATTENTION.update(before)


def allows_fused_attention() -> bool:
    """Whether a GPU may compute attention by cuDNN, the one fused kernel there is.

    It may if that is enabled, or if other fused ones are and the formulas, "math", are not.
    """
    return ATTENTION["cudnn"] or (not ATTENTION["math"] and (ATTENTION["flash"] or ATTENTION["mem_efficient"]))


def flash_sdp_enabled() -> bool:
    """Whether flash attention is enabled."""
    return ATTENTION["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Enables or disables flash attention."""
    set_attention("flash", enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether memory-efficient attention is enabled."""
    return ATTENTION["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Enables or disables memory-efficient attention."""
    set_attention("mem_efficient", enabled)


def math_sdp_enabled() -> bool:
    """Whether attention by separate operations is enabled."""
    return ATTENTION["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Enables or disables attention by separate operations."""
    set_attention("math", enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN attention is enabled."""
    return ATTENTION["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Enables or disables cuDNN attention."""
    set_attention("cudnn", enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Whether attention by separate operations may add in half precision. It never does here."""
    return ATTENTION["reduction"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allows attention by separate operations to add in half precision."""
    if type(enabled) is not bool:
        raise RuntimeError(f"set_sdp_use_math expects a bool, but got {type_name(enabled)}")
    ATTENTION["reduction"] = enabled


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether another kernel than cuDNN's takes a call of attention: False, there is none."""
    return False


can_use_efficient_attention = can_use_flash_attention


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether cuDNN may compute a call of attention: on a GPU, in half precision, if it is installed and enabled."""
    if not ATTENTION["cudnn"] or params.dropout or getattr(BACKENDS.by_kind.get("cuda"), "cudnn", None) is None:
        return False
    operands = params.query, params.key, params.value, params.attn_mask
    sizes = params.query.shape[-1] % 8 == 0 and params.key.shape[-2] > 1
    return sizes and is_narrow(*operands, params.enable_gqa)


def is_ck_sdpa_available() -> bool:
    """Whether AMD's library of attention is there: False."""
    return False


def is_flash_attention_available() -> bool:
    """Whether flash attention was built for a GPU: False."""
    return False


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
):
    """Deprecated: `torch.nn.attention.sdpa_kernel`."""
    warnings.warn(DEPRECATED, FutureWarning, stacklevel=2)
    switches = {
        "flash": enable_flash,
        "math": enable_math,
        "mem_efficient": enable_mem_efficient,
        "cudnn": enable_cudnn,
    }
    return only_attention_kernels({name for name, enabled in switches.items() if enabled})

"""`torch.backends.cuda`: switches of matrix products and attention on a GPU.

In PyTorch the switches of attention also apply to the CPU. Here one kernel computes it: they are only stored.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.create.switches import get_float32_matmul_precision, set_float32_matmul_precision
from rushlight.dispatch.message import type_name

__all__ = [
    "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp",
    "flash_sdp_enabled", "is_built", "is_flash_attention_available", "math_sdp_enabled", "matmul",
    "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip


def is_built() -> bool:
    """Whether the library was built for GPUs: False."""
    return False


class Products:
    """The switches of matrix products. `allow_tf32` is equivalent to `set_float32_matmul_precision`."""

    def __init__(self):
        self.allow_fp16_reduced_precision_reduction = True
        self.allow_bf16_reduced_precision_reduction = True

    @property
    def allow_tf32(self) -> bool:
        """Whether factors may be rounded: False for precision "highest". They never are."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        if type(allowed) is not bool:
            raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type_name(allowed)}")
        set_float32_matmul_precision("high" if allowed else "highest")

    def __setattr__(self, name: str, value) -> None:
        if name not in SWITCHES:
            raise AttributeError(f"Unknown attribute {name}")
        super().__setattr__(name, value)


SWITCHES = frozenset(("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"))
matmul = Products()


# ---- attention

ATTENTION = {"cudnn": True, "flash": True, "mem_efficient": True, "math": True, "overrideable": True}
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
    ATTENTION.update({name: name in kernels for name in ATTENTION})
    try:
        yield {}
    finally:
        ATTENTION.update(before)


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

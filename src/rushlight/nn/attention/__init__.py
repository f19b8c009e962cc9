"""`torch.nn.attention`: the choice of an attention kernel: on a GPU cuDNN's or the formulas; the CPU has one only.

https://docs.pytorch.org/docs/stable/nn.attention.html
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from enum import Enum

from rushlight.backends.cuda import only_attention_kernels

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(Enum):
    """The kernels of PyTorch for `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value


SWITCHES = {
    SDPBackend.MATH: "math", SDPBackend.FLASH_ATTENTION: "flash", SDPBackend.EFFICIENT_ATTENTION: "mem_efficient",
    SDPBackend.CUDNN_ATTENTION: "cudnn", SDPBackend.OVERRIDEABLE: "overrideable",
}  # fmt: skip


def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> AbstractContextManager[dict]:
    """Chooses kernels for `scaled_dot_product_attention` until the end of a `with` block.

    >>> import rushlight as torch
    >>> from rushlight.nn.attention import SDPBackend, sdpa_kernel
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.backends.cuda.flash_sdp_enabled()
    False
    """
    if not isinstance(backends, list | SDPBackend):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    return only_attention_kernels({SWITCHES[backend] for backend in chosen if backend in SWITCHES})

"""Settings of PyTorch's compiled module that programs set and read. They have no effect here.

They tune TorchScript's compiler, which does not exist here: functions run as Python.
"""

from __future__ import annotations


class Switches:
    """The settings, with PyTorch's defaults."""

    def __init__(self):
        self.profiling_executor = self.profiling_mode = self.texpr_fuser = True
        self.fuse_on_cpu = self.fuse_on_gpu = False
        self.half_sums_of_attention = self.vmap_fallback_warnings = False


SWITCHES = Switches()


def _jit_set_profiling_executor(enabled: bool, /) -> bool:
    """Sets whether TorchScript's executor profiles; returns the old value."""
    before, SWITCHES.profiling_executor = SWITCHES.profiling_executor, enabled
    return before


def _jit_set_profiling_mode(enabled: bool, /) -> bool:
    """Sets whether TorchScript's profiling is on; returns the old value."""
    before, SWITCHES.profiling_mode = SWITCHES.profiling_mode, enabled
    return before


def _jit_set_texpr_fuser_enabled(enabled: bool, /) -> None:
    """Sets whether TorchScript fuses by NNC."""
    SWITCHES.texpr_fuser = enabled


def _jit_texpr_fuser_enabled() -> bool:
    """Returns the value of `_jit_set_texpr_fuser_enabled`."""
    return SWITCHES.texpr_fuser


def _jit_override_can_fuse_on_cpu(enabled: bool, /) -> None:
    """Sets whether TorchScript fuses for the CPU."""
    SWITCHES.fuse_on_cpu = enabled


def _jit_can_fuse_on_cpu() -> bool:
    """Returns the value of `_jit_override_can_fuse_on_cpu`."""
    return SWITCHES.fuse_on_cpu


def _jit_override_can_fuse_on_gpu(enabled: bool, /) -> None:
    """Sets whether TorchScript fuses for a GPU."""
    SWITCHES.fuse_on_gpu = enabled


def _jit_can_fuse_on_gpu() -> bool:
    """Returns the value of `_jit_override_can_fuse_on_gpu`."""
    return SWITCHES.fuse_on_gpu


def _jit_set_nvfuser_enabled(enabled: bool, /) -> None:
    """Does nothing, as in PyTorch, which has removed nvfuser from TorchScript."""


def _jit_set_nvfuser_guard_mode(enabled: bool, /) -> None:
    """Does nothing, as in PyTorch, which has removed nvfuser from TorchScript."""


def _set_math_sdp_allow_fp16_bf16_reduction(enabled: bool, /) -> None:
    """Sets whether attention on a GPU may sum in half precision."""
    SWITCHES.half_sums_of_attention = enabled


def _get_math_sdp_allow_fp16_bf16_reduction() -> bool:
    """Returns the value of `_set_math_sdp_allow_fp16_bf16_reduction`."""
    return SWITCHES.half_sums_of_attention


def _debug_only_display_vmap_fallback_warnings(mode: bool, /) -> None:
    """Sets whether vmap warns of operators without a rule of their own; here all have one."""
    SWITCHES.vmap_fallback_warnings = mode


def _debug_only_are_vmap_fallback_warnings_enabled() -> bool:
    """Returns the value of `_debug_only_display_vmap_fallback_warnings`."""
    return SWITCHES.vmap_fallback_warnings

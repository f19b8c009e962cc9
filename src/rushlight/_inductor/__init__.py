"""`torch._inductor`: settings and options of PyTorch's compiler, for programs that set them."""

from __future__ import annotations

from typing import Any

from rushlight._inductor import config as config
from rushlight._inductor.settings import SETTINGS

MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "lite": {
        "fallback_by_default": True,
        "selective_decompose": True,
        "reorder_for_peak_memory": False,
        "reorder_for_compute_comm_overlap": False,
        "triton.reorder_for_reducing_graph_partitions": False,
        "use_pre_grad_passes": False,
        "use_joint_graph_passes": False,
        "use_post_grad_passes": False,
        "use_dce": False,
        "allow_buffer_reuse": False,
    },  # fmt: skip
    "reduce-overhead": {"triton.cudagraphs": True},
    "max-autotune-no-cudagraphs": {"max_autotune": True, "coordinate_descent_tuning": True},
    "max-autotune": {"max_autotune": True, "triton.cudagraphs": True, "coordinate_descent_tuning": True},
}


def list_options() -> list[str]:
    """Returns the names of options that `torch.compile` accepts."""
    return list(SETTINGS)


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """Returns the options that a mode stands for; without `mode`, those of each. They change no results here.

    >>> import rushlight as torch
    >>> torch._inductor.list_mode_options("reduce-overhead")
    {'triton.cudagraphs': True}
    """
    return MODES[mode] if mode else MODES

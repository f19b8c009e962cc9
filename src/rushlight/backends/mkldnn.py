"""`torch.backends.mkldnn`: oneDNN is not used; kernels are rushlight's, or NumPy's."""

from contextlib import AbstractContextManager

from rushlight.backends.switches import become_switches, switched

# The switches, set by the last line.
enabled: bool
deterministic: bool

__all__ = ["flags", "is_available"]


def is_available() -> bool:
    """Whether oneDNN is available: False."""
    return False


def flags(
    enabled: bool | None = False, deterministic: bool | None = False, allow_tf32: bool | None = True,
    fp32_precision: str = "none",
) -> AbstractContextManager[None]:  # fmt: skip
    """Sets the switches in a `with` block; the last two are for Intel's GPUs, and change nothing.

    >>> import rushlight as torch
    >>> with torch.backends.mkldnn.flags(enabled=False):
    ...     torch.backends.mkldnn.enabled
    False
    """
    return switched(__name__, enabled=enabled, deterministic=deterministic)


become_switches(__name__, enabled=True, deterministic=False)

"""`torch.backends.mkldnn`: oneDNN is not used; kernels are rushlight's, or NumPy's."""

from rushlight.backends.switches import become_switches

# The switches, set by the last line.
enabled: bool
deterministic: bool

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether oneDNN is available: False."""
    return False


become_switches(__name__, enabled=True, deterministic=False)

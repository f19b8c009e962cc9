"""`torch.backends.mkldnn`: oneDNN is not used; kernels are our own, or NumPy's."""

from rushlight.backends.switches import become_switches

# The switches, which the last line sets.
enabled: bool
deterministic: bool

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether oneDNN computes here: never."""
    return False


become_switches(__name__, enabled=True, deterministic=False)

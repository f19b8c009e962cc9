"""`torch.backends.openmp`: OpenMP is not used; threads are rushlight's own."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether OpenMP is available: False."""
    return False

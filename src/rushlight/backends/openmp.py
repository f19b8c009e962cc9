"""`torch.backends.openmp`: OpenMP is not used; threads are our own."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether OpenMP computes here: never."""
    return False

"""`torch.backends.mkl`: Intel's MKL is not used; NumPy has its own BLAS."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether Intel's MKL is available: False."""
    return False

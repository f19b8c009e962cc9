"""`torch.backends.mkl`: Intel's MKL is not used; NumPy brings its own BLAS."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether Intel's MKL computes here: never."""
    return False

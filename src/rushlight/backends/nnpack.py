"""`torch.backends.nnpack`: NNPACK is not used; kernels are rushlight's, or NumPy's."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether NNPACK is available: False."""
    return False

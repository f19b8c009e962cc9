"""`torch.backends.nnpack`: NNPACK is not used; kernels are our own, or NumPy's."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether NNPACK computes here: never."""
    return False

"""`torch.backends.mps`: the GPU of a Mac, which is not supported."""

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Whether tensors can be moved to a Mac's GPU: False."""
    return False


def is_built() -> bool:
    """Whether the library was built for a Mac's GPU: False."""
    return False

"""`torch.distributed.rpc`: remote calls, which are not supported.

https://docs.pytorch.org/docs/stable/rpc.html
"""

__all__ = ["is_available"]


def is_available() -> bool:
    """Returns False, as a PyTorch without distributed support does."""
    return False

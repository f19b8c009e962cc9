"""`torch.distributed.rpc`: whether functions can be called in other processes. They cannot.

https://docs.pytorch.org/docs/stable/rpc.html
"""

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether functions can be called in other processes: never, as in a PyTorch that was built without."""
    return False

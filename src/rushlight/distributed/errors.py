"""The exceptions of torch.distributed."""

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "QueueEmptyError"]


class DistError(RuntimeError):
    """An error of torch.distributed."""

    __module__ = "torch.distributed"


class DistBackendError(DistError):
    """The backend has failed: a rank has ended, or ranks have called different collectives."""

    __module__ = "torch.distributed"


class DistNetworkError(DistError):
    """A connection could not be made, or has ended."""

    __module__ = "torch.distributed"


class DistStoreError(DistError):
    """A key was not set in time, or not all ranks came in time."""

    __module__ = "torch.distributed"


class QueueEmptyError(DistStoreError):
    """A queue of a store has nothing to give."""

    __module__ = "torch.distributed"

"""`torch.distributed.elastic.multiprocessing`: how failures of processes are reported."""

from rushlight.distributed.elastic.multiprocessing import errors

__all__ = ["errors"]

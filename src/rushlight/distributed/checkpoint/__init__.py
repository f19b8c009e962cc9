"""`torch.distributed.checkpoint`: states that several processes save together, and as many or others load.

https://docs.pytorch.org/docs/stable/distributed.checkpoint.html
"""

from rushlight.distributed.checkpoint import state_dict as state_dict
from rushlight.distributed.checkpoint import stateful as stateful
from rushlight.distributed.checkpoint.agreement import CheckpointException
from rushlight.distributed.checkpoint.background import async_save
from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.loading import load
from rushlight.distributed.checkpoint.saving import save

__all__ = ["CheckpointException", "FileSystemReader", "FileSystemWriter", "async_save", "load", "save"]

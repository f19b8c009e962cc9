"""`torch.distributed.algorithms`: communication hooks, averaging of models, and uneven inputs."""

from rushlight.distributed.algorithms.join import Join as Join
from rushlight.distributed.algorithms.join import Joinable as Joinable
from rushlight.distributed.algorithms.join import JoinHook as JoinHook

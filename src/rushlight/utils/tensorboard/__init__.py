"""`torch.utils.tensorboard`: events of a program for TensorBoard, by the package tensorboard or tensorboardX.

https://docs.pytorch.org/docs/stable/tensorboard.html
"""

from rushlight.utils.tensorboard.packages import installed
from rushlight.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]

installed()  # programs try the import to find out

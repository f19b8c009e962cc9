"""torch.optim: one file per method, over one base."""

from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]

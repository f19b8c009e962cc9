"""`torch.nn.parameter`: the tensors that belong to modules."""

from rushlight.core.tensor import Parameter

__all__ = ["Parameter"]

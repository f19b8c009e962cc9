"""`torch._subclasses`: queries about fake tensors. See README.md."""

from rushlight._subclasses.fake_tensor import FakeTensor

__all__ = ["FakeTensor"]

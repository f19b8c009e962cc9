"""`torch.utils.hooks`: the handle that every registration of a hook returns; `core/handle.py` makes it."""

from rushlight.core.handle import RemovableHandle

__all__ = ["RemovableHandle"]

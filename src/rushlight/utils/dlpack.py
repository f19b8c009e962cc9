"""torch.utils.dlpack: tensors as DLPack capsules. https://docs.pytorch.org/docs/stable/dlpack.html"""

from __future__ import annotations

from rushlight.dispatch.create import from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor):
    """A capsule on the memory of a tensor, to be read once.

    Raises BufferError for a tensor that requires grad.
    """
    return tensor.__dlpack__()

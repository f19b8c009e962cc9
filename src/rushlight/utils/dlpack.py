"""torch.utils.dlpack: tensors as DLPack capsules. https://docs.pytorch.org/docs/stable/dlpack.html"""

from __future__ import annotations

from rushlight.create.from_data import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]

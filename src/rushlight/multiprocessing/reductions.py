"""`torch.multiprocessing.reductions`: how tensors and storages are sent; implemented in `memory/sharing.py`."""

from __future__ import annotations

from rushlight.memory.sharing import rebuilt_storage, rebuilt_tensor, reduced_storage, reduced_tensor, register

__all__ = ["init_reductions", "rebuild_storage", "rebuild_tensor", "reduce_storage", "reduce_tensor"]

init_reductions = register
reduce_storage, rebuild_storage = reduced_storage, rebuilt_storage
reduce_tensor, rebuild_tensor = reduced_tensor, rebuilt_tensor

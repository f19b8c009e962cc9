"""torch.utils: data loading, checkpointing, DLPack capsules and hook handles under PyTorch's addresses."""

from rushlight.utils import checkpoint, data, dlpack, hooks

__all__ = ["checkpoint", "data", "dlpack", "hooks"]

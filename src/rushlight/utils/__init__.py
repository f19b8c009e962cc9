"""torch.utils: data loading, checkpointing, DLPack capsules and hook handles under PyTorch's addresses."""

from rushlight.utils import checkpoint, data, deterministic, dlpack, hooks

__all__ = ["checkpoint", "data", "deterministic", "dlpack", "hooks"]

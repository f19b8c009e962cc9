"""torch.utils: checkpointing, DLPack capsules and hook handles under the addresses that PyTorch gives them."""

from rushlight.utils import checkpoint, dlpack, hooks

__all__ = ["checkpoint", "dlpack", "hooks"]

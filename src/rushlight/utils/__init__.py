"""torch.utils: checkpointing and hook handles under the addresses that PyTorch gives them."""

from rushlight.utils import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]

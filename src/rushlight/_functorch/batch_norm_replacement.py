"""`torch._functorch.batch_norm_replacement`: an address of `replace_all_batch_norm_modules_`."""

from rushlight.func.modules import replace_all_batch_norm_modules_

__all__ = ["replace_all_batch_norm_modules_"]

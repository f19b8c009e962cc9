"""`torch._functorch`: other addresses of `torch.func`, which packages import."""

from rushlight._functorch import config as config

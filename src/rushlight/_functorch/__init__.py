"""`torch._functorch`: other addresses of `torch.func`, which packages import."""

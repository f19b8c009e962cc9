"""`torch._library`: what stands behind `torch.library` and `torch.ops`."""

"""`torch._subclasses`: queries about fake tensors. See README.md."""

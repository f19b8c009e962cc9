"""`torch._subclasses`: what packages ask about fake tensors. See README.md."""

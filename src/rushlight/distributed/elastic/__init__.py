"""`torch.distributed.elastic`: what programs under torchrun import of it."""

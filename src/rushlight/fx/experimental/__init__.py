"""`torch.fx.experimental`: names that packages import to query PyTorch's compiler."""

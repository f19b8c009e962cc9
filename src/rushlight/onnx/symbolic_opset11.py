"""`torch.onnx.symbolic_opset11`, which packages import; it has none of PyTorch's functions."""

"""`torch.onnx.symbolic_opset11`, which packages import beside their own functions: it has none of PyTorch's here."""

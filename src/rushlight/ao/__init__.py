"""`torch.ao`: names of what makes quantized models. None can be made, because there are no quantized tensors."""

from rushlight.ao import nn, quantization

__all__ = ["nn", "quantization"]

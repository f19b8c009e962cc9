"""`torch.ao`: observers and rounding; of what makes quantized models the names, as there are no quantized tensors."""

from rushlight.ao import nn, quantization

__all__ = ["nn", "quantization"]

"""`torch.ao`: observers and fake quantization; the rest only as names, since there are no quantized tensors."""

from rushlight.ao import nn, quantization

__all__ = ["nn", "quantization"]

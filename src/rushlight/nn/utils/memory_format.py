"""The memory format of convolution weights."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module

from ..modules import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def convert_conv2d_weight_memory_format(module: Module, memory_format: Any):
    """Converts the weights of all 2-D convolutions in `module` to `memory_format`; returns the module."""
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: Module, memory_format: Any):
    """Converts the weights of all 3-D convolutions in `module` to `memory_format`; returns the module."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))


def _convert(module, memory_format, kinds):
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module

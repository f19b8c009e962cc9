"""How the weights of convolutions lie in memory."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module

from ..modules import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def convert_conv2d_weight_memory_format(module: Module, memory_format: Any):
    """Lays the weights of all 2-D convolutions in `module` out as `memory_format` says; returns the module."""
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: Module, memory_format: Any):
    """Lays the weights of all 3-D convolutions in `module` out as `memory_format` says; returns the module."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))


def _convert(module, memory_format, kinds):
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module

"""Fuses a layer and the batch normalization after it into one layer, for evaluation.

With the scale s = weight / sqrt(running_var + eps), the two together are
s * (W x + b - running_mean) + bias = (s W) x + (s * (b - running_mean) + bias).
"""

from __future__ import annotations

import copy
from typing import Any

from rushlight._generated.functions import rsqrt
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import ones_like, zeros_like


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False):
    """Returns a copy of a convolution that includes the batch normalization `bn`; both must be in evaluation mode."""
    fused = _copy_in_evaluation(conv, bn)
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of a convolution fused with batch normalization; `transpose`: channels are dim 1."""
    bn_w = ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = zeros_like(bn_rm) if bn_b is None else bn_b
    scale = bn_w * rsqrt(bn_rv + bn_eps)
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    return _scaled(conv_w, conv_b, scale.reshape(shape), scale, bn_rm, bn_b)


def fuse_linear_bn_eval(linear: Any, bn: Any):
    """Returns a copy of a linear layer that includes the batch normalization `bn`; both must be in evaluation mode."""
    fused = _copy_in_evaluation(linear, bn)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of a linear layer fused with batch normalization."""
    scale = bn_w * rsqrt(bn_rv + bn_eps)
    return _scaled(linear_w, linear_b, scale.unsqueeze(-1), scale, bn_rm, bn_b)


def _copy_in_evaluation(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    return copy.deepcopy(layer)


def _check_statistics(bn):
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def _scaled(weight, bias, weight_scale, scale, mean, shift):
    had = zeros_like(mean) if bias is None else bias
    dtype = weight.dtype if bias is None else bias.dtype
    fused_bias = ((had - mean) * scale + shift).to(dtype=dtype)
    fused_weight = (weight * weight_scale).to(dtype=weight.dtype)
    return Parameter(fused_weight, weight.requires_grad), Parameter(fused_bias, had.requires_grad)

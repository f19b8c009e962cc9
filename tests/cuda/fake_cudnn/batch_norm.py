"""Batch norm of the stand-in. The running variance moves towards that of a sample, as PyTorch's does."""

from .names import data_type
from .operator import COMMON, Operator

IMAGES = ("input", "grad")
NUMBERS = ("epsilon", "momentum")


def check(io, operands, results):
    """Images have the dtype of the graph, statistics are float32, one for each channel; two numbers are of the CPU."""
    shape, first, *others = operands["input"].dim, *results
    channels = [1, shape[1], *[1] * (len(shape) - 2)]
    assert len(shape) in (4, 5) and first.kind is io and first.dim == shape
    assert all(each.kind is data_type.FLOAT and each.dim == channels for each in others)
    for name, each in operands.items():
        assert each.kind is (io if name in IMAGES else data_type.FLOAT) and each.by_value is (name in NUMBERS)
        assert each.dim == (shape if name in IMAGES else [1] * len(shape) if name in NUMBERS else channels)


def has_results(operands, settings):
    assert operands.keys() == {*FORWARD}  # the frontend passes on none that is missing, and its library wants them all
    return 5 * [True]


def batchnorm(input, scale, bias, in_running_mean, in_running_var, epsilon, momentum, shapes):
    dims = [0, *range(2, input.ndim)]
    count, mean, variance = (
        input.numel() // input.shape[1],
        input.mean(dims, True),
        input.var(dims, False, keepdim=True),
    )
    inverse = 1 / (variance + epsilon).sqrt()
    running_mean = (1 - momentum) * in_running_mean + momentum * mean
    running_var = (1 - momentum) * in_running_var + momentum * variance * count / (count - 1)
    return [(input - mean) * inverse * scale + bias, mean, inverse, running_mean, running_var]


def batchnorm_inference(input, mean, inv_variance, scale, bias, shapes):
    return [(input - mean) * inv_variance * scale + bias]


def batchnorm_backward(grad, input, scale, mean, inv_variance, shapes):
    dims, normal = [0, *range(2, input.ndim)], (input - mean) * inv_variance
    to_scale, to_bias = (grad * normal).sum(dims, True), grad.sum(dims, True)
    count = input.numel() // input.shape[1]
    return [scale * inv_variance * (grad - to_bias / count - normal * to_scale / count), to_scale, to_bias]


FORWARD = ("input", "scale", "bias", "in_running_mean", "in_running_var", "epsilon", "momentum")
OPERATORS = [
    Operator("batchnorm", FORWARD, ("peer_stats", *COMMON), has_results, check, batchnorm),
    Operator(
        "batchnorm_inference", ("input", "mean", "inv_variance", "scale", "bias"), COMMON,
        lambda operands, settings: [True], check, batchnorm_inference,
    ),
    Operator(
        "batchnorm_backward", ("grad", "input", "scale", "mean", "inv_variance"), ("peer_stats", *COMMON),
        lambda operands, settings: [True, True, True], check, batchnorm_backward,
    ),
]  # fmt: skip

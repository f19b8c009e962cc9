"""Batch norm and its gradients in as few passes over the memory as there can be: a channel stays in the cache.

Arrays are (batch, channels, inner). A row of `inner` numbers is summed in float32, some vectors at a time, in stretches
of at most STRETCH, and the stretches in float64. Means come first and then the squares of what differs from them: one
pass for both loses the digits of a variance that is small beside the mean.
"""

from rushlight.compiler.language import offset, sqrt
from rushlight.compiler.native import float32, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

STRETCH = 4096


@native(reassociate=True)
def total(row: pointer(float32), count: int64) -> float64:
    """The sum of a row."""
    found = 0.0
    for begin in range(0, count, STRETCH):
        part = float32(0.0)
        for i in range(begin, min(begin + STRETCH, count)):
            part += row[i]
        found += float64(part)
    return found


@native(reassociate=True)
def total_squares(row: pointer(float32), mean: float32, count: int64) -> float64:
    """The sum of the squares of what differs from the mean."""
    found = 0.0
    for begin in range(0, count, STRETCH):
        part = float32(0.0)
        for i in range(begin, min(begin + STRETCH, count)):
            part += (row[i] - mean) * (row[i] - mean)
        found += float64(part)
    return found


@native(reassociate=True)
def total_products(row: pointer(float32), mean: float32, other: pointer(float32), count: int64) -> float64:
    """The sum of the products of another row and what differs from the mean."""
    found = 0.0
    for begin in range(0, count, STRETCH):
        part = float32(0.0)
        for i in range(begin, min(begin + STRETCH, count)):
            part += (row[i] - mean) * other[i]
        found += float64(part)
    return found


@native(separate=True)
def scaled(row: pointer(float32), mean: float32, scale: float32, bias: float32, out: pointer(float32), count: int64):
    for i in range(count):
        out[i] = (row[i] - mean) * scale + bias


@native
def batch_normalized(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), variance: pointer(float32), scale: pointer(float32), eps: float64, batch: int64,
    channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized`."""
    parallel_for(
        normalize_channels, channels, grain, array, weight, bias, out, mean, variance, scale, eps, batch, channels,
        inner,
    )  # fmt: skip


@native
def normalize_channels(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), variance: pointer(float32), scale: pointer(float32), eps: float64, batch: int64,
    channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count = float64(batch * inner)
    for channel in range(first, last):
        sum = 0.0
        for each in range(batch):
            sum += total(offset(array, (each * channels + channel) * inner), inner)
        middle = float32(sum / count)
        sum = 0.0
        for each in range(batch):
            sum += total_squares(offset(array, (each * channels + channel) * inner), middle, inner)
        mean[channel] = middle
        variance[channel] = float32(sum / count)
        scale[channel] = float32(1.0 / sqrt(sum / count + eps))
        factor = scale[channel] * weight[channel]
        for each in range(batch):
            at = (each * channels + channel) * inner
            scaled(offset(array, at), middle, factor, bias[channel], offset(out, at), inner)


@native(separate=True)
def pulled(
    grad: pointer(float32), array: pointer(float32), out: pointer(float32), mean: float32, factor: float32,
    pull: float32, average: float32, count: int64,
):  # fmt: skip
    for i in range(count):
        out[i] = (grad[i] - average) * factor - (array[i] - mean) * pull


@native
def batch_normalized_gradients(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), to_weight: pointer(float32), to_bias: pointer(float32),
    batch: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized_gradients`."""
    parallel_for(
        pull_channels, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, batch, channels,
        inner,
    )  # fmt: skip


@native
def pull_channels(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), to_weight: pointer(float32), to_bias: pointer(float32),
    batch: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count = float64(batch * inner)
    for channel in range(first, last):
        sum = 0.0
        product = 0.0
        for each in range(batch):
            at = (each * channels + channel) * inner
            sum += total(offset(grad, at), inner)
            product += total_products(offset(array, at), mean[channel], offset(grad, at), inner)
        product *= float64(scale[channel])
        to_bias[channel] = float32(sum)
        to_weight[channel] = float32(product)
        factor = scale[channel] * weight[channel]
        pull = float32(product / count) * scale[channel] * factor
        average = float32(sum / count)
        for each in range(batch):
            at = (each * channels + channel) * inner
            pulled(offset(grad, at), offset(array, at), offset(out, at), mean[channel], factor, pull, average, inner)

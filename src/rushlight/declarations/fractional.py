"""Pooling by windows at random steps: Graham, "Fractional max-pooling", 2014."""

from __future__ import annotations

from rushlight.declarations.batches import folded, fronts, unfolded
from rushlight.declarations.checks.fractional import check_extent
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT64, refuse
from rushlight.declarations.pool_arguments import batched, means_unbatched, meta_result
from rushlight.declarations.shapes import one_or_each


@op(internal=True, zero_second_derivative=True, exact=True, no_fp_errors=False)
class fractional_pool:
    """The largest element of each of `output_size` windows, and its position; `samples` say where windows begin."""

    def forward(xp, input: Tensor, kernel_size, output_size, samples: Constant):
        dims = len(kernel_size)
        check_extent(input, kernel_size, output_size, samples)
        refuse(input, "biuc", f"fractional_max_pool{dims}d_out_frame")
        values, indices = xp.fractional_max_pool(batched(input, dims), kernel_size, output_size, samples)
        return means_unbatched(xp, values, input, dims), means_unbatched(xp, indices, input, dims)

    def shape(input, kernel_size, output_size, samples):
        check_extent(input, kernel_size, output_size, samples)
        return meta_result(input, output_size), meta_result(input, output_size, INT64)

    def d_input(F, g, indices, input_shape, kernel_size):
        return F.put_pooled(g, indices, input_shape, len(kernel_size))

    returns = "out, indices"

    def batch(F, b, input, kernel_size, output_size, samples):
        input, samples = fronts(F, b, input=input, samples=samples)
        if input.ndim == len(kernel_size) + 2:
            return F.fractional_pool(input, kernel_size, output_size, F.squeeze(samples, 1))
        results = F.fractional_pool(folded(F, input), kernel_size, output_size, folded(F, samples))
        return [unfolded(F, each, b.size) for each in results]

    samples = lambda r: [
        (r.distinct(2, 2, 4, 5), (2, 3), (3, 2), r(2, 2, 2).sigmoid().detach()),
        (r.distinct(2, 4, 5), (2, 2), (1, 2), r(1, 2, 2).sigmoid().detach()),
        (r.distinct(1, 2, 4, 4, 4), (2, 2, 1), (2, 1, 3), r(1, 2, 3).sigmoid().detach()),
    ]


face(fractional_pool, node="FractionalMaxPool2DBackward0 if len(kernel_size) == 2 else FractionalMaxPool3DBackward0")


def _samples(*size):
    dims = len(size)
    return lambda r: [(r.distinct(2, 3, *size), 2, 2, r(2, 3, dims).sigmoid().detach())]


@composite(internal=True, samples=_samples(4, 5))
def fractional_max_pool2d(F, input, kernel_size, output_size, random_samples):
    """The largest element of each of `output_size` windows at random steps, and its position."""
    return _pooled(F, 2, input, kernel_size, output_size, random_samples)


@composite(internal=True, samples=_samples(4, 4, 4))
def fractional_max_pool3d(F, input, kernel_size, output_size, random_samples):
    """The largest element of each of `output_size` windows at random steps, and its position."""
    return _pooled(F, 3, input, kernel_size, output_size, random_samples)


def _pooled(F, dims, input, kernel_size, output_size, samples):
    words = "Ints" if dims == 2 else "three Ints"
    sizes = []
    for name, value in (("kernel_size", kernel_size), ("output_size", output_size)):
        value = one_or_each(value)
        value = value * dims if len(value) == 1 else value
        if len(value) != dims:
            raise RuntimeError(f"fractional_max_pool{dims}d: {name} must either be a single Int or tuple of {words}")
        sizes.append(value)
    return F.fractional_pool(input, *sizes, samples)

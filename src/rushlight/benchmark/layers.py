"""Layers other than products and convolutions, forward and backward: they are memory-bound."""

from __future__ import annotations

from rushlight.benchmark.case import Case, Floor
from rushlight.benchmark.convolution import BOUND
from rushlight.benchmark.pointwise import backward_of, normal

IMAGES = 16, 64, 56, 56
SMALLER = 16, 64, 28, 28
NUMBERS = 16 * 64 * 56 * 56


def on_images(name: str, words: str, arrays: float, function, shape=IMAGES, tolerance=1e-3) -> Case:
    """A case: `function(torch)` returns a layer for images; `arrays` arrays of IMAGES must be read or written."""

    def program(torch):
        through, x = function(torch), normal(torch, *shape, requires_grad=True)
        return backward_of(lambda: through(x), normal(torch, *through(x).shape), x)

    size = " x ".join(map(str, shape))
    return Case(name, program, f"{words} of {size}, fwd+bwd", BOUND, Floor(bytes=int(4 * arrays * NUMBERS)), tolerance)


CASES = [
    on_images("group_norm", "GroupNorm(32, 64)", 5, lambda torch: torch.nn.GroupNorm(32, 64)),
    on_images("batch_norm_eval", "BatchNorm2d in evaluation", 5, lambda torch: torch.nn.BatchNorm2d(64).eval()),
    on_images("max_pool", "Max pooling by 2", 2.5, lambda torch: torch.nn.MaxPool2d(2)),
    on_images("avg_pool", "Average pooling by 2", 2.5, lambda torch: torch.nn.AvgPool2d(2)),
    on_images("reflection_pad", "Reflection padding by 1", 4, lambda torch: torch.nn.ReflectionPad2d(1)),
    on_images(
        "bilinear",
        "Bilinear interpolation to twice the size",
        2.5,
        lambda torch: torch.nn.Upsample(scale_factor=2, mode="bilinear"),
        SMALLER,
    ),
]

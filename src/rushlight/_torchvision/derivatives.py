"""The derivatives of torchvision's operators, which call the backward operators.

torchvision 0.28 registers its own formulas over these; older versions have them in the native library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import library
from rushlight._library.overloads import find_overload
from rushlight._torchvision.definitions import DEFINED

# Operators on regions: the number of scalars before the image size in the backward operator's arguments.
REGIONS = {"roi_align": 3, "ps_roi_align": 4, "roi_pool": 3, "ps_roi_pool": 3}


def keep_region(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Saves for backward: the regions, the auxiliary output, the scalars, and the images' shape."""
    images, rois, *ctx.scalars = inputs
    ctx.shape = tuple(images.shape)
    ctx.save_for_backward(rois, *(output[1:] if isinstance(output, tuple) else ()))


def region_formula(name: str) -> Callable[..., Any]:
    before = REGIONS[name]

    def backward(ctx: Any, g: Any, *auxiliary: Any) -> tuple[Any, ...]:
        scalars = ctx.scalars
        op = find_overload(f"torchvision::_{name}_backward", "default")
        grad = op(g, *ctx.saved_tensors, *scalars[:before], *ctx.shape, *scalars[before:])
        return (grad, *[None] * (1 + len(scalars)))

    return backward


def keep_all(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs[:5])
    ctx.scalars = inputs[5:]


def deform_formula(ctx: Any, g: Any) -> tuple[Any, ...]:
    op = find_overload("torchvision::_deform_conv2d_backward", "default")
    return (*op(g, *ctx.saved_tensors, *ctx.scalars), *[None] * len(ctx.scalars))


def once_only(name: str) -> Callable[..., Any]:
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise RuntimeError(f"double backwards on {name} not supported")

    return backward


def register() -> None:
    """Registers all of them; called once."""
    for name in REGIONS:
        library.register_autograd(f"torchvision::{name}", region_formula(name), setup_context=keep_region, lib=DEFINED)
    library.register_autograd("torchvision::deform_conv2d", deform_formula, setup_context=keep_all, lib=DEFINED)
    for name in (*REGIONS, "deform_conv2d"):
        library.register_autograd(f"torchvision::_{name}_backward", once_only(name), lib=DEFINED)

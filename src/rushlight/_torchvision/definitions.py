"""The operators of torchvision's library: their schemas, kernels and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight._library.libraries import Library
from rushlight._torchvision.aligning import Bins, ps_roi_align, ps_roi_align_backward, roi_align, roi_align_backward
from rushlight._torchvision.deforming import Convolution, Window
from rushlight._torchvision.pooling import Grid, ps_roi_pool, ps_roi_pool_backward, roi_pool, roi_pool_backward
from rushlight._torchvision.rotated import box_iou_rotated
from rushlight._torchvision.suppression import nms
from rushlight.core.device import host
from rushlight.core.dtype import SCALAR_NAMES, bfloat16, float16, float32, float64
from rushlight.core.tensor import Tensor
from rushlight.create.conversion import to
from rushlight.create.from_data import from_numpy

ROI = "Tensor {}, Tensor rois, {}float spatial_scale, SymInt pooled_height, SymInt pooled_width"
SIZE = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
DEFORM = (
    "Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt "
    "pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask"
)
Q = "float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, "
SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    f"roi_align({ROI.format('input', '')}, int sampling_ratio, bool aligned) -> Tensor",
    f"qroi_align({ROI.format('input', Q)}, int sampling_ratio, bool aligned) -> Tensor",
    f"_roi_align_backward({ROI.format('grad', '')}, {SIZE}, int sampling_ratio, bool aligned) -> Tensor",
    f"ps_roi_align({ROI.format('input', '')}, int sampling_ratio) -> (Tensor, Tensor)",
    f"_ps_roi_align_backward({ROI.format('grad', 'Tensor channel_mapping, ')}, int sampling_ratio, {SIZE}) -> Tensor",
    f"roi_pool({ROI.format('input', '')}) -> (Tensor, Tensor)",
    f"_roi_pool_backward({ROI.format('grad', 'Tensor argmax, ')}, {SIZE}) -> Tensor",
    f"ps_roi_pool({ROI.format('input', '')}) -> (Tensor, Tensor)",
    f"_ps_roi_pool_backward({ROI.format('grad', 'Tensor channel_mapping, ')}, {SIZE}) -> Tensor",
    f"deform_conv2d({DEFORM}) -> Tensor",
    f"_deform_conv2d_backward(Tensor grad, {DEFORM}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor",
    "_cuda_version() -> int _0",
)
IMPROVE = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)"
)


def check(condition: bool, words: str) -> None:
    """Raises RuntimeError unless a condition holds."""
    if not condition:
        raise RuntimeError(words)


def check_dtype(tensor: Tensor, kernel: str, dtypes: tuple[Any, ...] = (float32, float64)) -> None:
    """Raises NotImplementedError for a dtype that torchvision's kernel does not support."""
    if tensor.dtype not in dtypes:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[tensor.dtype]}'")


def check_alike(first: Tensor, second: Tensor, names: tuple[str, str], kernel: str) -> None:
    """Raises RuntimeError for two tensors of different dtypes."""
    check(
        first.dtype == second.dtype,
        f"Expected tensor for argument #1 '{names[0]}' to have the same type as tensor for argument #2 '{names[1]}'; "
        f"but type torch.{SCALAR_NAMES[first.dtype]}Tensor does not equal torch.{SCALAR_NAMES[second.dtype]}Tensor "
        f"(while checking arguments for {kernel})",
    )


class CallArrays:
    """The tensors of a call as arrays in a dtype that NumPy computes in, and the conversion of results."""

    def __init__(self, *tensors: Tensor):
        self.like = tensors[0]
        self.arrays: Any = [widened(host(tensor)) for tensor in tensors]

    @property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        """The arrays of two tensors."""
        first, second = self.arrays
        return first, second

    def back(self, array: np.ndarray) -> Tensor:
        """Converts a result to a tensor of the first one's dtype, on its device."""
        return to(from_numpy(np.ascontiguousarray(array)), self.like.device, self.like.dtype)

    def indices(self, array: np.ndarray) -> Tensor:
        """Converts a result of indices to a tensor on the first one's device."""
        return to(from_numpy(array), self.like.device)


def widened(array: np.ndarray) -> np.ndarray:
    """Converts half precision arrays to float32, which NumPy computes in."""
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


# ---- boxes


def suppressed(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """`nms`."""
    check(dets.dim() == 2, f"boxes should be a 2d tensor, got {dets.dim()}D")
    check(dets.size(1) == 4, f"boxes should have 4 elements in dimension 1, got {dets.size(1)}")
    check(scores.dim() == 1, f"scores should be a 1d tensor, got {scores.dim()}D")
    check(
        dets.size(0) == scores.size(0),
        f"boxes and scores should have same number of elements in dimension 0, got {dets.size(0)} and {scores.size(0)}",
    )
    check(dets.dtype == scores.dtype, "dets should have the same type as scores")
    check_dtype(dets, "nms_kernel")
    operands = CallArrays(dets, scores)
    return operands.indices(nms(*operands.pair, threshold=iou_threshold))


def common_of_rotated(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """`box_iou_rotated`."""
    for name, boxes in (("boxes1", boxes1), ("boxes2", boxes2)):
        fits = boxes.dim() == 2 and boxes.size(1) == 5
        check(fits, f"{name} should have shape (N, 5), got {list(boxes.shape)}")
    check_dtype(boxes1, "box_iou_rotated")
    operands = CallArrays(boxes1, boxes2)
    return operands.back(box_iou_rotated(*operands.pair))


def quantized_only(kernel: str) -> Callable[..., Any]:
    """Returns the kernel of an operator on quantized tensors, which raises."""

    def refuse(first: Tensor, *others: Any) -> Any:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[first.dtype]}'")

    return refuse


# ---- regions of interest


def check_regions(images: Tensor, rois: Tensor, kernel: str, words: str) -> None:
    images.size(3)  # raises unless it is a batch of images
    check(rois.dim() == 2 and rois.size(1) == 5, words)
    check_alike(images, rois, ("input" if "forward" in kernel else "grad", "rois"), kernel)
    check_dtype(images, kernel, (float16, float32, float64))


def check_channels(images: Tensor, height: int, width: int) -> None:
    check(images.size(1) % (height * width) == 0, "input channels must be a multiple of pooling height * pooling width")


ROIS, SHORT_ROIS = "Tensor rois should have shape as Tensor[K, 5]", "rois must have shape as Tensor[K, 5]"


def aligned_bins(scale: float, height: int, width: int, ratio: int, aligned: bool) -> Bins:
    return Bins(scale, height, width, ratio, 0.5 if aligned else 0.0, 0.0 if aligned else 1.0)


def align(
    input: Tensor, rois: Tensor, scale: float, height: int, width: int, sampling_ratio: int, aligned: bool
) -> Tensor:
    """`roi_align`."""
    check_regions(input, rois, "roi_align_forward_kernel", SHORT_ROIS)
    operands = CallArrays(input, rois)
    return operands.back(roi_align(*operands.pair, bins=aligned_bins(scale, height, width, sampling_ratio, aligned)))


def align_backward(grad: Tensor, rois: Tensor, scale: float, height: int, width: int, *others: Any) -> Tensor:
    """`_roi_align_backward`."""
    *shape, sampling_ratio, aligned = others
    check_alike(grad, rois, ("grad", "rois"), "roi_align_backward_kernel")
    operands = CallArrays(grad, rois)
    bins = aligned_bins(scale, height, width, sampling_ratio, aligned)
    return operands.back(roi_align_backward(*operands.pair, bins=bins, shape=tuple(shape)))


def sensitive_bins(scale: float, height: int, width: int, ratio: int) -> Bins:
    return Bins(scale, height, width, ratio, 0.5, 0.0)


def channels_of(images: Tensor, rois: Tensor, height: int, width: int) -> np.ndarray:
    """Returns the channel of the images for each element of a position-sensitive result."""
    channels = np.arange(images.size(1), dtype=np.int32).reshape(-1, height, width)
    return np.broadcast_to(channels, (rois.size(0), *channels.shape)).copy()


def align_sensitively(
    input: Tensor, rois: Tensor, scale: float, height: int, width: int, sampling_ratio: int
) -> tuple[Tensor, Tensor]:
    """`ps_roi_align`."""
    check_regions(input, rois, "ps_roi_align_forward_kernel", ROIS)
    check_channels(input, height, width)
    operands = CallArrays(input, rois)
    result = ps_roi_align(*operands.pair, bins=sensitive_bins(scale, height, width, sampling_ratio))
    return operands.back(result), operands.indices(channels_of(input, rois, height, width))


def align_sensitively_backward(
    grad: Tensor,
    rois: Tensor,
    channel_mapping: Tensor,
    scale: float,
    height: int,
    width: int,
    sampling_ratio: int,
    *shape: int,
) -> Tensor:
    """`_ps_roi_align_backward`."""
    operands = CallArrays(grad, rois)
    bins = sensitive_bins(scale, height, width, sampling_ratio)
    return operands.back(ps_roi_align_backward(*operands.pair, bins=bins, shape=shape))


def pool(input: Tensor, rois: Tensor, scale: float, height: int, width: int) -> tuple[Tensor, Tensor]:
    """`roi_pool`."""
    check_regions(input, rois, "roi_pool_forward_kernel", ROIS)
    operands = CallArrays(input, rois)
    result, indices = roi_pool(*operands.pair, grid=Grid(scale, height, width))
    return operands.back(result), operands.indices(indices)


def pool_backward(
    grad: Tensor, rois: Tensor, argmax: Tensor, scale: float, height: int, width: int, *shape: int
) -> Tensor:
    """`_roi_pool_backward`."""
    operands = CallArrays(grad, rois)
    return operands.back(roi_pool_backward(*operands.pair, indices=host(argmax), shape=shape))


def pool_sensitively(input: Tensor, rois: Tensor, scale: float, height: int, width: int) -> tuple[Tensor, Tensor]:
    """`ps_roi_pool`."""
    check_regions(input, rois, "ps_roi_pool_forward_kernel", ROIS)
    check_channels(input, height, width)
    operands = CallArrays(input, rois)
    result = ps_roi_pool(*operands.pair, grid=Grid(scale, height, width))
    return operands.back(result), operands.indices(channels_of(input, rois, height, width))


def pool_sensitively_backward(
    grad: Tensor, rois: Tensor, channel_mapping: Tensor, scale: float, height: int, width: int, *shape: int
) -> Tensor:
    """`_ps_roi_pool_backward`."""
    operands = CallArrays(grad, rois)
    return operands.back(ps_roi_pool_backward(*operands.pair, grid=Grid(scale, height, width), shape=shape))


# ---- deformable convolution


def window_of(sizes: tuple[int, ...]) -> Window:
    return Window(sizes[0:2], sizes[2:4], sizes[4:6], sizes[6], sizes[7])  # type: ignore[arg-type]


def check_deformable(
    input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, window: Window, use_mask: bool
) -> None:
    """Raises RuntimeError for arguments that do not match."""
    for name, tensor in (("input_c", input), ("offset_c", offset), ("weight_c", weight)):
        check(tensor.dim() == 4, IMPROVE.format(f"{name}.ndimension() == 4"))
    check_window(window)
    groups, kernel = window.groups, weight.shape[2:]
    grouped = weight.size(1) * groups == input.size(1)
    check(grouped, IMPROVE.format("weight_c.size(1) * n_weight_grps == input_c.size(1)"))
    check(weight.size(0) % groups == 0, IMPROVE.format("weight_c.size(0) % n_weight_grps == 0"))
    points = window.offset_groups * kernel[0] * kernel[1]
    check(
        offset.size(1) == 2 * points,
        f"offset.shape[1] is not valid: got: {offset.size(1)} expected: {2 * points}",
    )
    divided = input.size(1) % window.offset_groups == 0
    check(divided, IMPROVE.format("input_c.size(1) % n_offset_grps == 0"))
    check(offset.size(0) == input.size(0), "invalid batch size of offset")
    size = tuple(
        (input.size(2 + side) + 2 * window.padding[side] - window.dilation[side] * (kernel[side] - 1) - 1)
        // window.stride[side]
        + 1
        for side in (0, 1)
    )
    check_size("offset", offset, size)
    if use_mask:
        check(mask.size(1) == points, f"mask.shape[1] is not valid: got: {mask.size(1)} expected: {points}")
        check(mask.size(0) == input.size(0), "invalid batch size of mask")
        check_size("mask", mask, size)
    check(size[0] > 0 and size[1] > 0, f"Calculated output size too small - out_h: {size[0]} out_w: {size[1]}")
    for operand in (weight, offset, *([mask] if use_mask else [])):
        check(
            operand.dtype == input.dtype,
            f"expected scalar type {SCALAR_NAMES[input.dtype]} but found {SCALAR_NAMES[operand.dtype]}",
        )
    check_dtype(input, "deformable_im2col", (float16, bfloat16, float32, float64))


def check_window(window: Window) -> None:
    (stride_h, stride_w), (pad_h, pad_w), (dil_h, dil_w) = window[:3]
    check(stride_h > 0 and stride_w > 0, f"stride_h: {stride_h} stride_w: {stride_w}")
    check(pad_h >= 0 and pad_w >= 0, f"pad_h: {pad_h} pad_w: {pad_w}")
    check(dil_h > 0 and dil_w > 0, f"dil_h: {dil_h} dil_w: {dil_w}")


def check_size(name: str, tensor: Tensor, size: tuple[int, ...]) -> None:
    check(
        tuple(tensor.shape[2:]) == size,
        f"{name} output dims: ({tensor.size(2)}, {tensor.size(3)}) - computed output dims: ({size[0]}, {size[1]})",
    )


def deform(input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor, *settings: Any) -> Tensor:
    """`deform_conv2d`."""
    *sizes, use_mask = settings
    window = window_of(tuple(sizes))
    check_deformable(input, weight, offset, mask, window, use_mask)
    operands = CallArrays(input, weight, offset, mask, bias)
    images, weights, shifts, masks, _ = operands.arrays
    result = Convolution(images, weights, shifts, masks if use_mask else None, window).forward()
    return operands.back(result) + bias.reshape(1, weight.size(0), 1, 1)


def deform_backward(
    grad: Tensor, input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor, *settings: Any
) -> tuple[Tensor, ...]:
    """`_deform_conv2d_backward`."""
    *sizes, use_mask = settings
    operands = CallArrays(input, weight, offset, mask, grad)
    images, weights, shifts, masks, g = operands.arrays
    call = Convolution(images, weights, shifts, masks if use_mask else None, window_of(tuple(sizes)))
    by_input, by_weight, by_offset, by_mask = call.backward(g)
    by_mask = np.zeros_like(masks) if by_mask is None else by_mask
    by_bias = g.sum((0, 2, 3)).reshape(bias.shape)
    return tuple(operands.back(x) for x in (by_input, by_weight, by_offset, by_mask, by_bias))


# ---- registering

KERNELS: dict[str, Callable[..., Any]] = {
    "nms": suppressed,
    "qnms": quantized_only("qnms_kernel"),
    "roi_align": align,
    "qroi_align": quantized_only("qroi_align_forward_kernel"),
    "_roi_align_backward": align_backward,
    "ps_roi_align": align_sensitively,
    "_ps_roi_align_backward": align_sensitively_backward,
    "roi_pool": pool,
    "_roi_pool_backward": pool_backward,
    "ps_roi_pool": pool_sensitively,
    "_ps_roi_pool_backward": pool_sensitively_backward,
    "deform_conv2d": deform,
    "_deform_conv2d_backward": deform_backward,
    "box_iou_rotated": common_of_rotated,
}
DEFINED = Library("torchvision", "DEF")


def define() -> None:
    """Defines all operators; called once."""
    for schema in SCHEMAS:
        DEFINED.define(schema)
    for name, kernel in KERNELS.items():
        for key in ("CPU", "CUDA"):
            DEFINED.impl(name, kernel, key)
    DEFINED.impl("_cuda_version", lambda: -1, "CompositeExplicitAutograd")

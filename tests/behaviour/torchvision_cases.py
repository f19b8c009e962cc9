"""Calls of torchvision's operators, by name: `python torchvision_cases.py` prints what they give, as JSON.

Run with PyTorch 2.13.0 and torchvision 0.28.0 this wrote `torchvision_0.28.0.json`, the expectations of
`test_torchvision_operators.py`. torchvision's wheel is linked with CUDA's libraries; beside a PyTorch for the CPU alone
it was loaded with empty ones in their place.
"""

import importlib
import itertools
import json
import sys

import numpy as np


def arrays(seed, *shapes, low=-1.0, high=1.0):
    """Arrays of float64 numbers that do not depend on the library."""
    drawn = np.random.RandomState(seed)
    return [drawn.uniform(low, high, shape) for shape in shapes]


def regions(seed, count, images, size):
    """Regions of interest, a few of them partly or wholly outside of the image, small, or turned around."""
    drawn = np.random.RandomState(seed)
    corners = drawn.uniform(-2, size + 2, (count, 2))
    extents = drawn.uniform(0, size, (count, 2))
    rois = np.concatenate([drawn.randint(0, images, (count, 1)), corners, corners + extents], 1)
    rois[0, 3:] = rois[0, 1:3] + 0.1
    rois[1, 1:] += 3 * size
    rois[2, 3:] = rois[2, 1:3] - 1
    return rois


def differentiated(torch, function, *given):
    """The result of a call and the gradients of a weighted sum of it."""
    result = function(*given)
    first = result[0] if isinstance(result, tuple) else result
    weights = torch.arange(first.numel(), dtype=first.dtype).reshape(first.shape).sin()
    (first * weights).sum().backward()
    others = list(result[1:]) if isinstance(result, tuple) else []
    gradients = [each.grad for each in given if isinstance(each, torch.Tensor) and each.requires_grad]
    return [first.detach(), *others, *gradients]


def digest(numbers):
    """How many elements there are, how many are nan, the greatest, and two sums that weigh each differently."""
    absent = np.isnan(numbers)
    known, positions = np.where(absent, 0, numbers), np.arange(len(numbers))
    sums = [np.abs(known).max(initial=0), known @ np.cos(positions), known @ np.sin(1.7 * positions + 1)]
    return [len(numbers), int(absent.sum()), *(round(float(each), 9) for each in sums)]


def cases(torch):
    """What each call gives, as digests of its results and gradients by name."""
    ops = torch.ops.torchvision
    results = {}

    def note(name, tensors):
        results[name] = [digest(each.double().numpy().reshape(-1)) for each in tensors]

    def leaf(array, kind):
        return torch.tensor(array, dtype=kind, requires_grad=True)

    for kind, seed in ((torch.float32, 0), (torch.float64, 1)):
        label = f"{kind} {seed}"
        corners, extents, scores = arrays(seed, (30, 2), (30, 2), (30,), low=0)
        boxes = torch.tensor(np.concatenate([corners, corners + extents], 1), dtype=kind)
        scores = torch.tensor(np.round(scores, 1), dtype=kind)
        for threshold in (0.1, 0.4):
            note(f"nms {threshold} {label}", [ops.nms(boxes, scores, threshold)])
        rois = torch.tensor(regions(seed, 7, 2, 9), dtype=kind)
        (images,) = arrays(seed, (2, 12, 9, 7))
        for ratio, aligned in itertools.product((-1, 0, 2), (False, True)):
            name = f"roi_align {ratio} {aligned} {label}"
            note(name, differentiated(torch, ops.roi_align, leaf(images, kind), rois, 0.7, 3, 2, ratio, aligned))
        for ratio in (-1, 2):
            name = f"ps_roi_align {ratio} {label}"
            note(name, differentiated(torch, ops.ps_roi_align, leaf(images, kind), rois, 0.7, 3, 2, ratio))
        note(f"roi_pool {label}", differentiated(torch, ops.roi_pool, leaf(images, kind), rois, 0.7, 3, 2))
        note(f"ps_roi_pool {label}", ops.ps_roi_pool(torch.tensor(images, dtype=kind), rois, 0.7, 3, 2))
        note_convolutions(torch, note, leaf, kind, seed)
        (a, b) = arrays(seed, (5, 5), (4, 5), low=0.5, high=2.0)
        a[:, 4], b[:, 4] = np.arange(5) * 37, np.arange(4) * -25
        note(
            f"box_iou_rotated {label}", [ops.box_iou_rotated(torch.tensor(a, dtype=kind), torch.tensor(b, dtype=kind))]
        )
    return results


def note_convolutions(torch, note, leaf, kind, seed):
    """With groups, offset groups, strides, padding and dilation; with a mask and without."""
    settings = [(1, 1, (1, 1), (0, 0), (1, 1)), (2, 2, (2, 1), (1, 2), (1, 2)), (1, 4, (1, 2), (2, 0), (2, 1))]
    for (groups, offset_groups, stride, pad, dilation), use_mask in itertools.product(settings, (False, True)):
        rows, columns = (
            (size + 2 * p - d * (k - 1) - 1) // s + 1
            for size, p, d, k, s in zip((7, 6), pad, dilation, (3, 2), stride, strict=True)
        )
        shapes = (2, 4, 7, 6), (6, 4 // groups, 3, 2), (2, offset_groups * 12, rows, columns)
        images, weight, offset, mask, bias = arrays(seed, *shapes, (2, offset_groups * 6, rows, columns), (6,))
        args = [leaf(each, kind) for each in (images, weight, offset * 2, mask, bias)]
        numbers = (*stride, *pad, *dilation, groups, offset_groups, use_mask)
        name = f"deform_conv2d {numbers} {kind} {seed}"
        note(name, differentiated(torch, torch.ops.torchvision.deform_conv2d, *args, *numbers))


if __name__ == "__main__":
    importlib.import_module("torchvision")
    lines = [
        f" {json.dumps(name)}: {json.dumps(each)}" for name, each in cases(importlib.import_module("torch")).items()
    ]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")

"""The operators of torchvision's native library: recorded numbers of torchvision 0.28.0, properties, differences."""

import itertools
import json
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch

EXPECTED = json.loads(Path(__file__).with_name("torchvision_0.28.0.json").read_text("utf-8"))
CASES = runpy.run_path(str(Path(__file__).with_name("torchvision_cases.py")))
OPS = ("nms", "roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d")


@pytest.fixture(scope="module")
def found():
    return CASES["cases"](torch)


@pytest.mark.parametrize("name", EXPECTED)
def test_numbers_are_those_of_torchvision(found, name):
    # torchvision rounds pi to ten digits where it turns boxes
    tolerance = 1e-5 if "float32" in name else 1e-7 if "rotated" in name else 1e-8
    for ours, theirs in zip(found[name], EXPECTED[name], strict=True):
        assert ours[:2] == theirs[:2]
        # A sum over n numbers of at most m is rounded in the order of m * sqrt(n)
        assert np.allclose(ours[2:], theirs[2:], rtol=tolerance, atol=tolerance * (theirs[2] * theirs[0] ** 0.5 + 1))


# ---- boxes


def common_part(a, b):
    """Of two boxes, by the definition."""
    width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    areas = [(x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in (a, b)]
    return width * height / (sum(areas) - width * height)


@pytest.mark.parametrize("seed", range(5))
def test_boxes_that_stay_are_apart_and_those_that_go_are_not(seed):
    drawn = np.random.RandomState(seed)
    corners = drawn.uniform(0, 10, (40, 2))
    boxes = np.concatenate([corners, corners + drawn.uniform(1, 5, (40, 2))], 1)
    scores = drawn.permutation(40).astype(np.float64)
    kept = torch.ops.torchvision.nms(torch.tensor(boxes), torch.tensor(scores), 0.3).tolist()
    assert [scores[each] for each in kept] == sorted((scores[each] for each in kept), reverse=True)
    assert all(common_part(boxes[a], boxes[b]) <= 0.3 for a, b in itertools.combinations(kept, 2))
    for gone in set(range(40)) - set(kept):
        better = [each for each in kept if scores[each] > scores[gone]]
        assert any(common_part(boxes[gone], boxes[each]) > 0.3 for each in better)


def test_a_rotated_box_without_rotation_is_a_box():
    drawn = np.random.RandomState(0)
    boxes = drawn.uniform(1, 4, (6, 4))
    flat = torch.tensor(np.concatenate([boxes, np.zeros((6, 1))], 1))
    corners = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1)
    expected = [[common_part(a, b) for b in corners] for a in corners]
    assert np.allclose(torch.ops.torchvision.box_iou_rotated(flat, flat).numpy(), expected)


# ---- regions


def test_a_region_of_whole_pixels_has_their_means():
    image = torch.arange(36.0).reshape(1, 1, 6, 6)
    whole = torch.tensor([[0.0, 0.0, 0.0, 6.0, 6.0]])
    result = torch.ops.torchvision.roi_align(image, whole, 1.0, 3, 3, 2, True)
    assert torch.allclose(result, torch.nn.functional.avg_pool2d(image, 2))
    corners = torch.tensor([[0.0, 0.0, 0.0, 5.0, 5.0]])
    pooled, positions = torch.ops.torchvision.roi_pool(image, corners, 1.0, 3, 3)
    expected, at = torch.nn.functional.max_pool2d(image, 2, return_indices=True)
    assert torch.equal(pooled, expected)
    assert torch.equal(positions.long(), at)


def test_regions_beyond_the_image_are_empty():
    image = torch.ones(1, 4, 5, 5)
    beyond = torch.tensor([[0.0, 20.0, 20.0, 25.0, 25.0]])
    assert torch.ops.torchvision.roi_align(image, beyond, 1.0, 2, 2, -1, False).count_nonzero() == 0
    pooled, positions = torch.ops.torchvision.roi_pool(image, beyond, 1.0, 2, 2)
    assert pooled.count_nonzero() == 0
    assert (positions == -1).all()
    assert torch.ops.torchvision.roi_align(image, torch.zeros(0, 5), 1.0, 2, 2, -1, False).shape == (0, 4, 2, 2)


# ---- deformable convolution


def convolved(offset, mask, use_mask):
    drawn = np.random.RandomState(0)
    shapes = (2, 4, 6, 5), (4, 2, 3, 3), (4,)
    image, weight, bias = (torch.tensor(drawn.uniform(-1, 1, shape)) for shape in shapes)
    numbers = (1, 1, 1, 1, 1, 1, 2, 1, use_mask)
    result = torch.ops.torchvision.deform_conv2d(image, weight, offset, mask, bias, *numbers)
    return result, torch.nn.functional.conv2d(image, weight, bias, padding=1, groups=2)


def test_without_offsets_it_is_a_convolution():
    offset, mask = torch.zeros(2, 18, 6, 5, dtype=torch.float64), torch.zeros(2, 0, 6, 5, dtype=torch.float64)
    result, expected = convolved(offset, mask, False)
    assert torch.allclose(result, expected)
    result, expected = convolved(offset, torch.full((2, 9, 6, 5), 0.5, dtype=torch.float64), True)
    bias = result - expected / 2
    assert torch.allclose(bias, bias[:1, :, :1, :1].expand_as(bias))


def test_offsets_of_whole_pixels_shift_the_image():
    offset = torch.zeros(2, 18, 6, 5, dtype=torch.float64)
    offset[:, 0::2] = 1
    mask = torch.zeros(2, 0, 6, 5, dtype=torch.float64)
    result, expected = convolved(offset, mask, False)
    assert torch.allclose(result[:, :, :-2], expected[:, :, 1:-1])


# ---- gradients


def differentiable(name):
    """A function of what an operator has gradients by, and that."""
    op = getattr(torch.ops.torchvision, name)
    drawn = np.random.RandomState(1)

    def leaf(*shape):
        return torch.tensor(drawn.uniform(-1, 1, shape), requires_grad=True)

    if name == "deform_conv2d":
        given = [leaf(2, 4, 4, 5), leaf(4, 2, 2, 2), leaf(2, 16, 3, 4), leaf(2, 8, 3, 4), leaf(4)]
        return lambda *tensors: op(*tensors, 1, 1, 0, 0, 1, 1, 2, 2, True), given
    rois = torch.tensor(CASES["regions"](3, 5, 2, 8)[1:])
    rest = {"roi_align": (-1, True), "ps_roi_align": (2,), "roi_pool": (), "ps_roi_pool": ()}[name]
    first = (lambda result: result[0]) if name != "roi_align" else (lambda result: result)
    return lambda images: first(op(images, rois, 0.9, 2, 2, *rest)), [leaf(2, 8, 8, 7)]


@pytest.mark.parametrize("name", OPS[1:])
def test_gradients_are_those_of_differences(name):
    function, given = differentiable(name)
    assert torch.autograd.gradcheck(function, given)


@pytest.mark.parametrize("name", OPS[1:])
def test_there_is_no_second_derivative(name):
    function, args = differentiable(name)
    (slope,) = torch.autograd.grad(function(*args).square().sum(), args[0], create_graph=True)
    with pytest.raises(RuntimeError, match=f"double backwards on {name} not supported"):
        slope.sum().backward()


# ---- what is refused, and half precision

BOXES, IMAGES = torch.ones(2, 4), torch.ones(1, 8, 4, 4)
REGIONS = torch.tensor([[0.0, 0.0, 0.0, 3.0, 3.0]])
REFUSED = [
    ("nms", (BOXES[0], torch.ones(2), 0.5), "boxes should be a 2d tensor, got 1D"),
    ("nms", (BOXES[:, :3], torch.ones(2), 0.5), "boxes should have 4 elements in dimension 1, got 3"),
    ("nms", (BOXES, torch.ones(3), 0.5), "boxes and scores should have same number of elements in dimension 0, got 2"),
    ("nms", (BOXES, torch.ones(2).double(), 0.5), "dets should have the same type as scores"),
    ("nms", (BOXES.long(), torch.ones(2).long(), 0.5), "\"nms_kernel\" not implemented for 'Long'"),
    ("qnms", (BOXES, torch.ones(2), 0.5), "\"qnms_kernel\" not implemented for 'Float'"),
    ("roi_align", (IMAGES, REGIONS[:, 1:], 1.0, 2, 2, 2, False), "rois must have shape as Tensor[K, 5]"),
    ("roi_align", (IMAGES, REGIONS.double(), 1.0, 2, 2, 2, False), "Expected tensor for argument #1 'input' to have"),
    ("roi_align", (IMAGES[0], REGIONS, 1.0, 2, 2, 2, False), "Dimension out of range (expected to be in range of"),
    ("ps_roi_align", (IMAGES, REGIONS, 1.0, 3, 2, 2), "input channels must be a multiple of pooling height * pooling"),
    ("ps_roi_pool", (IMAGES, REGIONS[:, 1:], 1.0, 2, 2), "Tensor rois should have shape as Tensor[K, 5]"),
]


@pytest.mark.parametrize(("name", "given", "words"), REFUSED)
def test_what_does_not_fit_is_refused(name, given, words):
    with pytest.raises((RuntimeError, IndexError)) as caught:
        getattr(torch.ops.torchvision, name)(*given)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"offset": torch.zeros(1, 6, 3, 3)}, "offset.shape[1] is not valid: got: 6 expected: 8"),
        ({"mask": torch.ones(1, 3, 3, 3)}, "mask.shape[1] is not valid: got: 3 expected: 4"),
        ({"offset": torch.zeros(2, 8, 3, 3)}, "invalid batch size of offset"),
        ({"offset": torch.zeros(1, 8, 2, 3)}, "offset output dims: (2, 3) - computed output dims: (3, 3)"),
        ({"input": torch.ones(2, 4, 4)}, "Expected input_c.ndimension() == 4 to be true, but got false."),
        ({"weight": torch.ones(1, 1, 2, 2)}, "Expected weight_c.size(1) * n_weight_grps == input_c.size(1) to be true"),
        ({"bias": torch.zeros(3)}, "shape '[1, 1, 1, 1]' is invalid for input of size 3"),
        ({"pad_h": -1}, "pad_h: -1 pad_w: 0"),
    ],
)
def test_a_convolution_that_does_not_fit_is_refused(changed, words):
    call = {
        "input": torch.ones(1, 2, 4, 4),
        "weight": torch.ones(1, 2, 2, 2),
        "offset": torch.zeros(1, 8, 3, 3),
        "mask": torch.ones(1, 4, 3, 3),
        "bias": torch.zeros(1),
        **dict.fromkeys(("stride_h", "stride_w"), 1),
        **dict.fromkeys(("pad_h", "pad_w"), 0),
        **dict.fromkeys(("dilation_h", "dilation_w", "groups", "offset_groups"), 1),
        "use_mask": True,
    }
    with pytest.raises(RuntimeError) as caught:
        torch.ops.torchvision.deform_conv2d(**{**call, **changed})
    assert str(caught.value).startswith(words)


def test_half_precision_is_computed_in_single():
    images, rois = torch.rand(1, 3, 6, 6), torch.tensor([[0.0, 1.0, 1.0, 4.0, 5.0]])
    half = torch.ops.torchvision.roi_align(images.half(), rois.half(), 1.0, 2, 2, 2, True)
    whole = torch.ops.torchvision.roi_align(images.half().float(), rois, 1.0, 2, 2, 2, True)
    assert half.dtype == torch.float16
    assert torch.equal(half, whole.half())


def test_they_take_the_place_of_the_native_library(tmp_path):
    folder = tmp_path / "torchvision"
    folder.mkdir()
    (folder / "_C.so").write_bytes(b"no library")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.ops.load_library(folder / "_C.so")
    with pytest.raises(OSError, match="Could not load this library"):
        torch.ops.load_library(folder / "_D.so")
    assert torch.ops.torchvision._cuda_version() == -1

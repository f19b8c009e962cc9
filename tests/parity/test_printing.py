"""`repr` and `format` of tensors, character for character as PyTorch prints them.

What was recorded holds on its own; where PyTorch is installed, the records and random tensors are held against it.
"""

import math
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.core.device import BACKENDS, Backend, device
from rushlight.core.dtype import BY_NAME, DEFAULTS, FLOAT, dtype
from rushlight.core.printing import (
    CURRENT,
    PrintOptions,
    get_printoptions,
    object_format,
    printoptions,
    set_printoptions,
    tensor_format,
    tensor_repr,
)

DTYPES = {"float8_e8m0fnu": dtype("float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, FLOAT)} | BY_NAME
nan, inf = math.nan, math.inf


@dataclass(repr=False)
class Printable:
    """What printing reads of a tensor."""

    _array: Any
    dtype: Any
    device: str = "cpu"
    requires_grad: bool = False
    grad_fn: Any = None

    def __repr__(self):
        return tensor_repr(self)


@dataclass
class Record:
    """A tensor and the text that PyTorch 2.13 printed for it."""

    text: str
    values: Any
    dtype: str = "float32"
    device: str = "cpu"
    requires_grad: bool = False
    node: str | None = None
    options: tuple = ()


RECORDED = {
    "scalar": Record("tensor(2.5000)", 2.5),
    "whole": Record("tensor([1., -0., nan, -inf])", [1, -0.0, nan, -inf]),
    "fixed": Record("tensor([ 0.5000,     inf, -0.2500])", [0.5, inf, -0.25]),
    "ratio 1000": Record("tensor([1000.,    1.])", [1000, 1]),
    "ratio above 1000": Record("tensor([1.0010e+03, 1.0000e+00])", [1001, 1]),
    "1e8": Record("tensor([100000000.])", [1e8]),
    "above 1e8": Record("tensor([1.0000e+08], dtype=torch.float64)", [100000001], "float64"),
    "1e-4": Record("tensor([0.0001], dtype=torch.float64)", [1e-4], "float64"),
    "scientific": Record(
        "tensor([[ 1.0000e+00,         nan],\n        [-2.5000e+00,  1.0000e-03]], requires_grad=True)",
        [[1, nan], [-2.5, 1e-3]],
        requires_grad=True,
    ),
    "complex": Record(
        "tensor([ 1.0000+2.0000e+00j, -0.5000-1.0000e-03j,  0.0000+0.0000e+00j])",
        [1 + 2j, -0.5 - 1e-3j, 0],
        "complex64",
    ),
    "bool": Record("tensor([ True, False])", [True, False], "bool"),
    "uint8": Record("tensor([1, 2], dtype=torch.uint8)", [1, 2], "uint8"),
    "bfloat16": Record("tensor([1.5000, 2.0000], dtype=torch.bfloat16)", [1.5, 2], "bfloat16"),
    "float8_e8m0fnu, nan": Record("tensor([   nan, 1.0000], dtype=torch.float8_e8m0fnu)", [nan, 1], "float8_e8m0fnu"),
    "float8_e8m0fnu, least": Record("tensor([0., 1.], dtype=torch.float8_e8m0fnu)", [2**-127, 1], "float8_e8m0fnu"),
    "three dimensions": Record(
        "tensor([[[ 0,  1,  2],\n         [ 3,  4,  5]],\n\n        [[ 6,  7,  8],\n         [ 9, 10, 11]]])",
        np.arange(12).reshape(2, 2, 3),
        "int64",
    ),
    "empty": Record("tensor([])", []),
    "empty, two dimensions": Record("tensor([], size=(0, 3))", np.zeros((0, 3))),
    "empty int64": Record("tensor([], dtype=torch.int64)", [], "int64"),
    "summary": Record("tensor([   0,    1,    2,  ...,  998,  999, 1000])", np.arange(1001), "int64"),
    "as many as the threshold": Record(
        "tensor([0, 1, 2, 3, 4, 5, 6])", np.arange(7), "int64", options=(("threshold", 7),)
    ),
    "no more than both edges": Record("tensor([0, 1, 2, 3, 4, 5])", np.arange(6), "int64", options=(("threshold", 5),)),
    "summary of a scalar": Record("tensor(7, size=())", 7, "int64", options=(("threshold", 0), ("edgeitems", 0))),
    "summary of a matrix": Record(
        "tensor([[ 0.,  1.,  ...,  8.,  9.],\n        [10., 11.,  ..., 18., 19.],\n        ...,\n"
        "        [80., 81.,  ..., 88., 89.],\n        [90., 91.,  ..., 98., 99.]])",
        np.arange(100).reshape(10, 10),
        options=(("threshold", 20), ("edgeitems", 2)),
    ),
    "nothing shown": Record(
        "tensor([...], size=(3,))", [0, 1, 2], "int64", options=(("threshold", 1), ("edgeitems", 0))
    ),
    "lines": Record(
        "tensor([0.2500, 0.5000, 0.7500, 1.0000,\n        1.2500])",
        [0.25, 0.5, 0.75, 1, 1.25],
        options=(("linewidth", 40),),
    ),
    "lines of a matrix": Record(
        "tensor([[1, 2, 3,\n         4]])", [[1, 2, 3, 4]], "int64", options=(("linewidth", 19),)
    ),
    "lines of complex numbers": Record(
        "tensor([1.+2.j,\n        3.-4.j])", [1 + 2j, 3 - 4j], "complex64", options=(("linewidth", 22),)
    ),
    "lines of zeros": Record("tensor([0., 0., 0.,\n        0.])", [0, 0, 0, 0], options=(("linewidth", 16),)),
    "precision": Record("tensor([ 0.1250000, 12.0000000])", [0.125, 12], options=(("precision", 7),)),
    "always scientific": Record("tensor([5.0000e-01, 1.2000e+01])", [0.5, 12], options=(("sci_mode", True),)),
    "never scientific": Record("tensor([ 0.0000, 12.0000])", [1e-7, 12], options=(("sci_mode", False),)),
    "suffix on a new line": Record(
        "tensor([0.1000, 0.2000, 0.3000, 0.4000, 0.5000, 0.6000, 0.7000],\n       grad_fn=<MulBackward0>)",
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        requires_grad=True,
        node="MulBackward0",
    ),
    "suffix after the last of several lines": Record(
        "tensor([[1.],\n        [2.]], requires_grad=True)",
        [[1], [2]],
        requires_grad=True,
        options=(("linewidth", 35),),
    ),
    "suffix too long for the last line": Record(
        "tensor([[1.],\n        [2.]],\n       requires_grad=True)",
        [[1], [2]],
        requires_grad=True,
        options=(("linewidth", 34),),
    ),
    "two suffixes, two lines": Record(
        "tensor([1., 2., 3., 4., 5., 6., 7., 8., 9.],\n       dtype=torch.float16,\n       requires_grad=True)",
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        "float16",
        requires_grad=True,
        options=(("linewidth", 45),),
    ),
    "no room at all": Record("tensor([1,\n        2])", [1, 2], "int64", options=(("linewidth", 0),)),
    "meta": Record("tensor(..., device='meta', size=(2, 3))", np.zeros((2, 3)), device="meta"),
    "meta int64": Record("tensor(..., device='meta', size=(2,), dtype=torch.int64)", [0, 0], "int64", "meta"),
    "cuda": Record("tensor([1, 2], device='cuda:0', dtype=torch.int32)", [1, 2], "int32", "cuda:0"),
}


@pytest.mark.parametrize("record", RECORDED.values(), ids=RECORDED.keys())
def test_recorded(record):
    node = type(record.node, (), {})() if record.node else None
    array = np.array(record.values).astype(DTYPES[record.dtype].numpy)
    tensor = Printable(array, DTYPES[record.dtype], record.device, record.requires_grad, node)
    with printoptions(**dict(record.options)):
        assert tensor_repr(tensor) == record.text


@pytest.mark.parametrize("record", RECORDED.values(), ids=RECORDED.keys())
def test_records_are_true_of_pytorch(record):
    torch = pytest.importorskip("torch")
    if record.device.startswith("cuda") and not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU to print a tensor of")
    tensor = torch.tensor(record.values, dtype=getattr(torch, record.dtype), device=record.device)
    tensor.requires_grad_(record.requires_grad)
    with torch._tensor_str.printoptions(**dict(record.options)):
        assert repr(tensor * 1 if record.node == "MulBackward0" else tensor) == record.text


# Random tensors against PyTorch

turning_points = [0.0, -0.0, nan, inf, -inf, 1.0, 1000.0, 1001.0, 1e8, 100000001.0, 1e-4, 9.99e-5, 9.99995, 999.99996]
powers_of_ten = st.builds(lambda sign, exponent: sign * 10**exponent, st.sampled_from([-1, 1]), st.floats(-30, 30))
numbers = st.sampled_from(turning_points) | st.integers(-2000, 2000).map(float) | st.floats(-10, 10) | powers_of_ten
shapes = st.lists(st.integers(0, 8), max_size=4) | st.sampled_from([[999], [1001], [130, 9], [9, 130], [6, 7, 6, 7]])
option_sets = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 8),
        "threshold": st.sampled_from([0, 5, 20, 1000, inf]),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(0, 150),
        "profile": st.sampled_from(["default", "short", "full", "unheard of"]),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)
default_dtypes = st.sampled_from(["float32", "float64", "bfloat16"])


@st.composite
def elements(draw):
    """A dtype's name and a few values that it can hold, from which a tensor of any shape is filled."""
    name = draw(st.sampled_from(sorted(DTYPES)))
    if DTYPES[name].is_complex:
        return name, draw(st.lists(st.builds(complex, numbers, numbers), min_size=1, max_size=5))
    if DTYPES[name].is_floating_point:
        return name, draw(st.lists(numbers, min_size=1, max_size=5))
    return name, draw(st.lists(st.integers(-1000, 1000), min_size=1, max_size=5))


def torch_tensor(torch, name, values, shape):
    # PyTorch rounds to the small dtypes, so that NumPy has no overflow to warn of.
    wide = torch.from_numpy(np.resize(np.array(values), shape))
    return wide.to(getattr(torch, name))


def mirrored(torch, tensor):
    """The stand-in for a tensor of PyTorch, with the same elements bit by bit."""
    name = str(tensor.dtype).removeprefix("torch.")
    plain = tensor.detach()
    if plain.is_meta:
        array = np.empty(plain.shape, DTYPES[name].numpy)
    elif hasattr(ml_dtypes, name):
        bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[plain.itemsize]
        array = plain.view(bits).numpy().view(DTYPES[name].numpy)
    else:
        array = plain.numpy()
    node = tensor.grad_fn and type(type(tensor.grad_fn).__name__, (), {})()
    return Printable(array, DTYPES[name], str(tensor.device), tensor.requires_grad, node)


@contextmanager
def both_set(torch, options, default_dtype):
    """Both libraries under the same options and the same default dtype."""
    before, torch_before = DEFAULTS.floating, torch.get_default_dtype()
    DEFAULTS.floating = DTYPES[default_dtype]
    torch.set_default_dtype(getattr(torch, default_dtype))
    try:
        with torch._tensor_str.printoptions(**options), printoptions(**options):
            yield
    finally:
        DEFAULTS.floating = before
        torch.set_default_dtype(torch_before)


experimental_in_pytorch = pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")


@experimental_in_pytorch
@settings(max_examples=300, deadline=None, derandomize=True)
@given(elements(), shapes, option_sets, default_dtypes, st.sampled_from(["plain", "leaf", "clone", "meta"]))
def test_random_tensors_print_as_in_pytorch(filling, shape, options, default_dtype, history):
    torch = pytest.importorskip("torch")
    tensor = torch_tensor(torch, *filling, shape)
    if history == "meta":
        tensor = tensor.to("meta")
    elif history != "plain" and filling[0] in ("float32", "float64", "bfloat16", "complex64"):
        tensor.requires_grad_()
        tensor = tensor.clone() if history == "clone" else tensor
    with both_set(torch, options, default_dtype):
        assert tensor_repr(mirrored(torch, tensor)) == repr(tensor)


@pytest.mark.parametrize("name", [name for name in DTYPES if "float8" in name])
def test_every_float8_prints_as_in_pytorch(name):
    torch = pytest.importorskip("torch")
    codes = torch.arange(256, dtype=torch.uint8).view(getattr(torch, name))
    assert tensor_repr(mirrored(torch, codes)) == repr(codes)
    for code in codes:
        pair = torch.stack([code.view(torch.uint8), torch.tensor(2, dtype=torch.uint8)]).view(code.dtype)
        assert tensor_repr(mirrored(torch, pair)) == repr(pair)


@experimental_in_pytorch
@settings(max_examples=100, deadline=None, derandomize=True)
@given(elements(), st.sampled_from(["", ".2f", "10", ">12", "e", ".3g", "+", "d", "x"]))
def test_random_scalars_are_formatted_as_in_pytorch(filling, specification):
    torch = pytest.importorskip("torch")
    tensor = torch_tensor(torch, *filling, ())
    assert outcome(tensor_format, mirrored(torch, tensor), specification) == outcome(format, tensor, specification)


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error)


# format


def test_format_of_a_scalar_is_its_number():
    assert tensor_format(Printable(np.array(2.0), DTYPES["float64"], requires_grad=True), ".3f") == "2.000"
    assert tensor_format(Printable(np.array(True), DTYPES["bool"]), "d") == "1"


def test_format_of_other_tensors_takes_no_specification():
    vector = Printable(np.zeros(2, np.float32), DTYPES["float32"])
    assert tensor_format(vector, "") == "tensor([0., 0.])"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Printable\.__format__") as refusal:
        tensor_format(vector, ".2f")
    assert "of shape (2,)" in refusal.value.__notes__[0]
    assert "f'{t[0].item():.2f}'" in refusal.value.__notes__[0]


def test_format_of_a_meta_scalar_takes_no_specification():
    scalar = Printable(np.zeros((), np.float32), DTYPES["float32"], device="meta")
    assert tensor_format(scalar, "") == "tensor(..., device='meta', size=())"
    with pytest.raises(TypeError) as refusal:
        tensor_format(scalar, ".2f")
    assert refusal.value.__notes__[0].endswith("of shape () on the meta device, which has no numbers.")


def test_format_of_a_subclass_takes_no_specification():
    scalar = Printable(np.zeros(()), DTYPES["float64"])
    assert object_format(scalar, "") == "tensor(0., dtype=torch.float64)"
    with pytest.raises(TypeError) as refusal:
        object_format(scalar, ".2f")
    assert "f'{t.item():.2f}'" in refusal.value.__notes__[0]


# The options


def test_set_printoptions_keeps_what_is_not_named_but_sci_mode():
    with printoptions(precision=2, sci_mode=True):
        assert CURRENT.options == PrintOptions(precision=2, sci_mode=True)
        set_printoptions(linewidth=60)
        assert CURRENT.options == PrintOptions(precision=2, linewidth=60)
    assert CURRENT.options == PrintOptions()


def test_a_profile_sets_four_options_and_gives_way_to_those_named_beside_it():
    with printoptions(linewidth=60, profile="short", threshold=7):
        assert CURRENT.options == PrintOptions(precision=2, threshold=7, edgeitems=2, linewidth=60)
        set_printoptions(profile="full")
        assert CURRENT.options == PrintOptions(threshold=inf)


def test_options_come_back_after_an_error():
    with pytest.raises(KeyError), printoptions(precision=1):
        raise KeyError
    assert get_printoptions() == {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(option_sets, max_size=4))
def test_a_sequence_of_settings_leads_where_it_leads_in_pytorch(calls):
    torch = pytest.importorskip("torch")
    with torch._tensor_str.printoptions(), printoptions():
        for options in calls:
            torch.set_printoptions(**options)
            set_printoptions(**options)
        assert get_printoptions() == torch._tensor_str.get_printoptions()


# What only a tensor of our own shows


def test_own_contents_and_name():
    tensor = Printable(np.zeros(2, np.float16), DTYPES["float16"])
    assert tensor_repr(tensor, tensor_contents="...", name="Mask") == "Mask(..., dtype=torch.float16)"
    assert tensor_repr(Printable(np.zeros((2, 1)), DTYPES["float64"]), name="Mask") == (
        "Mask([[0.],\n      [0.]], dtype=torch.float64)"
    )


def test_a_grad_fn_that_cannot_be_told_prints_as_invalid():
    class Orphan(Printable):
        @property
        def grad_fn(self):
            raise RuntimeError("this view's history was lost")

        @grad_fn.setter
        def grad_fn(self, value):
            pass

    assert tensor_repr(Orphan(np.zeros(1, np.float32), DTYPES["float32"])) == "tensor([0.], grad_fn=<Invalid>)"


class FarArray:
    """An array out of the host's reach: it can be indexed there and copied from there."""

    def __init__(self, array):
        self.array, self.shape, self.ndim = array, array.shape, array.ndim

    def __getitem__(self, index):
        return FarArray(self.array[index])


def test_of_a_device_array_only_what_is_shown_is_copied_to_the_host():
    copied = []

    def to_cpu(far):
        copied.append(far.shape)
        return far.array

    far = device("cuda", 1)
    BACKENDS.register(
        Backend("far", FarArray, language=None, from_cpu=FarArray, to_cpu=to_cpu, adopt=FarArray, place=far)
    )
    try:
        text = tensor_repr(Printable(FarArray(np.zeros((2000, 5), np.float32)), DTYPES["float32"], "cuda:1"))
    finally:
        del BACKENDS.by_array[BACKENDS.by_kind.pop("far").array_type]
    assert text.endswith("        [0., 0., 0., 0., 0.]], device='cuda:1')")
    assert copied == [(6, 5)]

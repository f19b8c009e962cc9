"""What is seldom met: complex numbers in half precision, pooling of it, masks of bytes, masks without numbers."""

import subprocess
import sys

import pytest

HALVES = ["float16", "bfloat16"]


@pytest.mark.complex32
def test_pairs_of_halves_are_complex(torch):
    pairs = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float16)
    result = torch.view_as_complex(pairs)
    assert result.dtype is torch.complex32
    assert result.to(torch.complex64).tolist() == [1 + 2j, 3 + 4j]
    assert result.real.tolist() == [1, 3]
    assert result.imag.tolist() == [2, 4]
    assert result.real.stride() == (2,)
    assert torch.equal(torch.view_as_real(result), pairs)
    pairs[0, 0] = 5  # they share memory
    assert result.to(torch.complex64).tolist() == [5 + 2j, 3 + 4j]


@pytest.mark.complex32
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_parts_of_half_precision_make_complex32(torch):
    parts = torch.tensor([[1.0], [2.0]], dtype=torch.float16), torch.tensor([3.0, 4.0], dtype=torch.float16)
    result = torch.complex(*parts)
    assert result.dtype is torch.complex32
    assert result.to(torch.complex64).tolist() == [[1 + 3j, 1 + 4j], [2 + 3j, 2 + 4j]]
    empty = torch.zeros(0, dtype=torch.float16)
    assert torch.complex(empty, empty).shape == (0,)


def test_parts_that_make_no_complex_number(torch):
    half, single = torch.zeros(2, dtype=torch.float16), torch.zeros(2)
    brain = torch.zeros(2, dtype=torch.bfloat16)
    for function in (torch.complex, torch.polar):
        with pytest.raises(
            RuntimeError, match=r"Expected both inputs to be Half, Float or Double tensors but got BFloat16"
        ):
            function(brain, brain)
        with pytest.raises(RuntimeError, match=r"Expected object of scalar type Half but got scalar type Float"):
            function(half, single)
    with pytest.raises(NotImplementedError, match=r"\"polar_cpu\" not implemented for 'Half'"):
        torch.polar(half, half)


@pytest.mark.parametrize("kind", HALVES)
def test_fractional_pooling_in_half_precision(torch, kind):
    image = torch.arange(64.0, dtype=getattr(torch, kind)).reshape(1, 1, 8, 8)
    samples = torch.full((1, 1, 2), 0.3, dtype=image.dtype)
    result = torch.nn.functional.fractional_max_pool2d(image, 3, output_size=3, _random_samples=samples)
    assert result.dtype is image.dtype
    assert result.tolist() == [[[[18, 21, 23], [42, 45, 47], [58, 61, 63]]]]


WORDS = "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
def test_one_value_through_a_mask_of_bytes_is_refused(torch):
    columns, rows = (torch.tensor(each, dtype=torch.uint8) for each in ([1, 0, 1], [1, 0]))
    for index in ((slice(None), columns), rows, (0, columns), (..., columns), torch.ones(2, 3, dtype=torch.uint8)):
        for value in (1, torch.tensor(1.0), torch.ones(1)):
            x = torch.zeros(2, 3)
            with pytest.raises(RuntimeError, match=WORDS):
                x[index] = value
            assert not x.any()
    x = torch.zeros(2, 3)
    x[:, columns] = torch.ones(2, 2)
    assert x.tolist() == [[1, 0, 1], [1, 0, 1]]
    x[:, columns.bool()] = 2
    assert x.tolist() == [[2, 0, 2], [2, 0, 2]]


def test_masks_without_numbers(torch):
    x = torch.zeros(3, 4, device="meta")
    mask = torch.ones(3, dtype=torch.bool, device="meta")
    for values in (torch.tensor(1.0, device="meta"), torch.ones(4, device="meta")):
        result = x.index_put((mask,), values)
        assert result.is_meta
        assert result.shape == (3, 4)
    assert x.index_put_((mask,), torch.ones(4, device="meta")) is x


# ml_dtypes before 0.6 has no complex32; a process in which it has none is like one with that version.
BESIDE_AN_OLDER_ML_DTYPES = """
import ml_dtypes

if hasattr(ml_dtypes, "complex32"):
    del ml_dtypes.complex32
ml_dtypes.__version__ = "0.5.0"
import rushlight as torch

assert torch.complex32 is torch.chalf and torch.complex32.itemsize == 4 and torch.complex32.is_complex
assert torch.promote_types(torch.complex32, torch.float32) is torch.complex64
assert (torch.ones(2, dtype=torch.complex64) * 1j).sum().item() == 2j
half = torch.ones(2, dtype=torch.float16)
for use in (
    lambda: torch.zeros(2, dtype=torch.complex32),
    lambda: half.to(torch.complex32),
    lambda: half.chalf(),
    lambda: torch.complex(half, half),
    lambda: torch.view_as_complex(half),
    lambda: half * 1j,
):
    try:
        use()
    except RuntimeError as error:
        assert str(error) == "torch.complex32 needs ml_dtypes 0.6 or newer; 0.5.0 is installed", error
        assert error.__notes__ == ['Install it by: python -m pip install "ml_dtypes>=0.6"']
    else:
        raise AssertionError("it was made of nothing")
assert half.tolist() == [1.0, 1.0]
"""


def test_complex32_says_that_it_needs_a_newer_ml_dtypes():
    subprocess.run([sys.executable, "-c", BESIDE_AN_OLDER_ML_DTYPES], check=True)


@pytest.mark.complex32
def test_complex_halves_are_filled_with_complex_numbers(torch):
    complex32 = torch.complex32
    assert torch.full((2,), 1 + 2j, dtype=complex32).tolist() == [1 + 2j, 1 + 2j]
    assert torch.zeros(2, dtype=complex32).fill_(1 - 1j).tolist() == [1 - 1j, 1 - 1j]
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.full((1,), 1e5 + 0j, dtype=complex32)


@pytest.mark.complex32
@pytest.mark.parametrize("make", ["torch.zeros(2, dtype=half)", "torch.randn(2, dtype=half)", "torch.ones(2).to(half)"])
def test_complex_halves_are_experimental(torch, make):
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="ComplexHalf support is experimental"):
            eval(make, {"torch": torch, "half": torch.complex32})
    finally:
        torch.set_warn_always(before)


@pytest.mark.complex32
def test_complex_halves_keep_both_parts_of_what_is_copied(torch):
    x = torch.tensor([7.25 + 2.5j, -1.5 + 0.25j], dtype=torch.complex128)
    assert torch.empty(2, dtype=torch.complex32).copy_(x).tolist() == x.tolist()
    filled = x.chalf().index_fill(0, torch.tensor([0]), 1j)
    assert filled.tolist() == [1j, -1.5 + 0.25j]

"""Fourier transforms: what they return, record, promote, write to and refuse."""

import numpy as np
import pytest

NORMS = [None, "backward", "forward", "ortho"]


def signal(torch, *shape, dtype=None):
    numbers = np.random.default_rng(sum(shape)).standard_normal(shape)
    return torch.tensor(numbers, dtype=dtype or torch.float64)


def complex_signal(torch, *shape):
    return torch.complex(signal(torch, *shape), signal(torch, *shape).flip(0))


def agrees(found, expected):
    np.testing.assert_allclose(found.numpy(), np.asarray(expected), rtol=1e-10, atol=1e-10)


# ---- values


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_a_transform_is_the_sum_that_defines_it(torch, size):
    x = complex_signal(torch, size)
    k = np.arange(size)
    waves = np.exp(-2j * np.pi * np.outer(k, k) / size)
    agrees(torch.fft.fft(x), waves @ x.numpy())
    agrees(torch.fft.ifft(x), waves.conj() @ x.numpy() / size)


@pytest.mark.parametrize("size", [500, 70_000])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_small_and_large_transforms_are_equally_right(torch, size, name):
    real = np.random.default_rng(0).standard_normal((2, size)).astype(name)
    expected, tolerance = np.fft.fft(real.astype(np.float64)), {"float32": 4e-6, "float64": 4e-14}[name]

    def close(found, wanted):
        return np.abs(found.numpy() - wanted).max() <= tolerance * np.abs(wanted).max()

    x = torch.from_numpy(real)
    half = torch.fft.rfft(x)
    assert close(half, expected[:, : size // 2 + 1])
    assert close(torch.fft.irfft(half), real)
    assert close(torch.fft.ifft(torch.fft.fft(x + 0j)).real, real)
    assert (half.dtype, torch.fft.irfft(half).dtype) == (getattr(torch, f"complex{2 * int(name[5:])}"), x.dtype)


@pytest.mark.parametrize("norm", NORMS)
def test_inverses_undo_transforms(torch, norm):
    real, both = signal(torch, 3, 4, 5), complex_signal(torch, 3, 4, 5)
    f = torch.fft
    agrees(f.ifft(f.fft(both, norm=norm), norm=norm), both)
    agrees(f.irfft(f.rfft(real, norm=norm), 5, norm=norm), real)
    agrees(f.hfft(f.ihfft(real, norm=norm), 5, norm=norm), real)
    agrees(f.ifft2(f.fft2(both, norm=norm), norm=norm), both)
    agrees(f.ifftn(f.fftn(both, norm=norm), norm=norm), both)
    agrees(f.irfftn(f.rfftn(real, norm=norm), real.shape, norm=norm), real)
    agrees(f.hfftn(f.ihfftn(real, norm=norm), real.shape, norm=norm), real)


def test_the_orthonormal_transform_keeps_lengths(torch):
    x = complex_signal(torch, 2, 7)
    agrees(torch.fft.fft(x, norm="ortho").abs().square().sum(), x.abs().square().sum())


@pytest.mark.parametrize("size", [1, 3, 6, 9])
def test_the_input_is_cut_or_padded_with_zeros(torch, size):
    x = signal(torch, 2, 6)
    fitted = np.zeros((2, size))
    fitted[:, :6] = x.numpy()[:, :size]
    agrees(torch.fft.fft(x, size), np.fft.fft(fitted))
    agrees(torch.fft.rfft(x, n=size, dim=-1), np.fft.rfft(fitted))
    agrees(torch.fft.rfft(x.T, size, 0), np.fft.rfft(fitted).T)


def test_imaginary_parts_without_a_partner_count_as_zero(torch):
    half = torch.tensor([1 + 5j, 2 + 1j, 3 + 7j], dtype=torch.complex128)
    agrees(torch.fft.irfft(half), torch.fft.irfft(torch.tensor([1, 2 + 1j, 3], dtype=torch.complex128)))


def test_sizes_without_dimensions_are_those_of_the_last(torch):
    x = complex_signal(torch, 2, 3, 4)
    agrees(torch.fft.fftn(x, (2, 4)), torch.fft.fftn(x, (2, 4), (1, 2)))
    agrees(torch.fft.fftn(x, (-1, 5), (0, 2)), torch.fft.fftn(x, (2, 5), (0, 2)))
    agrees(torch.fft.fftn(x, 3), torch.fft.fft(x, 3))
    agrees(torch.fft.fft2(x, dim=0), torch.fft.fft(x, dim=0))


@pytest.mark.parametrize("size", [4, 5])
def test_shifting_puts_frequencies_in_order(torch, size):
    result = torch.fft.fftshift(torch.fft.fftfreq(size))
    assert result.tolist() == sorted(result.tolist())
    assert torch.fft.ifftshift(result).tolist() == torch.fft.fftfreq(size).tolist()


# ---- dtypes, memory, graph


def test_float32_stays_float32(torch):
    x = signal(torch, 2, 4, dtype=torch.float32)
    assert torch.fft.fft(x).dtype is torch.fft.rfftn(x).dtype is torch.fft.ihfft(x).dtype is torch.complex64
    assert torch.fft.irfft(x).dtype is torch.fft.hfft2(x).dtype is torch.float32
    assert torch.fft.ifft(x.double()).dtype is torch.complex128


def test_integers_become_the_default_dtype(torch):
    x = torch.arange(4)
    assert torch.fft.rfft(x).dtype is torch.fft.fft(x > 1).dtype is torch.complex64
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.fft.rfft(x).dtype is torch.fft.fftn(x).dtype is torch.complex128
        assert torch.fft.irfft(x).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_out_is_written_to_and_returned(torch):
    x = signal(torch, 3, 4, dtype=torch.float32)
    out = torch.empty(0, dtype=torch.complex64)
    assert torch.fft.fft(x, out=out) is out
    assert out.tolist() == torch.fft.fft(x).tolist()
    half = torch.empty(3, 6)
    assert torch.fft.irfft(x, out=half) is half
    assert half.tolist() == torch.fft.irfft(x).tolist()


def test_the_input_keeps_its_values(torch):
    x = complex_signal(torch, 4, 4)
    before = x.clone()
    torch.fft.fftn(x), torch.fft.irfftn(x), torch.fft.hfftn(x)
    assert torch.fft.fftn(x, dim=()).data_ptr() != x.data_ptr()
    assert x.tolist() == before.tolist()


def test_shapes_are_known_without_numbers(torch):
    x = torch.empty(2, 5, device="meta")
    assert tuple(torch.fft.rfft(x).shape) == (2, 3)
    assert tuple(torch.fft.irfft2(x, (4, 7)).shape) == (4, 7)
    assert torch.fft.fftn(x).dtype is torch.complex64
    assert torch.fft.hfft(x, dim=0).device.type == "meta"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda f, x: f.rfft(x), "FftR2CBackward0"),
        (lambda f, x: f.fft(x), "FftR2CBackward0"),
        (lambda f, x: f.fft2(x), "FftC2CBackward0"),
        (lambda f, x: f.irfftn(x), "FftC2RBackward0"),
        (lambda f, x: f.ihfft(x), "ConjBackward0"),
        (lambda f, x: f.fftshift(x), "RollBackward0"),
    ],
)
def test_nodes_have_the_names_of_pytorch(torch, call, name):
    assert call(torch.fft, signal(torch, 3, 4).requires_grad_()).grad_fn.name() == name


def test_a_batch_of_nothing_has_no_spectra(torch):
    x = torch.empty(0, 4)
    if torch.__name__ == "torch":
        # The library that PyTorch transforms with on the CPU refuses to plan for none: docs/what-differs.md
        with pytest.raises(RuntimeError, match="MKL FFT error"):
            torch.fft.fft(x)
    else:
        assert (torch.fft.fft(x).shape, torch.fft.irfft(x).shape) == ((0, 4), (0, 6))


# ---- frequencies


@pytest.mark.parametrize("size", [0, 1, 4, 5])
@pytest.mark.parametrize("distance", [1.0, 0.5, 3])
def test_frequencies_are_those_of_numpy(torch, size, distance):
    if not size:
        assert torch.fft.fftfreq(0).tolist() == []
        return
    result = torch.fft.fftfreq(size, distance, dtype=torch.float64), torch.fft.rfftfreq(size, distance)
    agrees(result[0], np.fft.fftfreq(size, distance))
    np.testing.assert_allclose(result[1].numpy(), np.fft.rfftfreq(size, distance), rtol=1e-6)
    assert (result[0].dtype, result[1].dtype) == (torch.float64, torch.float32)


def test_frequencies_are_made_as_asked(torch):
    leaf = torch.fft.fftfreq(4, requires_grad=True)
    assert (leaf.requires_grad, leaf.is_leaf) == (True, True)
    assert torch.fft.rfftfreq(4, dtype=torch.float16).dtype is torch.float16
    assert torch.fft.fftfreq(4, device="meta").shape == (4,)
    out = torch.empty(0, dtype=torch.float64)
    assert torch.fft.fftfreq(4, out=out) is out
    assert out.tolist() == [0, 0.25, -0.5, -0.25]


# ---- refusals

TYPE, VALUE, INDEX = TypeError, RuntimeError, IndexError
REFUSED = [
    (lambda t, f, x: f.fft([1.0]), TYPE, "fft_fft(): argument 'input' (position 1) must be Tensor, not list"),
    (lambda t, f, x: f.fft(np.ones(3)), TYPE, "fft_fft(): argument 'input' (position 1) must be Tensor, not numpy."),
    (lambda t, f, x: f.fft(x, n=2.5), TYPE, "fft_fft(): argument 'n' must be int, not float"),
    (lambda t, f, x: f.rfft(x, dim=(0,)), TYPE, "fft_rfft(): argument 'dim' must be int, not tuple"),
    (lambda t, f, x: f.fft(x, norm=1), TYPE, "fft_fft(): argument 'norm' must be str, not int"),
    (lambda t, f, x: f.fft2(x, None, None), TYPE, "fft_fft2(): argument 'dim' (position 3) must be tuple of ints"),
    (lambda t, f, x: f.fftn(x, dim="x"), TYPE, "fft_fftn(): argument 'dim' must be tuple of ints, not str"),
    (lambda t, f, x: f.fft(x, norm="abc"), VALUE, 'Invalid normalization mode: "abc"'),
    (lambda t, f, x: f.fft(x, 0), VALUE, "Invalid number of data points (0) specified"),
    (lambda t, f, x: f.ifft(x, -2), VALUE, "Invalid number of data points (-2) specified"),
    (lambda t, f, x: f.irfft(x[:, :1]), VALUE, "Invalid number of data points (0) specified"),
    (lambda t, f, x: f.rfftn(x[:, :0]), VALUE, "Invalid number of data points (0) specified"),
    (lambda t, f, x: f.fft(x, dim=2), INDEX, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    (lambda t, f, x: f.fft2(x[0]), INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got -2)"),
    (lambda t, f, x: f.fft(x.sum()), INDEX, "Dimension specified as -1 but tensor has no dimensions"),
    (lambda t, f, x: f.fftshift(x.sum()), VALUE, "`shifts` required"),
    (lambda t, f, x: f.fftn(x, dim=(0, -2)), VALUE, "FFT dims must be unique"),
    (lambda t, f, x: f.fftn(x, (2,), (0, 1)), VALUE, "When given, dim and shape arguments must have the same length"),
    (lambda t, f, x: f.fftn(x, (2, 2, 2)), VALUE, "Got shape with 3 values but input tensor only has 2 dimensions."),
    (lambda t, f, x: f.rfftn(x, dim=()), VALUE, "rfftn must transform at least one axis"),
    (lambda t, f, x: f.hfft2(x, dim=()), VALUE, "hfftn must transform at least one axis"),
    (lambda t, f, x: f.rfft(x + 0j), VALUE, "rfft expects a real input tensor, but got ComplexDouble"),
    (lambda t, f, x: f.rfft2(x + 0j), VALUE, "rfftn expects a real-valued input tensor, but got ComplexDouble"),
    (lambda t, f, x: f.ihfftn(x + 0j), VALUE, "Only supports floating-point dtypes, but found: ComplexDouble"),
    (lambda t, f, x: f.fft(x.half()), VALUE, "Unsupported dtype Half"),
    (lambda t, f, x: f.rfftn(x.bfloat16()), VALUE, "Unsupported dtype BFloat16"),
    (lambda t, f, x: f.fft(x, out=t.empty(0)), VALUE, "fft expects a complex output tensor, but got Float"),
    (lambda t, f, x: f.ifft2(x, out=t.empty(0)), VALUE, "fftn expects a complex output tensor, but got Float"),
    (lambda t, f, x: f.irfft(x, out=x + 0j), VALUE, "irfft expects a floating point output tensor, but got Complex"),
    (lambda t, f, x: f.fftfreq(2.5), TYPE, "fft_fftfreq(): argument 'n' (position 1) must be int, not float"),
    (lambda t, f, x: f.fftfreq(4, "x"), TYPE, "fft_fftfreq(): argument 'd' (position 2) must be float, not str"),
    (lambda t, f, x: f.fftfreq(-1), VALUE, "Trying to create tensor with negative dimension -1: [-1]"),
    (lambda t, f, x: f.rfftfreq(4, dtype=t.int64), VALUE, "rfftfreq requires a floating point or complex dtype"),
    (
        lambda t, f, x: f.fftfreq(4, dtype=t.float64, out=t.empty(4)),
        VALUE,
        "dtype Double does not match dtype of out parameter (Float)",
    ),
    (
        lambda t, f, x: f.fftfreq(4, dtype=t.complex64),
        NotImplementedError,
        "\"arange_cpu\" not implemented for 'ComplexFloat'",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=[words[:40] for *_, words in REFUSED])
def test_refusals(torch, call, error, words):
    with pytest.raises(error) as caught:
        call(torch, torch.fft, signal(torch, 3, 4))
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_resize_out_with_a_warning(torch, name):
    out = torch.empty(2)
    with pytest.warns(UserWarning, match=r"out tensor of shape \[2\] is 2 which does not match the computed"):
        getattr(torch.fft, name)(5, out=out)
    assert out.tolist() == getattr(torch.fft, name)(5).tolist()

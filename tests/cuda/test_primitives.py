"""Every primitive on the device `cuda`, over the fake CuPy, against the CPU.

Forward, first and second derivatives, in place and with `out=`, on each sample: values, dtypes, shapes and strides.
"""

import numpy as np
import pytest

import rushlight
from rushlight.arrays.cuda.fake.array import WAITS
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.strides import same_steps
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared

lazy_modules.load_all()
pytestmark = pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta")  # PyTorch warns once per process
PRIMITIVES = [name for name, op in sorted(OPS.items()) if op.samples is not None and not op.composite]
TOLERANCE = {"rtol": 1e-6, "atol": 1e-9, "equal_nan": True}


def on(place, tensors):
    """The tensors on a device, as leaves where they were."""
    return [x.detach().to(place).requires_grad_(x.requires_grad) for x in tensors]


def numbers_of(tensor):
    return np.asarray(plain(tensor.detach().cpu()._array))


def check_equal(got, expected, strides=True):
    """Checks a result of the device against that of the CPU; a dimension of one element has any stride."""
    if not isinstance(expected, Tensor):
        assert type(got) is type(expected), (type(got), type(expected))
        return
    assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
    assert got.shape == expected.shape, (got.shape, expected.shape)
    assert got.device.type == "cuda" or expected.device.type == "cpu", got.device
    if strides and expected.numel():
        assert same_steps(tuple(expected.shape), got.stride(), expected.stride()), (got.stride(), expected.stride())
    actual, wanted = numbers_of(got), numbers_of(expected)
    if wanted.dtype.kind in "fc":
        np.testing.assert_allclose(actual, wanted, **TOLERANCE)
    else:
        np.testing.assert_array_equal(actual, wanted)


def check_forward(case):
    on_cpu = case.results([x.detach() for x in case.tensors])
    for got, expected in zip(case.results(on("cuda", [x.detach() for x in case.tensors])), on_cpu, strict=True):
        check_equal(got, expected, strides=not case.op.internal)  # no user sees those of an internal one


def gradients(case, place, order):
    """The gradients of a random product of the results, and those of a product of these for the second order."""
    generator = np.random.default_rng(case.number)
    tensors = on(place, case.tensors)
    leaves = [x for x in tensors if x.requires_grad]

    def derivative(values, **named):
        weights = [rushlight.from_numpy(generator.standard_normal(x.shape)).to(place, x.dtype) for x in values]
        return list(rushlight.autograd.grad(values, leaves, weights, allow_unused=True, **named))

    results = [x for x in case.results(tensors) if declared.is_smooth(x) and x.requires_grad]
    if not results or not leaves:
        return []
    first = derivative(results, create_graph=order > 1)
    if order == 1:
        return first
    smooth = [x for x in first if x is not None and x.requires_grad]
    return derivative(smooth) if smooth else []


def check_gradients(case, order):
    try:
        on_cpu = gradients(case, "cpu", order)
    except (RuntimeError, NotImplementedError):
        return  # no derivative, as in PyTorch
    for got, expected in zip(gradients(case, "cuda", order), on_cpu, strict=True):
        assert (got is None) == (expected is None)
        check_equal(got, expected, strides=False)


def check_first_derivative(case):
    check_gradients(case, 1)


def check_second_derivative(case):
    check_gradients(case, 2)


def written(case, place):
    """The tensor that the in-place variant wrote to, or the type of its refusal."""
    tensors = on(place, [x.detach() for x in case.tensors])
    first = tensors[0] = tensors[0].clone()
    try:
        (returned,) = case.results(tensors, case.op.inplace_function)
    except (RuntimeError, IndexError, TypeError) as error:
        return type(error), first
    assert returned is first
    return None, first


def check_in_place(case):
    if not case.op.inplace or not case.arguments or not isinstance(case.arguments[0], Tensor):
        return
    (refused, got), (expected_refusal, expected) = written(case, "cuda"), written(case, "cpu")
    assert refused is expected_refusal, (refused, expected_refusal)
    check_equal(got, expected)


def check_out(case):
    if not case.op.out:
        return
    on_cpu = case.results([x.detach() for x in case.tensors])
    targets = [rushlight.zeros_like(x, device="cuda") for x in on_cpu]
    out = targets[0] if len(targets) == 1 and not case.op.multi_output else tuple(targets)
    tensors = on("cuda", [x.detach() for x in case.tensors])
    results = case.results(tensors, lambda *arguments, **named: case.op.function(*arguments, **named, out=out))
    assert all(one is other for one, other in zip(results, targets, strict=True))
    for got, expected in zip(results, on_cpu, strict=True):
        check_equal(got, expected, strides=False)


CHECKS = {
    "forward": check_forward,
    "first_derivative": check_first_derivative,
    "second_derivative": check_second_derivative,
    "in_place": check_in_place,
    "out": check_out,
}


def failure_of(check, name):
    """The first failure of a check on the samples of a primitive, or None."""
    for case in declared.cases(OPS[name]):
        try:
            check(case)
        except Exception as error:  # noqa: BLE001  whatever it is, it is reported
            return f"{case!r}: {type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_primitive_does_on_the_device_what_it_does_on_the_cpu(name, device):
    failures = {label: failure for label, check in CHECKS.items() if (failure := failure_of(check, name))}
    assert not failures, "\n".join(f"{label}: {text}" for label, text in failures.items())


@pytest.mark.parametrize("length", [1 << 17, 13 * 1009])
@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.complex64])
def test_long_transforms(device, dtype, length):
    x = rushlight.randn(length, dtype=dtype)
    for function in (rushlight.fft.fft, rushlight.fft.ifft, rushlight.fft.fft2):
        array = x.reshape(-1, 1) if function is rushlight.fft.fft2 else x
        rushlight.testing.assert_close(function(array.cuda()).cpu(), function(array), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (5, 3, 3), (0, 3), (600, 2, 2)])
def test_qr_stays_on_the_device(shape, mode):
    a = rushlight.randn(shape, generator=rushlight.Generator().manual_seed(1))
    expected = rushlight.linalg.qr(a, mode)
    with rushlight.cuda.simulate():
        on_device = a.cuda()
        WAITS.clear()
        q, r = rushlight.linalg.qr(on_device, mode)
        assert not WAITS
        assert (q.shape, r.shape) == (expected.Q.shape, expected.R.shape)
        packed, factors = rushlight.geqrf(on_device)
        assert packed.is_cuda and not WAITS
        rushlight.testing.assert_close(r.cpu().abs(), expected.R.abs())
        rushlight.testing.assert_close((packed.cpu(), factors.cpu()), tuple(rushlight.geqrf(a)))
        if mode != "r":
            rushlight.testing.assert_close((q @ r).cpu(), a)

"""Large tensors that are written in place by a kernel: the same numbers, and the same refusals, as small ones."""

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.compiler.sizes import PREPARED
from rushlight.core.large import LARGE
from rushlight.ops.declare import OPS

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
CALLS = {
    "add_": lambda x, y: x.add_(y),
    "alpha": lambda x, y: x.add_(y, alpha=-0.5),
    "number": lambda x, y: x.mul_(2.5),
    "itself": lambda x, y: x.mul_(x),
    "operator": lambda x, y: x.__isub__(y),
    "clamp_": lambda x, y: x.clamp_(-0.5, 0.5),
    "lerp_": lambda x, y: x.lerp_(y, 0.25),
    "addcmul_": lambda x, y: x.addcmul_(y, y, value=0.5),
    "mask": lambda x, y: x.mul_(y > 0),
    "whole numbers": lambda x, y: x.add_(torch.ones(x.shape, dtype=torch.int64)),
    "exp_": lambda x, y: x.exp_(),
    "zero_": lambda x, y: x.zero_(),
    "fill_": lambda x, y: x.fill_(1.25),
    "copy_": lambda x, y: x.copy_(y),
    "other dtype": lambda x, y: x.copy_(y.double()),
    "row": lambda x, y: x.add_(y[0]),
    "comparison": lambda x, y: x.gt_(y),
}


@pytest.fixture(autouse=True)
def engaged():
    torch.ones(LARGE) * 2


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_numbers_and_versions(name, dtype):
    torch.manual_seed(0)
    x, y = torch.randn(64, 1024).to(dtype), torch.randn(64, 1024).to(dtype)
    few, part = x[:, :40].clone(), y[:, :40].clone()
    memory, version = x.data_ptr(), x._version
    assert CALLS[name](x, y) is x
    CALLS[name](few, part)
    assert (x.data_ptr(), x.dtype) == (memory, dtype)
    assert x._version > version
    torch.testing.assert_close(x[:, :40], few)


WHOLE = {
    "add_": lambda x, y: x.add_(y),
    "number": lambda x, y: x.mul_(3),
    "mixed": lambda x, y: x.add_(y > 2),
    "alpha": lambda x, y: x.sub_(y, alpha=2),
    "bits": lambda x, y: x.bitwise_and_(y),
    "operator": lambda x, y: x.__ior__(y),
    "fill_": lambda x, y: x.fill_(7),
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8, torch.bool], ids=str)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name, dtype):
    x, y = (torch.arange(2 * LARGE).mul(step).remainder(11).to(dtype) for step in (1, 7))
    few, part = x[:40].clone(), y[:40].clone()
    if dtype is torch.bool and name in ("number", "alpha"):
        with pytest.raises(RuntimeError):
            WHOLE[name](x, y)
        return
    assert WHOLE[name](x, y) is x
    WHOLE[name](few, part)
    assert x[:40].tolist() == few.tolist()


def test_no_memory_is_taken_for_the_result():
    """The operator is not asked for a result that would have to be copied."""
    x = torch.randn(PREPARED)
    writing = OPS["mul"].machine.writing
    assert writing(x, (2.0,), {})
    assert not writing(torch.randn(8), (2.0,), {})
    assert not writing(x.clone().requires_grad_() * 1, (2.0,), {})
    assert writing(x.long(), (2,), {})
    assert not writing(x.long(), (2.5,), {})


def test_a_view_is_written_through():
    x = torch.zeros(4, LARGE)
    x[1].add_(3)
    x.t()[:, 2].sub_(1)
    assert x.sum(1).tolist() == [0.0, 3.0 * LARGE, -1.0 * LARGE, 0.0]


def test_what_is_recorded_goes_the_ordinary_way():
    x = torch.ones(LARGE, requires_grad=True)
    y = x * 2
    y.mul_(4)
    y.sum().backward()
    assert x.grad[0] == 8
    z = torch.ones(LARGE)
    z.add_(x)
    assert z.requires_grad
    with torch.no_grad():
        x.mul_(0.5)
    assert x[3] == 0.5
    assert x.is_leaf


def test_refusals():
    x = torch.ones(LARGE)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.ones(LARGE, requires_grad=True).mul_(2)
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        torch.ones(LARGE, dtype=torch.int64).mul_(2.5)
    with pytest.raises(RuntimeError, match="The size of tensor a|doesn't match the broadcast shape"):
        x.add_(torch.ones(2, LARGE))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(1).expand(LARGE).mul_(2)
    with torch.inference_mode():
        inside = torch.ones(LARGE)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        inside.mul_(2)
    shared = torch.ones(2 * LARGE)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        shared[1:].add_(shared[:-1])


def test_a_value_that_backward_needs_is_seen_to_be_gone():
    x = torch.ones(LARGE, requires_grad=True)
    factor = torch.full((LARGE,), 2.0)
    y = x * factor
    factor.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()

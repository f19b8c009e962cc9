"""Large tensors written in place by a kernel: values and errors are those of small ones."""

import sys
import tracemalloc

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight import arrays
from rushlight.core.policy import LARGE, PREPARED, WARMUP
from rushlight.core.tables import xp
from rushlight.dispatch import destination
from rushlight.dispatch.plan import WRITING
from rushlight.lower import elementwise

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
def test_values_and_versions(name, dtype):
    torch.manual_seed(0)
    x, y = torch.randn(64, 1024).to(dtype), torch.randn(64, 1024).to(dtype)
    few, part = x[:, :40].clone(), y[:, :40].clone()
    memory, version = x.data_ptr(), x._version
    assert CALLS[name](x, y) is x
    CALLS[name](few, part)
    assert (x.data_ptr(), x.dtype) == (memory, dtype)
    assert x._version > version
    torch.testing.assert_close(x[:, :40], few)


@pytest.mark.parametrize("name", [*CALLS, "part"])
def test_memory_that_is_read_only_is_not_written_to(name):
    array = np.ones((64, 1024), np.float32)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        x = torch.from_numpy(array)
    with pytest.raises(ValueError, match="read-only"):
        CALLS.get(name, lambda x, y: x.__setitem__(slice(40), y[:40]))(x, torch.full(x.shape, 2.0))
    assert (array == 1).all()


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
def test_integers(name, dtype):
    x, y = (torch.arange(2 * LARGE).mul(step).remainder(11).to(dtype) for step in (1, 7))
    few, part = x[:40].clone(), y[:40].clone()
    if dtype is torch.bool and name in ("number", "alpha"):
        with pytest.raises(RuntimeError):
            WHOLE[name](x, y)
        return
    assert WHOLE[name](x, y) is x
    WHOLE[name](few, part)
    assert x[:40].tolist() == few.tolist()


def test_no_memory_is_allocated_for_the_result():
    """The operator does not compute a result that would have to be copied."""
    x = torch.randn(PREPARED)
    writing = WRITING["mul"]
    assert writing(x, (2.0,), {})
    assert not writing(torch.randn(8), (2.0,), {})
    assert not writing(x.clone().requires_grad_() * 1, (2.0,), {})
    assert writing(x.long(), (2,), {})
    assert not writing(x.long(), (2.5,), {})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("method", ["add_", "sub_"])
@pytest.mark.parametrize("alpha", [-0.1, 3, 1.0, 0, 1e30])
def test_a_multiple_is_added(method, alpha, dtype, threads):
    x, y = torch.randn(3, LARGE, dtype=dtype), torch.randn(3, LARGE, dtype=dtype)
    y[0, :3] = torch.tensor([float("nan"), float("inf"), -0.0])
    sign = 1 if method == "add_" else -1
    expected = (x.double() + sign * alpha * y.double()).to(dtype)
    assert getattr(x, method)(y, alpha=alpha) is x
    torch.testing.assert_close(x, expected, equal_nan=True)
    number = torch.ones(LARGE, dtype=dtype)
    torch.testing.assert_close(getattr(number, method)(2.0, alpha=0.5), torch.full_like(number, 1 + sign))
    with pytest.raises(TypeError):
        x.mul_(y, alpha=alpha)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "rsub"])
def test_a_sum_with_a_multiple_takes_one_pass(name, dtype, monkeypatch):
    x, y, function = torch.randn(3, LARGE, dtype=dtype), torch.randn(3, LARGE, dtype=dtype), getattr(torch, name)
    multiplied = (x if name == "rsub" else y) * 0.3
    expected = {"add": x + multiplied, "sub": x - multiplied, "rsub": y - multiplied}[name]  # each operation is rounded
    function(x, y, alpha=0.3)
    monkeypatch.setattr(arrays.elementwise, "scaled", None)  # the path that takes two passes
    assert function(x, y, alpha=0.3).equal(expected)
    assert function(x, y.t().contiguous().t(), alpha=0.3).equal(expected)


def test_a_learning_rate_that_changes_at_every_step_compiles_one_kernel():
    x, y, made = torch.ones(LARGE), torch.ones(LARGE), []
    torch.add(x, y, alpha=0.5), x.add_(y, alpha=0.5)
    before = elementwise.compiled
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elementwise, "compiled", lambda *args: made.append(args) or before(*args))
        for step in range(1, 9):
            x.add_(y, alpha=-1 / (step + 1))
            torch.add(x, y, alpha=-1 / (step + 1))
            torch.sub(x, y, alpha=1.0)
    assert len(made) <= 1  # the kernel of a difference
    assert torch.add(x, y, alpha=1).equal(x + y)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("size", [5000, LARGE])
@pytest.mark.parametrize("name", ["add_", "alpha", "less a multiple", "number"])
def test_floats_of_one_dtype_are_written_without_the_general_path(name, size, dtype, monkeypatch):
    calls = {**CALLS, "less a multiple": lambda x, y: x.sub_(y, alpha=3)}
    x, y = torch.linspace(-2, 3, size).to(dtype), torch.linspace(5, 1, size).to(dtype)
    for _ in range(WARMUP // size + 1):
        calls[name](x.clone(), y)
    for function in ("write", "scaled"):  # both functions of the general path
        monkeypatch.setitem(vars(sys.modules[torch.add.__module__]), function, None)
        monkeypatch.setattr(destination, function, None, raising=False)
    expected = {"add_": x + y, "alpha": x - y / 2, "less a multiple": x - 3 * y, "number": 2.5 * x}[name]
    version = x._version
    calls[name](x, y)
    assert x._version == version + 1
    torch.testing.assert_close(x, expected)


def test_a_view_is_written_through():
    x = torch.zeros(4, LARGE)
    x[1].add_(3)
    x.t()[:, 2].sub_(1)
    assert x.sum(1).tolist() == [0.0, 3.0 * LARGE, -1.0 * LARGE, 0.0]


TARGETS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.permute(2, 0, 1),
    "part": lambda x: x[1:-1, :, 2:-3],
    "rows": lambda x: x[::2],
    "columns": lambda x: x[:, :, ::2],
    "row by row": lambda x: x[:, 1],
}
SOURCES = {
    "alike": lambda torch, y: y.clone(),
    "turned": lambda torch, y: y.transpose(0, -1).contiguous().transpose(0, -1),
    "cut": lambda torch, y: torch.cat([y, y], -1)[..., 1::2],
    "backwards": lambda torch, y: y.flip(-1),
    "a row": lambda torch, y: y[0],
    "a column": lambda torch, y: y[..., :1],
    "a number": lambda torch, y: y[(0,) * y.ndim],
    "other dtype": lambda torch, y: (y == 0).double().transpose(0, -1).contiguous().transpose(0, -1),
    "a row of another dtype": lambda torch, y: (y[0] == 0).double(),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bfloat16", "bool", "complex128"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", TARGETS)
def test_values_reach_every_layout(target, source, dtype, threads):
    """By `copy_` and by `x[index] = y`; no other element changes."""
    pytorch = pytest.importorskip("torch", reason="PyTorch is what is compared with")
    results = []
    for library in (torch, pytorch):
        x = (library.arange(767 * 3 * 45) % 3).reshape(767, 3, 45).to(getattr(library, dtype))
        again, y = x.clone(), TARGETS[target](x)
        values = SOURCES[source](library, (library.arange(y.numel()) % 7 - 3).reshape(y.shape).to(x.dtype))
        assert y.copy_(values) is y
        TARGETS[target](again)[:] = values
        results.append([x, again])
    for ours, theirs in zip(*results, strict=True):
        assert (ours.to(torch.complex128).numpy() == theirs.to(pytorch.complex128).numpy()).all()


@pytest.mark.parametrize("source", [*DTYPES, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("target", [*DTYPES, torch.uint8, torch.bool], ids=str)
def test_values_of_another_dtype_are_written_in_every_layout(target, source):
    """A few thousand elements: contiguous, transposed, every second one, and one broadcast row."""
    numbers = torch.linspace(0, 200, 50 * 60).view(50, 60).to(source)
    x = torch.zeros(50, 60, dtype=target)
    expected = numbers.to(target)
    for written, taken, wanted in (
        (x, numbers, expected),
        (x.t(), numbers.t(), expected.t()),
        (x[:, ::2], numbers[:, 1::2], expected[:, 1::2]),
        (x, numbers[3], expected[3].expand(50, 60)),
    ):
        version = x._version
        assert written.copy_(taken) is written and x._version == version + 1
        assert written.equal(wanted)


def test_values_of_another_dtype_are_not_copied_first():
    x, y = torch.zeros(20_000, dtype=torch.float16), torch.linspace(-3, 3, 20_000)
    for _ in range(100):
        x.copy_(y)
    tracemalloc.start()
    x.copy_(y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000 and x.equal(y.half())


def test_nan_is_copied_bit_by_bit():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-40]).repeat(LARGE).reshape(5, -1)
    x.view(torch.int32)[0, 0] = 0x7FC12345
    y = torch.empty(x.shape[::-1])
    y.copy_(x.t())
    assert (y.view(torch.int32) == x.t().contiguous().view(torch.int32)).all()


def test_a_copy_of_mismatched_shape_raises():
    x = torch.zeros(2 * LARGE, 2)
    for values in (torch.ones(3), torch.ones(2, 2 * LARGE), torch.ones(1, 2 * LARGE, 2)):
        with pytest.raises(RuntimeError, match="must match|doesn't match"):
            x.copy_(values)
    assert not x.any()


def test_a_copy_of_overlapping_memory():
    """Copying a matrix to its own transpose reads the old values, or raises."""
    x = torch.arange(300.0 * 300).reshape(300, 300)
    expected = x.t().tolist()
    x.copy_(x.t().clone())
    assert x.tolist() == expected


@pytest.mark.parametrize("value", [1.5, -0.0, float("nan"), float("inf")])
@pytest.mark.parametrize("length", [LARGE, LARGE + 1, 3 * 1024 * 41])
def test_every_element_is_filled(value, length, threads):
    for x in (torch.full((length,), value), torch.empty(length).fill_(value), torch.empty(2, length)[1].fill_(value)):
        assert x.view(torch.int32).unique().tolist() == torch.tensor([value]).view(torch.int32).tolist()
    assert torch.ones(length).eq(1).all()


def test_recorded_operations_take_the_general_path():
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


def test_errors():
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


def test_overwriting_a_saved_value_makes_backward_raise():
    x = torch.ones(LARGE, requires_grad=True)
    factor = torch.full((LARGE,), 2.0)
    y = x * factor
    factor.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.int16, torch.complex64], ids=str)
@pytest.mark.parametrize("size", [3, 40, 300, 700])
def test_zero_writes_only_the_elements_of_the_tensor(size, dtype):
    for part in (lambda x: x, lambda x: x.t(), lambda x: x[1:], lambda x: x[:, ::2], lambda x: x.t()[1:-1, 1:]):
        x = torch.ones(size, size).to(dtype)
        expected = torch.ones(size, size).to(dtype)
        part(expected)[...] = 0
        version = x._version
        part(x).zero_()
        assert torch.equal(x, expected) and x._version > version


@pytest.mark.parametrize("size", [20, 2000, LARGE + 3, PREPARED + 5])
@pytest.mark.parametrize("bounds", [(-0.5, 0.5), (0.0, None), (None, -0.0), (0.5, -0.5), (float("nan"), 1.0)])
def test_clamping_gives_the_same_at_every_size(size, bounds):
    few = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 0.25, -0.75, 1e-40])
    x = few.repeat(size // len(few) + 1)[:size]
    result, expected = x.clone().clamp_(*bounds), few.clamp(*bounds)
    torch.testing.assert_close(result, x.clamp(*bounds), rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(result[: len(few)], expected, rtol=0, atol=0, equal_nan=True)


FORMULAS = {
    "lerp_": lambda x, y: x.lerp_(y, 0.25),
    "addcdiv_": lambda x, y: x.addcdiv_(y, y.exp(), value=0.5),
    "addcmul_": lambda x, y: x.addcmul_(y, y, value=0.5),
    "leaky_relu_": lambda x, y: torch.nn.functional.leaky_relu_(x, 0.1),
    "elu_": lambda x, y: torch.nn.functional.elu_(x, 0.5),
    "silu": lambda x, y: torch.nn.functional.silu(x, inplace=True),
    "threshold_": lambda x, y: torch.nn.functional.threshold_(x, 0.5, -1.0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_computed_in_place(name, dtype):
    """For any number of elements once a kernel pays off, and any layout."""
    calculate = FORMULAS[name]
    for shape in ((40, 1000), (300, 1000)):
        x, y = torch.randn(shape, dtype=dtype), torch.randn(shape, dtype=dtype)
        for one, other in ((x, y), (x.mT, y.mT), (x.mT, y.mT.contiguous()), (x, y[0]), (x, y[:, :1])):
            whole, few = one.clone(), one[:7, :40].clone()
            calculate(few, other.expand(one.shape)[:7, :40])
            for _ in range(50):
                whole.copy_(one)
                version = whole._version
                assert calculate(whole, other) is whole and whole._version == version + 1
            torch.testing.assert_close(whole[:7, :40], few)


@pytest.mark.parametrize("size", [2_000, 40_000, 300_000])
def test_formulas_in_place_make_no_copy(size):
    x, y = torch.randn(size), torch.randn(size)
    for _ in range(WARMUP // size + 50):
        x.lerp_(y, 0.25)
    tracemalloc.start()
    x.lerp_(y, 0.25)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * size


def test_formulas_in_place_refuse_other_dtypes_and_shapes():
    x = torch.ones(200, 200)
    for _ in range(50):
        x.lerp_(torch.ones(200, 200), 0.5)
    with pytest.raises(RuntimeError, match="must match the size|doesn't match the broadcast shape"):
        x.lerp_(torch.ones(3, 200, 200), 0.5)
    with pytest.raises(RuntimeError, match="expected dtype"):
        x.lerp_(torch.ones(200, 200, dtype=torch.float64), 0.5)
    assert (x == 1).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64], ids=str)
@pytest.mark.parametrize("size", [LARGE, 4 * LARGE + 3])
def test_large_tensors_are_clamped_in_place(monkeypatch, dtype, size):
    limited, limit = [], xp.limit
    monkeypatch.setattr(xp, "limit", lambda *arguments: limited.append(1) or limit(*arguments))
    x = (torch.randn(size) * 4).to(dtype)
    if dtype.is_floating_point:
        x[1], x[2], x[3] = float("nan"), float("inf"), -0.0
    expected = torch.where(x < -1, -1, torch.where(x > 2, 2, x)).to(dtype)
    with np.errstate(all="raise"):
        for args in ((-1, 2), (-1, None), (None, 2)):
            version, memory = x._version, x.data_ptr()
            assert x.clamp_(*args) is x and (x._version, x.data_ptr()) == (version + 1, memory)
    torch.testing.assert_close(x, expected, equal_nan=True, rtol=0, atol=0)
    assert len(limited) == (1 if dtype.is_floating_point else 0)

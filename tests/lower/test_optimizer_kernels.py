"""Large parameters are updated by machine code: NumPy's values, in place, compiled once for all steps."""

import importlib
import importlib.util

import numpy as np
import pytest

import rushlight
from rushlight.core.policy import LARGE, MEDIUM, WARMUP, Warmup
from rushlight.lower import ufunc
from rushlight.optim import grouped, kernels

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

METHODS = [
    ("Adam", {}),
    ("Adam", {"weight_decay": 0.1, "maximize": True, "amsgrad": True}),
    ("AdamW", {"betas": (0.4, 0.999)}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {}),
    ("Rprop", {}),
    ("ASGD", {"t0": 3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
]
SIZE = LARGE + 3  # not a multiple of the vector length
TOLERANCE = {"float32": 2e-6, "float64": 1e-13}


@pytest.fixture(autouse=True, scope="module")
def none_are_made_yet():
    """Earlier tests of optimizers may have created the maximum number of kernels."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(kernels, "COMPILED", {})
        yield


def trained(library, method, options, dtype, steps=8):
    """Returns a large parameter and its optimizer after steps with fixed gradients and a changing learning rate."""
    torch = importlib.import_module(library)
    random = np.random.default_rng(0)
    param = torch.tensor(random.standard_normal(SIZE, dtype), requires_grad=True)
    optimizer = getattr(torch.optim, method)([param], **options)
    rate = optimizer.param_groups[0]["lr"]
    for step in range(steps):
        param.grad = torch.tensor(random.standard_normal(SIZE, dtype))
        optimizer.param_groups[0]["lr"] = rate / (step + 1)
        optimizer.step()
    return param.detach().numpy(), optimizer


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("method", "options"), METHODS)
def test_steps_are_those_of_numpy_and_of_pytorch(method, options, dtype, monkeypatch):
    result, optimizer = trained("rushlight", method, options, dtype)
    compiled = [kernel for kernel in optimizer._kernels.found.values() if kernel is not None]
    assert 1 <= len(compiled) <= 2  # RAdam has two formulas, and so has ASGD
    limit = TOLERANCE[dtype]
    monkeypatch.setattr(grouped, "is_ready", lambda size: False)
    np.testing.assert_allclose(result, trained("rushlight", method, options, dtype)[0], rtol=limit, atol=limit)
    if importlib.util.find_spec("torch"):
        np.testing.assert_allclose(result, trained("torch", method, options, dtype)[0], rtol=limit, atol=limit)


def large(**options):
    param = rushlight.zeros(SIZE, requires_grad=True)
    param.grad = rushlight.ones(SIZE)
    return param, rushlight.optim.Adam([param], **options)


def test_parameter_and_state_keep_their_memory():
    param, optimizer = large(lr=0.5)
    optimizer.step()
    state = optimizer.state[param]
    addresses = [tensor.data_ptr() for tensor in (param, state["exp_avg"], state["exp_avg_sq"])]
    optimizer.step()
    assert addresses == [tensor.data_ptr() for tensor in (param, state["exp_avg"], state["exp_avg_sq"])]
    assert param[-1].item() == pytest.approx(-1, abs=1e-3)
    assert state["exp_avg"][0].item() == pytest.approx(1 - 0.9**2)


def test_options_that_change_at_every_step_do_not_compile_each_time():
    param, optimizer = large(lr=0.5)
    for step in range(kernels.MAX_KERNELS + 3):
        optimizer.param_groups[0]["betas"] = (0.5 + 0.01 * step, 0.999)
        optimizer.step()
    assert len(optimizer._kernels.found) == kernels.MAX_KERNELS
    assert param[0].item() == pytest.approx(-0.5 * (kernels.MAX_KERNELS + 3), abs=0.05)


def test_optimizers_of_one_kind_share_their_kernels(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", {})
    for _ in range(5):
        param, optimizer = large(lr=0.5)
        optimizer.step()
    assert len(kernels.COMPILED) == 1
    kept = len(ufunc.KEPT)
    for trial in range(5):
        param, optimizer = large(lr=0.1 * trial + 0.1)
        optimizer.step()
        assert param[0].item() == pytest.approx(-0.1 * trial - 0.1, abs=1e-3)
    assert len(ufunc.KEPT) == kept


def test_options_of_many_optimizers_do_not_compile_each_time(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", {})
    monkeypatch.setattr(kernels, "MAX_SHARED_KERNELS", 2)
    for trial in range(4):
        param, optimizer = large(lr=0.5, weight_decay=0.01 * trial)
        optimizer.step()
        assert param[0].item() == pytest.approx(-0.5, abs=1e-3)
    assert len(kernels.COMPILED) == 2


def test_a_formula_that_inspects_numbers_is_left_to_numpy():
    class Halting(rushlight.optim.Adam):
        def _update(self, F, o, param, gradient, mean, square, largest):
            if o.step > 1:
                return param + 0, mean, square, largest
            return super()._update(F, o, param, gradient, mean, square, largest)

    param = rushlight.zeros(SIZE, requires_grad=True)
    param.grad = rushlight.ones(SIZE)
    optimizer = Halting([param], lr=0.5)
    for _ in range(3):
        optimizer.step()
    assert list(optimizer._kernels.found.values()) == [None]
    assert param[0].item() == pytest.approx(-0.5, abs=1e-3)


def test_a_strided_parameter_is_updated_in_place():
    whole = rushlight.zeros(SIZE, 2)
    param = whole[:, 0].requires_grad_()
    param.grad = rushlight.ones(SIZE)
    rushlight.optim.Adam([param], lr=0.5).step()
    assert whole[0].tolist() == pytest.approx([-0.5, 0], abs=1e-3)
    assert whole[:, 1].abs().sum().item() == 0


def test_small_parameters_use_no_machine_code(monkeypatch):
    monkeypatch.setattr(grouped, "is_ready", lambda: pytest.fail("asked"))
    param = rushlight.zeros(100, requires_grad=True)
    param.grad = rushlight.ones(100)
    rushlight.optim.Adam([param]).step()


def patient(monkeypatch) -> None:
    """Restarts the warmup, as in a program that has not updated medium parameters yet."""
    monkeypatch.setattr(grouped, "WARMUP", Warmup(passes=8))


def test_medium_parameters_use_kernels_when_compiling_pays_off(monkeypatch):
    patient(monkeypatch)
    rushlight.zeros(SIZE).exp()  # loads the kernels
    params = [rushlight.zeros(MEDIUM, requires_grad=True), rushlight.zeros(3, requires_grad=True)]
    optimizer = rushlight.optim.Adam(params, lr=0.5)
    for step in range(WARMUP // (2 * MEDIUM * 8) - 1):
        for param in params:
            param.grad = rushlight.ones_like(param)
        optimizer.step()
        assert "_kernels" not in vars(optimizer), step
    optimizer.step()
    assert len([kernel for kernel in optimizer._kernels.found.values() if kernel]) == 1


def test_a_gradient_in_another_layout_uses_the_kernel(monkeypatch):
    param = rushlight.zeros(SIZE, 2, requires_grad=True)
    param.grad = rushlight.arange(2.0 * SIZE).reshape(2, SIZE).t()
    optimizer = rushlight.optim.SGD([param], lr=1)
    monkeypatch.setattr(optimizer, "_formula", lambda *args: pytest.fail("left to NumPy"))
    optimizer.step()
    assert rushlight.equal(param.detach(), -param.grad)


@pytest.mark.parametrize(
    ("method", "options", "left"), [("AdamW", {}, 3), ("SGD", {}, 3), ("SGD", {"momentum": 0.9}, 2)], ids=str
)  # the first velocities are the gradients
def test_small_parameters_next_to_a_large_one_use_its_kernel(method, options, left, monkeypatch):
    """In place; one with gaps by NumPy."""

    def trained(torch, look=lambda optimizer: None):
        random, whole = np.random.default_rng(0), torch.zeros(5, 2)
        params = [torch.zeros(4, 3), torch.zeros(SIZE), torch.zeros(()), whole[:, 1]]
        optimizer = getattr(torch.optim, method)([param.requires_grad_() for param in params], lr=0.1, **options)
        look(optimizer)
        for _ in range(3):
            for param in params:
                param.grad = torch.tensor(random.standard_normal(param.shape).astype(np.float32))
            optimizer.step()
        assert whole[:, 0].abs().sum().item() == 0
        return [param.detach().numpy() for param in params]

    def watch(optimizer):
        formula = optimizer._formula
        monkeypatch.setattr(optimizer, "_formula", lambda *args: asked.append(args[1][0].size) or formula(*args))

    asked: list[int] = []
    result = trained(rushlight, watch)
    assert asked == [5] * left
    expected = trained(pytest.importorskip("torch", reason="PyTorch is what is compared with"))
    for mine, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-6, atol=2e-6)


def test_the_step_function_is_built_once_until_something_changes(monkeypatch):
    param = rushlight.zeros(SIZE, requires_grad=True)
    param.grad = rushlight.ones(SIZE)
    optimizer = rushlight.optim.SGD([param], lr=0.5)
    optimizer.step()
    made = optimizer._kernels._step
    asked: list[tuple] = []
    monkeypatch.setattr(optimizer._kernels, "_step", lambda *args: asked.append(args) or made(*args))
    for rate in (0.5, 0.5, 0.25, 0.25, 1):
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
    assert len(asked) == 2
    assert param[-1].item() == -3.0

"""Operators on the device `cuda` whose formulas are our kernels, run on the host: against the CPU, and counted."""

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.lower.nvptx import formulas
from rushlight.lower.nvptx.fake_gpu import FakeGpu

from .test_primitives import CHECKS, failure_of

lazy_modules.load_all()
pytestmark = pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta")
OF_ROWS = (*formulas.ALONG_ROWS, formulas.LAYER_NORM, *formulas.LOSSES)
OPERATORS = sorted(
    name for name, op in OPS.items()
    if op.samples is not None and not op.composite and ((op.kind == "elementwise" and not op.view)
                                                         or name in OF_ROWS)
)  # fmt: skip


class CountingGpu(FakeGpu):
    launches = 0

    def loaded(self, kernel):
        launch = super().loaded(kernel)

        def counted(*arguments):
            self.launches += 1
            launch(*arguments)

        return counted


GPU = CountingGpu()  # whose kernels all tests use
FORMULAS = formulas.Formulas(GPU)


@pytest.fixture
def kernels(device):
    device.formulas = FORMULAS
    yield GPU
    device.formulas = None


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_by_kernels_does_what_it_does_on_the_cpu(name, kernels):
    failures = {label: failure for label, check in CHECKS.items() if (failure := failure_of(check, name))}
    assert not failures, "\n".join(f"{label}: {text}" for label, text in failures.items())


def test_a_formula_is_one_launch(kernels):
    x = torch.randn(40, 50, device="cuda")
    norm = torch.nn.LayerNorm(50).cuda()
    for function in (torch.nn.functional.gelu, torch.sin, lambda x: x.softmax(-1), lambda x: x.t().exp(), norm):
        before = kernels.launches
        function(x)
        assert kernels.launches == before + 1


def test_what_no_kernel_fits_is_computed_by_the_language(kernels):
    before = kernels.launches
    x = torch.arange(6, device="cuda").reshape(2, 3)
    assert (x * 2).tolist() == [[0, 2, 4], [6, 8, 10]] and x.float().t().softmax(0).shape == (3, 2)
    assert torch.ones(0, device="cuda").exp().shape == (0,)
    assert kernels.launches == before


def test_launches_are_in_the_order_of_their_streams(kernels):
    x, side = torch.ones(1000, device="cuda"), torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = x.exp().log()
        del x  # the launch keeps its memory
    torch.cuda.current_stream().wait_stream(side)
    torch.testing.assert_close(y.cpu(), torch.ones(1000))


def test_a_training_step_by_kernels_is_that_of_the_cpu(kernels):
    losses = []
    for place in ("cpu", "cuda"):
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4)
        )
        model, x, target = model.to(place), torch.randn(5, 8).to(place), torch.tensor([0, 1, 2, 3, 1]).to(place)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(3):
            loss = torch.nn.functional.cross_entropy(model(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


OPTIMIZERS = [
    (torch.optim.SGD, {"lr": 0.1}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    (torch.optim.Adam, {"amsgrad": True}),
    (torch.optim.AdamW, {}),
    (torch.optim.NAdam, {}),
    (torch.optim.RAdam, {}),
    (torch.optim.RMSprop, {"momentum": 0.9, "centered": True}),
    (torch.optim.Adagrad, {}),
    (torch.optim.Adadelta, {}),
    (torch.optim.Adamax, {}),
    (torch.optim.ASGD, {}),
    (torch.optim.Rprop, {}),
]


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_a_step_of_many_parameters_is_one_launch(kernels, kind, options):
    sizes, results = [(3,), (40, 50), (2, 3, 4), ()], []
    for place in ("cpu", "cuda"):
        torch.manual_seed(0)
        parameters = [torch.randn(size).to(place).requires_grad_() for size in sizes]
        optimizer = kind(parameters, **options)
        for step in range(4):
            for parameter in parameters:
                parameter.grad = (torch.randn(parameter.shape) + step).to(place)
            before, versions = kernels.launches, [parameter._version for parameter in parameters]
            optimizer.step()
            if place == "cuda" and step:
                assert kernels.launches == before + 1
                assert all(p._version > version for p, version in zip(parameters, versions, strict=True))
        results.append([parameter.detach().cpu() for parameter in parameters])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_an_optimizer_without_a_fitting_kernel_steps_by_operators(kernels):
    parameter = torch.randn(4, 3, dtype=torch.float16, device="cuda").t().requires_grad_()
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    parameter.grad = torch.ones_like(parameter)
    before = parameter.detach().clone()
    optimizer.step()
    torch.testing.assert_close(parameter.detach(), before - 0.1)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("ignored", [-100, 1])
@pytest.mark.parametrize("classes", [3, 33, 1500])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_cross_entropy_is_one_kernel_forward_and_one_backward(kernels, dtype, classes, ignored, reduction):
    x, target = torch.randn(6, classes, dtype=dtype) * 3, torch.tensor([0, 1, 2, 1, classes - 1, 0])
    target[3] = ignored
    results = []
    for place in ("cpu", "cuda"):
        leaf = x.to(place).requires_grad_()
        loss = torch.nn.functional.cross_entropy(leaf, target.to(place), ignore_index=ignored, reduction=reduction)
        (gradient,) = torch.autograd.grad(loss.square().sum(), [leaf], create_graph=True)
        (second,) = torch.autograd.grad(gradient.square().sum(), [leaf])
        results.append((loss.detach(), gradient.detach(), second))
    error = 1e-4 if dtype == torch.float32 else 1e-10
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(other.cpu(), one, rtol=error, atol=error)
    operators = FORMULAS.known["cross_entropy_of_rows"], FORMULAS.known["cross_entropy_gradient"]
    assert all(any(call is not None for call in each.rows.known.values()) for each in operators)


def test_cross_entropy_launches_once_where_the_targets_are_checked(kernels):
    x, target = torch.randn(8, 50, device="cuda", requires_grad=True), torch.arange(8, device="cuda")
    F = torch.nn.functional
    F.cross_entropy(x, target, reduction="none")  # compiled
    by_language = F.cross_entropy(x.unsqueeze(2), target.unsqueeze(1), reduction="none")[:, 0]
    before = kernels.launches
    torch.testing.assert_close(F.cross_entropy(x, target, reduction="none"), by_language)
    assert kernels.launches - before < 10
    assert "LogSoftmax" not in repr(F.cross_entropy(x, target, reduction="none").grad_fn.next_functions)
    wrong = target.clone()
    wrong[2] = 50
    with pytest.raises(IndexError, match="Target 50 is out of bounds"):
        F.cross_entropy(x, wrong)


def test_all_targets_ignored_and_none(kernels):
    x = torch.randn(3, 5, device="cuda")
    assert torch.nn.functional.cross_entropy(x, torch.full((3,), -100, device="cuda")).isnan()
    assert torch.nn.functional.cross_entropy(x, torch.full((3,), -100, device="cuda"), reduction="sum").item() == 0
    empty = torch.nn.functional.cross_entropy(x[:0], torch.zeros(0, dtype=torch.int64, device="cuda"), reduction="none")
    assert empty.shape == (0,)

"""Stage 2: small programs as users write them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import rushlight as torch
from rushlight import nn

F = nn.functional
PROGRAMS: list[Callable] = []


def program(function: Callable) -> Callable:
    PROGRAMS.append(function)
    return function


def run(stage, options) -> None:
    for each in stage.each(PROGRAMS):
        with stage.checking(each.__name__):
            torch.manual_seed(0)
            each()


def raises(kind: type[BaseException], words: str, function: Callable) -> None:
    """Asserts that a call raises, with these words."""
    try:
        function()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{kind.__name__} was not raised")


@program
def there_and_back():
    x = torch.arange(12.0).reshape(3, 4)
    y = x.to("cuda")
    assert y.device == torch.device("cuda", 0) and y.is_cuda and not x.is_cuda
    assert torch.equal(y.cpu(), x) and torch.equal(x.cuda().cpu(), x)


@program
def a_view_goes_there_with_its_numbers():
    x = torch.arange(12.0).reshape(3, 4).t()[1:, ::2]
    assert torch.equal(x.cuda().cpu(), x)


@program
def arithmetic():
    x, y = torch.linspace(-2, 2, 100), torch.linspace(1, 3, 100)
    result = (x.cuda() * y.cuda() + 1).exp().sum()
    assert abs(result.item() - (x * y + 1).exp().sum().item()) < 1e-2


@program
def two_devices_in_one_operation():
    x = torch.ones(3)
    raises(RuntimeError, "Expected all tensors to be on the same device", lambda: x.cuda() + x)


@program
def numpy_of_a_tensor_there():
    raises(TypeError, "can't convert cuda:0 device type tensor to numpy", torch.ones(3, device="cuda").numpy)


@program
def detach_cpu_numpy():
    x = torch.ones(3, device="cuda", requires_grad=True)
    np.testing.assert_array_equal((x * 2).detach().cpu().numpy(), [2, 2, 2])


@program
def backward():
    x = torch.linspace(-1, 1, 50, device="cuda", requires_grad=True)
    x.sin().square().sum().backward()
    assert x.grad.is_cuda
    assert torch.allclose(x.grad.cpu(), (2 * x.sin() * x.cos()).detach().cpu(), atol=1e-6)


@program
def a_step_of_sgd():
    model, x = nn.Linear(4, 2).cuda(), torch.ones(8, 4, device="cuda")
    before = model.weight.detach().cpu().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).square().mean().backward()
    optimizer.step()
    assert not torch.equal(before, model.weight.detach().cpu())


@program
def adam_learns_a_line():
    x = torch.linspace(-1, 1, 64, device="cuda").reshape(-1, 1)
    model = nn.Linear(1, 1).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(150):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), 3 * x + 1)
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-3


@program
def one_seed_draws_the_same_numbers():
    torch.manual_seed(5)
    first = torch.rand(100, device="cuda").cpu()
    torch.manual_seed(5)
    assert torch.equal(first, torch.rand(100, device="cuda").cpu())
    assert 0.2 < first.mean().item() < 0.8


@program
def in_place_through_a_view():
    x = torch.zeros(3, 4, device="cuda")
    x[1].add_(2)
    x[:, 0] = 5
    assert x.cpu().tolist() == [[5, 0, 0, 0], [5, 2, 2, 2], [5, 0, 0, 0]]


@program
def indexing():
    x, chosen = torch.arange(10.0, device="cuda"), torch.tensor([3, 1, 3], device="cuda")
    assert x[chosen].cpu().tolist() == [3, 1, 3]
    assert x[x > 7].cpu().tolist() == [8, 9]


@program
def matrices():
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.equal((x.cuda() @ x.t().cuda()).cpu(), x @ x.t())


@program
def softmax_and_cross_entropy():
    x, target = torch.linspace(-2, 2, 12).reshape(3, 4), torch.tensor([0, 3, 1])
    assert torch.allclose(x.cuda().softmax(-1).cpu(), x.softmax(-1), atol=1e-6)
    assert abs(F.cross_entropy(x.cuda(), target.cuda()).item() - F.cross_entropy(x, target).item()) < 1e-5


@program
def convolution():
    layer, x = nn.Conv2d(2, 3, 3, padding=1), torch.linspace(-1, 1, 2 * 5 * 5).reshape(1, 2, 5, 5)
    expected = layer(x)
    assert torch.allclose(layer.cuda()(x.cuda()).cpu(), expected, atol=1e-5)


@program
def batch_norm():
    results = []
    for device in ("cpu", "cuda"):  # of so few elements the variance of a sample is another one
        module, x = nn.BatchNorm2d(3).to(device), torch.linspace(-1, 2, 24).reshape(2, 3, 2, 2).to(device)
        results.append([module(x), module.running_mean, module.running_var, module.eval()(x)])
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other.cpu(), atol=1e-5)


@program
def attention_in_half_precision():
    packed, seen = torch.randn(3, 2, 4, 9, 16).half(), torch.rand(9, 9) > 0.3
    seen[3] = False  # a query that sees no key
    for options in ({}, {"is_causal": True}, {"attn_mask": seen}):
        results = []
        for device in ("cpu", "cuda"):
            leaf, mask = packed.to(device).requires_grad_(), {**options}
            if "attn_mask" in mask:
                mask["attn_mask"] = mask["attn_mask"].to(device)
            result = F.scaled_dot_product_attention(*leaf, **mask)
            results.append([result, *torch.autograd.grad(result.float().pow(2).sum(), leaf)])
        for one, other in zip(*results, strict=True):
            assert torch.allclose(one, other.cpu(), rtol=2e-2, atol=2e-2)


@program
def half_precision():
    x = torch.linspace(-2, 2, 9)
    for dtype in (torch.float16, torch.bfloat16):
        got = (x.cuda().to(dtype) * 2).cpu()
        assert got.dtype == dtype and torch.equal(got, x.to(dtype) * 2)


@program
def state_dict_from_there():
    model, other = nn.Linear(3, 3).cuda(), nn.Linear(3, 3)
    other.load_state_dict(model.state_dict())
    assert torch.equal(other.weight, model.weight.cpu())


@program
def data_from_a_loader():
    data = torch.utils.data.TensorDataset(torch.arange(10.0))
    total = sum(batch.cuda().sum().item() for (batch,) in torch.utils.data.DataLoader(data, batch_size=3))
    assert total == 45


@program
def a_default_device():
    with torch.device("cuda"):
        assert torch.zeros(2).is_cuda and nn.Linear(2, 2).weight.is_cuda
    assert not torch.zeros(2).is_cuda


@program
def copies_to_the_cpu_that_do_not_wait():
    x, kept = torch.arange(1 << 20).cuda(), torch.zeros(1 << 20, dtype=torch.int64).pin_memory()
    copies = [(x * step).to("cpu", non_blocking=True) for step in range(8)]
    kept.copy_(x, non_blocking=True)
    torch.cuda.synchronize()
    assert kept.is_pinned() and torch.equal(kept, x.cpu())
    assert all(torch.equal(each, kept * step) for step, each in enumerate(copies))


def alike(function: Callable, *tensors: torch.Tensor) -> None:
    """Asserts that a function gives the same numbers on both devices, up to rounding."""
    here, there = function(*tensors), function(*(x.cuda() for x in tensors))
    torch.testing.assert_close(there.cpu(), here, rtol=1e-8, atol=1e-8)


@program
def equations_of_one_and_of_many_matrices():
    for batch in ((), (3,), (2, 50)):
        for size in (3, 40, 300):
            A = torch.randn(*batch, size, size, dtype=torch.float64) + size * torch.eye(size, dtype=torch.float64)
            B = torch.randn(*batch, size, 2, dtype=torch.float64)
            alike(torch.linalg.solve, A, B)
            alike(lambda A, B: torch.linalg.solve_triangular(A, B, upper=True), A, B)
            alike(torch.linalg.inv, A)
            alike(lambda A: torch.linalg.cholesky(A @ A.mT), A)
            alike(lambda A: torch.linalg.slogdet(A).logabsdet, A)
            alike(lambda A: torch.linalg.lu(A).P, A)
            alike(lambda A, B: torch.linalg.lstsq(A, B, driver="gels").solution, A[..., : size - 1], B)
            alike(lambda A, B: torch.ormqr(*torch.geqrf(A), B), A, B)


@program
def a_matrix_without_an_inverse():
    zero = torch.zeros(3, 3, device="cuda")
    for function in (torch.linalg.inv, torch.linalg.cholesky):
        raises(torch.linalg.LinAlgError, "linalg", lambda function=function: function(zero))
    raises(
        torch.linalg.LinAlgError,
        "Batch element 1",
        lambda: torch.linalg.inv(torch.stack([zero + zero.new_ones(3).diag(), zero])),
    )


@program
def printing():
    assert repr(torch.tensor([1.5, 2.0], device="cuda")) == "tensor([1.5000, 2.0000], device='cuda:0')"

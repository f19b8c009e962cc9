"""Machine code reads memory: lazy conjugates and negatives must be resolved first.

The file runs as a program of its own: kernels stay loaded, and other tests need NumPy's values.
"""

import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.core.policy import LARGE
from rushlight.testing.comparison import assert_close
from rushlight.testing.unresolved import unresolved

F = torch.nn.functional
ROWS = 256
FUNCTIONS = [
    lambda x: F.gelu(x),
    lambda x: torch.tanh(x) * x,
    lambda x: x + x.flip(0),
    lambda x: x.pow(3) - 2,
    lambda x: torch.where(x > 1, x, 0.1 * x),
    lambda x: x.softmax(-1),
    lambda x: F.log_softmax(x, -1),
    lambda x: F.layer_norm(x, x.shape[-1:]),
    lambda x: F.batch_norm(x, None, None, training=True),
    lambda x: x.sum(0),
    lambda x: x.mean(-1),
    lambda x: x.amax(-1),
    lambda x: x.logsumexp(-1),
    lambda x: x.var(),
    lambda x: x.cumsum(-1),
    lambda x: x.sort(-1)[0],
    lambda x: x[torch.arange(ROWS).flip(0)],
    lambda x: torch.cat([x, x], 1),
    lambda x: x.t().contiguous(),
    lambda x: x.double(),
    lambda x: F.embedding(torch.arange(2, ROWS), x),
    lambda x: x.gather(1, x.detach().argsort(-1)),
    lambda x: F.linear(x[:8], x[8:20]),
    lambda x: x[:16] @ x[:16].t(),
    lambda x: F.max_pool2d(x.view(1, 1, ROWS, -1), 2),
    lambda x: F.conv2d(x.view(1, 1, ROWS, -1), x[:3, :3].reshape(1, 1, 3, 3)),
    lambda x: F.scaled_dot_product_attention(*[x.view(1, 1, -1, 16)[:, :, i : i + 128] for i in (0, 128, 256)]),
    lambda x: F.cross_entropy(x, torch.arange(ROWS) % x.shape[1]),
    lambda x: F.mse_loss(x, x.detach().roll(1, 0)),
]


def numbers():
    """Large enough for machine code."""
    torch.manual_seed(0)
    return torch.rand(ROWS, 2 * LARGE // ROWS) + 0.5


def check_values_and_gradients():
    x = numbers()
    for function in FUNCTIONS:
        leaves = [x.clone().requires_grad_() for _ in range(2)]
        plain, seen = function(leaves[0]), function(unresolved(leaves[1]))
        assert_close(seen, plain, rtol=1e-5, atol=1e-5)
        weight = torch.rand_like(plain)
        plain.backward(weight)
        seen.backward(unresolved(weight))
        assert_close(leaves[1].grad, leaves[0].grad, rtol=1e-5, atol=1e-5)


def check_conjugates():
    x = numbers()
    z = torch.complex(x, x.flip(0))
    for function, *rest in ((torch.exp,), (torch.cumsum, 0), (torch.sum,), (torch.mul, z)):
        assert_close(function(unresolved(z), *rest), function(z, *rest))


def check_writes_in_place():
    x = numbers()
    seen = unresolved(x)
    memory = seen._neg_view()
    seen.mul_(3).add_(x)
    assert_close(seen, 4 * x)
    assert_close(memory, -4 * x)


def check_an_optimizer():
    x = numbers()
    plain, turned = (torch.nn.Parameter(x.clone()) for _ in range(2))
    plain.grad, turned.grad = x.clone(), unresolved(x)
    for array in (plain, turned):
        torch.optim.Adam([array]).step()
    assert_close(turned, plain)


CHECKS = [check_values_and_gradients, check_conjugates, check_writes_in_place, check_an_optimizer]


def test_kernels_read_resolved_values():
    pytest.importorskip("llvmlite", reason="the extra jit is not installed")
    done = subprocess.run([sys.executable, "-W", "error", __file__], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["machine", "code:", "True"]


if __name__ == "__main__":
    for check in CHECKS:
        check()
    print("machine code:", "llvmlite" in sys.modules)

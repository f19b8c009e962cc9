"""The doctor's self-test: small programs with known results, each a function of the library."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Check = Callable[[Any], str]  # returns its finding in a few words, or raises


def seconds_of(step: Callable[[], object], runs: int) -> float:
    """Returns the best time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def normal(torch: Any, *shape: int) -> Any:
    return torch.tensor(np.random.default_rng(0).standard_normal(shape, "float32"))


def matrix_products(torch: Any) -> str:
    x = normal(torch, 1024, 1024)
    exact = x.numpy()[:8].astype("float64") @ x.numpy().astype("float64")
    np.testing.assert_allclose((x @ x)[:8].numpy(), exact, rtol=1e-3, atol=1e-3)
    return f"{2 * 1024**3 / seconds_of(lambda: x @ x, 5) / 1e9:.0f} GFLOP/s in float32"


def memory(torch: Any) -> str:
    x, y = normal(torch, 1 << 22), torch.ones(1 << 22)
    np.testing.assert_array_equal((x + y).numpy(), x.numpy() + 1)
    return f"{3 * 4 * (1 << 22) / seconds_of(lambda: x + y, 5) / 1e9:.1f} GB/s in x + y of 16 MB each"


def small_tensors(torch: Any) -> str:
    x = torch.ones(4, requires_grad=True)

    def thousand() -> Any:
        for _ in range(1000):
            y = x + x
        return y

    assert thousand().tolist() == [2.0] * 4
    return f"{1e3 * seconds_of(thousand, 5):.2f} us for a recorded x + x of 4"


def large_arrays(torch: Any) -> str:
    """Formulas over a large array, possibly compiled, against NumPy in double precision."""
    x = torch.linspace(-5, 5, 1 << 20)
    exact = np.tanh(np.sin(x.numpy().astype("float64")))
    difference = float(np.abs(torch.tanh(torch.sin(x)).numpy() - exact).max())
    assert difference < 1e-6, f"tanh(sin(x)) is wrong by {difference}"
    return f"tanh(sin(x)) is right to {difference:.0e}"


def gradients(torch: Any) -> str:
    """Derivatives against finite differences, in double precision."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).double()
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)

    def loss(x: Any) -> Any:
        return torch.logsumexp(network(x) * x.sum(), dim=1)

    assert torch.autograd.gradcheck(loss, (x,)) and torch.autograd.gradgradcheck(loss, (x,))
    return "agree with finite differences, twice"


def random_stream(torch: Any) -> str:
    """The first random numbers of PyTorch's generator from seed 0."""
    torch.manual_seed(0)
    np.testing.assert_allclose(torch.rand(3).numpy(), [0.4962566, 0.7682218, 0.0884774], atol=1e-6)
    torch.manual_seed(0)
    np.testing.assert_allclose(torch.randn(3).numpy(), [1.5409961, -0.2934289, -2.1787894], atol=1e-6)
    return "seed 0 gives PyTorch's numbers"


def training(torch: Any) -> str:
    """Exclusive or, which a linear model cannot learn."""
    torch.manual_seed(0)
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.01, f"the loss is still {loss.item()}"
    return f"a loss of {loss.item():.0e} for exclusive or"


def save_and_load(torch: Any) -> str:
    state = torch.nn.Linear(3, 2).state_dict()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "state.pt")
        torch.save(state, file)
        loaded = torch.load(file, weights_only=True)
        size = file.stat().st_size
    assert list(loaded) == list(state) and all(torch.equal(loaded[name], state[name]) for name in state)
    return f"a state dict came back from {size} bytes"


def worker_processes(torch: Any) -> str:
    data = torch.utils.data
    loader = data.DataLoader(data.TensorDataset(torch.arange(64)), 16, num_workers=2, timeout=30)
    assert sum(int(batch.sum()) for (batch,) in loader) == 63 * 32
    return "2 workers loaded 64 samples"


CHECKS: list[Check] = [
    small_tensors,
    matrix_products,
    memory,
    large_arrays,
    gradients,
    random_stream,
    training,
    save_and_load,
    worker_processes,
]

"""How much longer a program takes under `rushlight.watch()`: small loops with it and without, in turns."""

import argparse
import sys
import time

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

BOUND = 1.5
STEPS = 300


def training():
    """A network of two layers on eight samples: everything that a watch looks at, and hardly any numbers."""
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(8, 4), torch.randn(8, 1)

    def run():
        for _ in range(STEPS):
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()

    return run


def chains():
    """Forty operations on three numbers, then backward."""
    x = torch.randn(3, requires_grad=True)

    def run():
        for _ in range(STEPS // 5):
            y = x
            for _ in range(20):
                y = y * x + x
            y.sum().backward()
        x.grad = None

    return run


def without_history():
    """Operations that nothing is recorded of."""
    x, y = torch.randn(3), torch.randn(3)

    def run():
        for _ in range(10 * STEPS):
            x * y + x

    return run


PROGRAMS = (training, chains, without_history)


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def best_seconds(run, rounds):
    """The best time without a watch and with one."""
    plain, watched = [], []
    for _ in range(rounds):
        plain.append(seconds(run))
        with torch.watch() as watch:
            run()
            watched.append(seconds(run))
        assert watch.findings == []
    return min(plain), min(watched)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--check", action="store_true", help=f"fail if a ratio is over {BOUND}")
    options = parser.parse_args()
    torch.manual_seed(0)
    worst = 0.0
    for make in PROGRAMS:
        run = make()
        run()
        plain, watched = best_seconds(run, options.rounds)
        worst = max(worst, watched / plain)
        print(f"{make.__name__:<18}{1000 * plain:8.1f} ms{1000 * watched:8.1f} ms watched{watched / plain:8.2f}")
    print(f"bound {BOUND}")
    return int(options.check and worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())

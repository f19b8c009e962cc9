"""Small tensors: rushlight and PyTorch in one process, taking turns, on programs where overhead is all there is.

Each program is written once and run by both. Before it is timed, both must give the same gradients. A row of the table
shows the best time of each, the ratio of the bests, and the median of the ratios of the single turns; with --check the
exit status is 1 if either ratio is over its bound.
"""

import argparse
import statistics
import sys
import time
from typing import NamedTuple

import numpy as np
import torch
from import_time import BOUND as IMPORT_BOUND
from import_time import best_import_seconds

import rushlight

BOUND = 0.6
SECONDS_PER_TURN = 0.01


def tracked_add(torch):
    """One recorded add of four elements."""
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = torch.tensor([0.5, 0.5, 0.5, 0.5], requires_grad=True)
    return [x, y], lambda: x + y


def chain_of_20(torch):
    """Twenty ops on four elements, forward and backward."""
    x = torch.tensor([0.1, -0.2, 0.3, -0.4], requires_grad=True)
    w = torch.tensor([1.1, 0.9, -1.2, 0.8], requires_grad=True)

    def step():
        x.grad = w.grad = None
        y = x
        for _ in range(4):
            y = (y * w + x).tanh() - w
        loss = (y * 0.5).exp().sigmoid().sum()
        loss.backward()

    return [x, w], step


def rnn_cell(torch):
    """The two products of a recurrent cell and its tanh, forward and backward."""
    random = np.random.default_rng(0)
    shapes = [(20, 20), (20, 10), (1, 10), (1, 20)]
    w_h, w_x, x, prev_h = (torch.tensor(random.normal(0, 0.3, shape).astype("float32")) for shape in shapes)
    w_h.requires_grad_()
    w_x.requires_grad_()

    def step():
        w_h.grad = w_x.grad = None
        h2h = torch.mm(w_h, prev_h.t())  # (20, 1)
        i2h = torch.mm(w_x, x.t())  # (20, 1)
        next_h = (h2h + i2h).tanh()
        next_h.sum().backward()

    return [w_h, w_x], step


def euler_100_steps(torch):
    """A hundred Euler steps of logistic growth on 0-d tensors, forward and backward."""
    start = torch.tensor(0.1, requires_grad=True)
    rate = torch.tensor(1.5, requires_grad=True)
    dt = 0.01

    def step():
        start.grad = rate.grad = None
        x = start
        for _ in range(100):
            x = x + dt * (rate * x * (1 - x))
        x.backward()

    return [start, rate], step


PROGRAMS = [tracked_add, chain_of_20, rnn_cell, euler_100_steps]


class Row(NamedTuple):
    """One line of the table: seconds of each side, and the two ratios that are held against the bound."""

    name: str
    ours: float
    theirs: float
    best: float
    median: float
    bound: float

    @property
    def is_over(self):
        return max(self.best, self.median) > self.bound

    def __str__(self):
        cells = f"{1e6 * self.ours:12.2f}{1e6 * self.theirs:12.2f}{self.best:9.2f}{self.median:9.2f}{self.bound:9.2f}"
        return f"{self.name:<18}{cells}{'  over its bound' if self.is_over else ''}"


def gradients(torch, program):
    leaves, step = program(torch)
    out = step()
    if out is not None:
        out.sum().backward()
    return [leaf.grad.numpy() for leaf in leaves]


def refuse_if_different(program):
    """A time counts only if both sides compute the same."""
    for ours, theirs in zip(gradients(rushlight, program), gradients(torch, program), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def seconds(step, number):
    start = time.perf_counter()
    for _ in range(number):
        step()
    return (time.perf_counter() - start) / number


def runs_per_turn(step):
    """How many runs of a step fill a turn; the first runs warm it up."""
    seconds(step, 20)
    return max(1, round(SECONDS_PER_TURN / seconds(step, 20)))


def measure(program, rounds):
    refuse_if_different(program)
    steps = [program(module)[1] for module in (rushlight, torch)]
    numbers = [runs_per_turn(step) for step in steps]
    turns = [[seconds(step, number) for step, number in zip(steps, numbers, strict=True)] for _ in range(rounds)]
    ours, theirs = (min(times) for times in zip(*turns, strict=True))
    median = statistics.median(our / their for our, their in turns)
    return Row(program.__name__, ours, theirs, ours / theirs, median, BOUND)


def measure_import(rounds):
    """`import rushlight`; the other side is `import numpy`."""
    best = best_import_seconds(["rushlight", "numpy"], rounds)
    ratio = best["rushlight"] / best["numpy"]
    return Row("import (to numpy)", best["rushlight"], best["numpy"], ratio, ratio, IMPORT_BOUND)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50, help="turns of each side per program (50)")
    parser.add_argument("--check", action="store_true", help="fail if a ratio is over its bound")
    return parser.parse_args()


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    print(f"{'':<18}{'rushlight us':>12}{'other us':>12}{'best':>9}{'median':>9}{'bound':>9}")
    rows = []
    for program in PROGRAMS:
        rows.append(measure(program, options.rounds))
        print(rows[-1])
    rows.append(measure_import(10))
    print(rows[-1])
    return int(options.check and any(row.is_over for row in rows))


if __name__ == "__main__":
    sys.exit(main())

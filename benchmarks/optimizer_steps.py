"""Steps of optimizers over 200 parameters of 1,000 elements: rushlight and PyTorch in one process, taking turns.

The gradients are given, so that the step alone is timed. Before that, five steps of both must give the same parameters.
The table and --check are those of `small_tensors.py`.
"""

import statistics
import sys

import numpy as np
import torch
from small_tensors import Row, parse_arguments, runs_per_turn, seconds

import rushlight

PARAMETERS, ELEMENTS = 200, 1000

BOUND = 0.5

# Name of the row, optimizer, options.
STEPS = [
    ("SGD", "SGD", {"lr": 0.01}),
    ("SGD, momentum", "SGD", {"lr": 0.01, "momentum": 0.9}),
    ("Adam", "Adam", {}),
    ("AdamW, amsgrad", "AdamW", {"amsgrad": True}),
    ("RMSprop", "RMSprop", {}),
]


def prepared(module, name, options):
    """An optimizer whose parameters have gradients."""
    random = np.random.default_rng(0)
    drawn = random.normal(size=(2, PARAMETERS, ELEMENTS)).astype("float32")
    params = [module.tensor(each, requires_grad=True) for each in drawn[0]]
    for param, gradient in zip(params, drawn[1], strict=True):
        param.grad = module.tensor(gradient)
    return params, getattr(module.optim, name)(params, **options)


def refuse_if_different(name, options):
    found = []
    for module in (rushlight, torch):
        params, optimizer = prepared(module, name, options)
        for _ in range(5):
            optimizer.step()
        found.append([param.detach().numpy() for param in params])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)


def measure(row, name, options, rounds):
    refuse_if_different(name, options)
    steps = [prepared(module, name, options)[1].step for module in (rushlight, torch)]
    numbers = [runs_per_turn(step) for step in steps]
    turns = [[seconds(step, number) for step, number in zip(steps, numbers, strict=True)] for _ in range(rounds)]
    ours, theirs = (min(times) for times in zip(*turns, strict=True))
    return Row(row, ours, theirs, ours / theirs, statistics.median(our / their for our, their in turns), BOUND)


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    rows = []
    for row, name, keywords in STEPS:
        rows.append(measure(row, name, keywords, options.rounds))
        print(rows[-1])
    return int(options.check and any(row.is_over for row in rows))


if __name__ == "__main__":
    sys.exit(main())

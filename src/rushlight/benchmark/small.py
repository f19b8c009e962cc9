"""Tiny tensors, whose time is all overhead."""

from __future__ import annotations

import numpy as np

from rushlight.benchmark.case import Floor, case

BOUND = 0.5


@case(BOUND, Floor(calls=1))
def tracked_add(torch):
    """One recorded add of 4 elements."""
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = torch.tensor([0.5, 0.5, 0.5, 0.5], requires_grad=True)
    return lambda: x + y


@case(BOUND, Floor(calls=44))
def chain_of_20(torch):
    """Twenty ops on 4 elements, forward and backward."""
    x = torch.tensor([0.1, -0.2, 0.3, -0.4], requires_grad=True)
    w = torch.tensor([1.1, 0.9, -1.2, 0.8], requires_grad=True)

    def step():
        x.grad = w.grad = None
        y = x
        for _ in range(4):
            y = (y * w + x).tanh() - w
        (y * 0.5).exp().sigmoid().sum().backward()
        return x.grad, w.grad

    return step


@case(BOUND, Floor(calls=10))
def rnn_cell(torch):
    """The products of a recurrent cell and its tanh, forward and backward."""
    random = np.random.default_rng(0)
    shapes = [(20, 20), (20, 10), (1, 10), (1, 20)]
    w_h, w_x, x, prev_h = (torch.tensor(random.normal(0, 0.3, shape).astype("float32")) for shape in shapes)
    w_h.requires_grad_()
    w_x.requires_grad_()

    def step():
        w_h.grad = w_x.grad = None
        h2h = torch.mm(w_h, prev_h.t())  # (20, 1)
        i2h = torch.mm(w_x, x.t())  # (20, 1)
        (h2h + i2h).tanh().sum().backward()
        return w_h.grad, w_x.grad

    return step


@case(BOUND, Floor(calls=1300))
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
        return start.grad, rate.grad

    return step


@case(BOUND, Floor(calls=50 * 25))
def rosenbrock_hessian(torch):
    """The Hessian of Rosenbrock's function of 50 numbers, row by row by double backward."""
    x = torch.linspace(-1, 1, 50, requires_grad=True)

    def step():
        value = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        (slope,) = torch.autograd.grad(value, x, create_graph=True)  # (50,)
        rows = [torch.autograd.grad(slope[i], x, retain_graph=True)[0] for i in range(50)]
        return torch.stack(rows)

    return step


@case(BOUND, Floor(calls=100))
def element_reads(torch):
    """A hundred reads of `x[i]` in a loop."""
    x = torch.linspace(-1, 1, 100)

    def step():
        for i in range(100):
            last = x[i]
        return last

    return step


@case(BOUND, Floor(calls=100))
def tracked_reads(torch):
    """A hundred reads of `x[i]` of a tensor that requires grad."""
    x = torch.linspace(-1, 1, 100, requires_grad=True)

    def step():
        for i in range(100):
            last = x[i]
        return last

    return step


@case(BOUND)
def hundred_items(torch):
    """A hundred times `x.item()`."""
    x = torch.tensor(1.5)

    def step():
        for _ in range(100):
            value = x.item()
        return value

    return step


@case(BOUND, Floor(calls=5))
def small_network(torch):
    """Two layers of 8 and a tanh without gradients, batch 1."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x = torch.ones(1, 8)

    def step():
        with torch.no_grad():
            return network(x)

    return step


@case(BOUND)
def zero_grad(torch):
    """`zero_grad` of 40 parameters that have gradients."""
    parameters = [torch.ones(4, requires_grad=True) for _ in range(40)]
    gradients = [torch.ones(4) for _ in parameters]
    optimizer = torch.optim.SGD(parameters, lr=0.1)

    def step():
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        optimizer.zero_grad()
        return sum(parameter.grad is None for parameter in parameters)

    return step


CASES = [
    tracked_add,
    chain_of_20,
    rnn_cell,
    euler_100_steps,
    rosenbrock_hessian,
    element_reads,
    tracked_reads,
    hundred_items,
    small_network,
    zero_grad,
]

"""Cases of `torch.compile`: the same programs as functions that are compiled here, and run as written in PyTorch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rushlight.benchmark import small, training
from rushlight.benchmark.case import Case, case
from rushlight.benchmark.pointwise import normal
from rushlight.benchmark.training import whole_numbers
from rushlight.benchmark.transforms import rosenbrock

TINY, LARGE = 0.1, 0.6
FOUR_MILLION = 4 << 20


def compiled(torch, step):
    """Returns a step compiled by rushlight; PyTorch runs it as written."""
    return torch.compile(step) if torch.__name__ == "rushlight" else step


def of(base: Case, bound: float, name: str) -> Case:
    """Returns a case whose step is compiled."""
    return replace(
        base,
        name=f"compiled_{name}",
        program=lambda torch: compiled(torch, base.program(torch)),
        words=f"{base.words}, compiled",
        bound=bound,
    )


@case(TINY)
def compiled_jvp(torch):
    """The jvp of a tanh network of three layers of 64, compiled."""
    torch.manual_seed(0)
    layers = [layer for _ in range(3) for layer in (torch.nn.Linear(64, 64), torch.nn.Tanh())]
    network = torch.nn.Sequential(*layers).requires_grad_(False)
    x, tangent = normal(torch, 64), normal(torch, 64)
    return compiled(torch, lambda: torch.func.jvp(network, (x,), (tangent,)))


@case(TINY)
def compiled_hessian(torch):
    """The Hessian of Rosenbrock's function of 50 numbers, compiled."""
    x, hessian = torch.linspace(-1, 1, 50), torch.func.jacfwd(torch.func.jacrev(rosenbrock))
    return compiled(torch, lambda: hessian(x))


def trained(torch, model, optimizer, loss_of):
    """Returns a compiled step of training; its result is the loss."""

    def step():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        return loss

    return compiled(torch, step)


@case(TINY)
def compiled_small_mlp(torch):
    """A step of SGD of an MLP 16-32-32-4, batch 16, compiled."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
    x, target = normal(torch, 16, 16), whole_numbers(torch, 4, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    return trained(torch, model, optimizer, lambda model: nn.functional.cross_entropy(model(x), target))


@case(TINY)
def compiled_adam(torch):
    """A step of Adam over 200 parameters of 4 x 4, compiled."""
    random = np.random.default_rng(0)
    weights = [torch.tensor(random.normal(0, 1, (4, 4)).astype("float32")).requires_grad_() for _ in range(200)]
    for weight in weights:
        weight.grad = torch.ones(4, 4)
    optimizer = torch.optim.Adam(weights, lr=1e-4)

    def step():
        optimizer.step()
        return weights[0]

    return compiled(torch, step)


@case(TINY)
def compiled_pinn(torch):
    """A step of Adam of a PINN (4 layers of 32, 256 points, u_xx by double backward), compiled."""
    torch.manual_seed(0)
    nn = torch.nn
    widths = [1, 32, 32, 32, 32, 1]
    layers = [layer for i in range(5) for layer in (nn.Linear(widths[i], widths[i + 1]), nn.Tanh())][:-1]
    model = nn.Sequential(*layers)
    x = torch.linspace(0, 1, 256).reshape(256, 1).requires_grad_()

    def residual(model):
        u = model(x)
        (u_x,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
        return ((u_xx + u) ** 2).mean()

    return trained(torch, model, torch.optim.Adam(model.parameters(), lr=1e-4), residual)


@case(0.8, tolerance=1e-3)
def compiled_gan(torch):
    """A step of a GAN: discriminator and generator of 64-128-128-64, batch 64, two steps of Adam, compiled."""
    torch.manual_seed(0)
    nn = torch.nn
    generator, discriminator = (
        nn.Sequential(
            nn.Linear(64, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, end)
        )
        for end in (64, 1)
    )
    of_generator, of_discriminator = (
        torch.optim.Adam(net.parameters(), lr=1e-4, betas=(0.5, 0.999)) for net in (generator, discriminator)
    )
    real, noise = normal(torch, 64, 64), normal(torch, 64, 64)
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
    loss_of = nn.BCEWithLogitsLoss()

    def step():
        made = generator(noise)  # (64, 64)
        of_discriminator.zero_grad()
        loss = loss_of(discriminator(real), ones) + loss_of(discriminator(made.detach()), zeros)
        loss.backward()
        of_discriminator.step()
        of_generator.zero_grad()
        loss_of_generator = loss_of(discriminator(made), ones)
        loss_of_generator.backward()
        of_generator.step()
        return loss, loss_of_generator

    return compiled(torch, step)


def pointwise_pass(torch, function, *leaves):
    """Returns a compiled step that computes a function of large tensors, and its gradients."""

    def step():
        for leaf in leaves:
            leaf.grad = None
        function(*leaves).backward()
        return [leaf.grad for leaf in leaves]

    return compiled(torch, step)


@case(LARGE)
def compiled_chain_4m(torch):
    """A chain of pointwise operations on 4M numbers, forward and backward, compiled."""
    x, w = normal(torch, FOUR_MILLION, requires_grad=True), normal(torch, FOUR_MILLION, requires_grad=True)
    return pointwise_pass(torch, lambda x, w: ((x * w + x).tanh() * torch.sigmoid(w) - x).sum(), x, w)


@case(LARGE)
def compiled_gated_sum(torch):
    """A gated sum of 4M numbers, forward and backward, compiled."""
    x, w = normal(torch, FOUR_MILLION, requires_grad=True), normal(torch, FOUR_MILLION, requires_grad=True)
    return pointwise_pass(torch, lambda x, w: (torch.sigmoid(x) * torch.tanh(w)).sum(), x, w)


@case(LARGE)
def compiled_entropy(torch):
    """Cross-entropy of 4096 rows of 1024, forward and backward, compiled."""
    scores, target = normal(torch, 4096, 1024, requires_grad=True), whole_numbers(torch, 1024, 4096)
    return pointwise_pass(torch, lambda x: torch.nn.functional.cross_entropy(x, target), scores)


@case(LARGE)
def compiled_layer_norm(torch):
    """Layer norm of 4096 rows of 1024, forward and backward, compiled."""
    x = normal(torch, 4096, 1024, requires_grad=True)
    weight, bias = normal(torch, 1024, requires_grad=True), normal(torch, 1024, requires_grad=True)

    def function(x, weight, bias):
        return (torch.nn.functional.layer_norm(x, (1024,), weight, bias) ** 2).sum()

    return pointwise_pass(torch, function, x, weight, bias)


CASES = [
    of(small.chain_of_20, TINY, "chain_20"),
    of(small.rnn_cell, TINY, "rnn_cell"),
    of(small.euler_100_steps, TINY, "euler"),
    compiled_jvp,
    compiled_hessian,
    compiled_adam,
    compiled_pinn,
    compiled_small_mlp,
    compiled_chain_4m,
    compiled_gated_sum,
    compiled_entropy,
    compiled_layer_norm,
    of(training.mlp_step, 0.72, "mlp_step"),
    of(training.gpt_step, 0.72, "gpt_step"),
    of(training.lstm_step, 0.8, "lstm_step"),
    of(training.cnn_step, 0.8, "cnn_step"),
    compiled_gan,
    of(training.gpt_generation, 0.45, "generation"),
]

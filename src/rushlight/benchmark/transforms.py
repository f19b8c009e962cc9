"""Cases of `torch.func`: per-sample gradients, Jacobians, Hessians, forward mode, and `vmap` of a small function."""

from __future__ import annotations

from rushlight.benchmark.case import case
from rushlight.benchmark.models import CONTEXT, LETTERS, gpt

JACOBIANS = 0.3


@case(0.5)
def sample_gradients(torch):
    """The gradients of an MLP for each of 64 samples, by vmap of grad."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    parameters = {name: tensor.detach() for name, tensor in network.named_parameters()}
    images, labels = torch.randn(64, 64), torch.randint(10, (64,))

    def loss(parameters, image, label):
        scores = torch.func.functional_call(network, parameters, (image,))  # (10,)
        return torch.nn.functional.cross_entropy(scores, label)

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: list(gradients(parameters, images, labels).values())


def fifty_to_fifty(torch):
    """Returns an MLP from 50 numbers to 50, and its argument."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(50, 50), torch.nn.Tanh(), torch.nn.Linear(50, 50))
    network.requires_grad_(False)
    return network, torch.linspace(-1, 1, 50)


@case(JACOBIANS)
def forward_jacobian(torch):
    """The Jacobian of an MLP from 50 numbers to 50, by forward mode."""
    network, x = fifty_to_fifty(torch)
    jacobian = torch.func.jacfwd(network)
    return lambda: jacobian(x)


@case(JACOBIANS)
def reverse_jacobian(torch):
    """The Jacobian of an MLP from 50 numbers to 50, by reverse mode."""
    network, x = fifty_to_fifty(torch)
    jacobian = torch.func.jacrev(network)
    return lambda: jacobian(x)


def rosenbrock(x):
    """Rosenbrock's function, https://en.wikipedia.org/wiki/Rosenbrock_function."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@case(JACOBIANS)
def hessian_jacfwd(torch):
    """The Hessian of Rosenbrock's function of 50 numbers, forward over reverse."""
    x, hessian = torch.linspace(-1, 1, 50), torch.func.jacfwd(torch.func.jacrev(rosenbrock))
    return lambda: hessian(x)


@case(JACOBIANS)
def hessian_by_vmap(torch):
    """The same Hessian, by vmap over the rows of the identity."""
    x, rows = torch.linspace(-1, 1, 50), torch.eye(50)

    def product(row):
        return torch.func.jvp(torch.func.grad(rosenbrock), (x,), (row,))[1]

    products = torch.func.vmap(product)
    return lambda: products(rows)


@case(0.7)
def jvp_of_gpt(torch):
    """A derivative of a GPT of 4 layers along its embeddings, by forward mode."""
    torch.manual_seed(0)
    network = gpt(torch).requires_grad_(False)
    ids = torch.randint(LETTERS, (4, CONTEXT))
    x = network.letters(ids)  # (batch, time, width)
    tangent = torch.randn_like(x)

    attention = torch.nn.attention  # PyTorch's fused attention has no forward mode

    def blocks(x):
        return network.head(network.norm(network.blocks(x)))

    def step():
        with attention.sdpa_kernel(attention.SDPBackend.MATH):
            return torch.func.jvp(blocks, (x,), (tangent,))

    return step


@case(0.7)
def vmap_of_rows(torch):
    """A small function of each of 10,000 rows of 8, by vmap."""
    rows, weight = torch.linspace(-1, 1, 80_000).reshape(10_000, 8), torch.linspace(0, 1, 8)

    def score(row):
        return torch.tanh(row * weight).sum() + row.max()

    scores = torch.func.vmap(score)
    return lambda: scores(rows)


CASES = [
    sample_gradients,
    forward_jacobian,
    reverse_jacobian,
    hessian_jacfwd,
    hessian_by_vmap,
    jvp_of_gpt,
    vmap_of_rows,
]

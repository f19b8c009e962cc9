"""Random draws from the elements of a tensor, recorded with zero derivatives.

PyTorch's derivatives of draws are zeros, so that a loss that contains a draw can be differentiated.
"""

from __future__ import annotations

from rushlight.declarations.checks.arithmetic import no_derivative_of
from rushlight.declarations.declare import face, op

# In place, what the tensor had before is a parameter too.
IN_PLACE = {
    "bernoulli_": "BernoulliBackward2", "cauchy_": "CauchyBackward0", "exponential_": "ExponentialBackward0",
    "geometric_": "GeometricBackward0", "log_normal_": "LogNormalBackward0", "normal_": "NormalBackward0",
    "random_": "RandomBackward2", "random_ below": "RandomBackward1", "random_ between": "RandomBackward0",
    "uniform_": "UniformBackward0",
}  # fmt: skip
NODES = {
    "bernoulli": "BernoulliBackward0", "bernoulli_ each": "BernoulliBackward1", "normal": "NormalBackward3",
    "normal around": "NormalBackward1", "normal within": "NormalBackward2", "poisson": "PoissonBackward0", **IN_PLACE,
}  # fmt: skip


@op(internal=True, exact=True)
class drawn:
    """A copy of `values`, drawn from a distribution with the parameters given."""

    def forward(xp, parameters: Tensors, values: Constant, distribution):
        return xp.copy(values)

    def d_parameters(F, g, parameters_shapes):
        return [F.new_zeros_of(g, each) for each in parameters_shapes]

    def jvp(F, parameters_t, out):
        return F.zeros_of(out)

    samples = lambda r: [
        ([r(2, 3)], r(2, 3).detach(), "bernoulli"), ([r()], r().detach(), "poisson"),
        ([r(3)], r(3).detach(), "normal around"), ([r(3)], r(3).detach(), "normal within"),
        ([r(2, 3), r(3)], r(2, 3).detach(), "normal"), ([r(2, 3), r(3)], r(2, 3).detach(), "bernoulli_ each"),
        *[([r(2, 3)], r(2, 3).detach(), name) for name in IN_PLACE],
    ]  # fmt: skip


face(drawn, node="{" + ", ".join([f"'{name}': {node}" for name, node in NODES.items()]) + "}[distribution]")


@op(internal=True, exact=True)
class undifferentiated:
    """A copy of `values`, which `function` made from the parameters, and whose derivative PyTorch does not have."""

    def forward(xp, parameters: Tensors, values: Constant, function):
        return xp.copy(values)

    def d_parameters(F, function):
        no_derivative_of(function)

    samples = lambda r: [
        ([r(2, 3).detach(), r(3).detach()], r(2, 3).detach(), "binomial"), ([r().detach()], r().detach(), "bernoulli"),
    ]  # fmt: skip


face(undifferentiated, node="NotImplemented")

"""Random draws from the elements of a tensor, recorded with zero derivatives.

PyTorch's derivatives of draws are zeros, so that a loss that contains a draw can be differentiated.
"""

from __future__ import annotations

from rushlight.declarations.declare import face, op


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
        ([r(2, 3), r(3)], r(2, 3).detach(), "normal"),
    ]  # fmt: skip


face(
    drawn,
    node=(
        "{'bernoulli': BernoulliBackward0, 'poisson': PoissonBackward0, 'normal around': NormalBackward1, "
        "'normal within': NormalBackward2, 'normal': NormalBackward3}[distribution]"
    ),
)

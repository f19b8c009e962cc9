"""What was drawn with the numbers of a tensor, as part of its history: it does not follow them smoothly.

PyTorch's derivatives of draws are zeros, so that a loss with a draw in it can be differentiated.
"""

from __future__ import annotations

from rushlight.ops.declare import op


@op(spaces=(), out=False)
class drawn:
    """A copy of `values`, drawn from a distribution with the parameters `input`."""

    def forward(xp, input: Tensor, values: Constant, distribution):
        return xp.copy(values)

    def d_input(F, g, input_shape):
        return F.new_zeros_of(g, input_shape)

    node = "PoissonBackward0 if distribution == 'poisson' else BernoulliBackward0"
    samples = lambda r: [(r(2, 3), r(2, 3).detach(), "bernoulli"), (r(), r().detach(), "poisson")]


@op(spaces=(), out=False)
class drawn_around:
    """A copy of `values`, drawn from normal distributions around `mean` with the deviations `std`."""

    def forward(xp, mean: Tensor | None, std: Tensor | None, values: Constant):
        return xp.copy(values)

    def d_mean(F, g, mean_shape):
        return F.new_zeros_of(g, mean_shape)

    def d_std(F, g, std_shape):
        return F.new_zeros_of(g, std_shape)

    node = "NormalBackward1 if std is None else (NormalBackward2 if mean is None else NormalBackward3)"
    samples = lambda r: [(r(2, 3), None, r(2, 3).detach()), (None, r(3), r(3).detach()), (r(3), r(1), r(3).detach())]

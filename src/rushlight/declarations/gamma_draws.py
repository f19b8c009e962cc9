"""Draws of the gamma and the Dirichlet distribution, whose gradient is that of a quantile: it moves with the shape.

Figurnov, Mohamed and Mnih, Implicit reparameterization gradients, 2018, https://arxiv.org/abs/1805.08498.
"""

from __future__ import annotations

from rushlight.declarations.declare import face, op


@op(internal=True)
class gamma_drawn:
    """A copy of `values`, drawn from gamma distributions of rate 1 and the shapes `concentration`."""

    def forward(xp, concentration: Tensor, values: Constant):
        return xp.copy(values)

    def d_concentration(F, g, concentration, out):
        return g * F.gamma_grad(out, concentration)

    samples = lambda r: [(r.positive(2, 3), r.positive(2, 3).detach()), (r.positive(), r.positive().detach())]


face(gamma_drawn, node="StandardGammaBackward0")


@op(internal=True)
class gamma_grad:
    """How a gamma number moves with the shape of its distribution when its quantile stays."""

    def forward(xp, values: Constant, concentration: Tensor):
        return xp.gamma_grad(values, concentration)

    def d_concentration(F, g):
        raise NotImplementedError("the derivative for '_standard_gamma_grad' is not implemented.")

    samples = lambda r: [(r.positive(2, 3).detach(), r.positive(2, 3).detach())]


face(gamma_grad, node="StandardGammaGradBackward0")


@op(internal=True)
class dirichlet_drawn:
    """A copy of `values`, drawn from Dirichlet distributions of the shapes `concentration`."""

    def forward(xp, concentration: Tensor, values: Constant):
        return xp.copy(values)

    def d_concentration(F, g, concentration, out):
        derivatives = F.dirichlet_grad(out, concentration, F.sum(concentration, -1, True))
        # A growing share reduces the others in proportion
        return derivatives * (g - F.sum(out * g, -1, True))

    samples = lambda r: [(r.positive(2, 3), r.positive(2, 3).detach())]


face(dirichlet_drawn, node="_DirichletBackward")


@op(internal=True)
class dirichlet_grad:
    """How a share moves with the shape of its distribution when its quantile stays, over what it lacks to 1."""

    def forward(xp, values: Tensor, concentration: Tensor, total: Tensor):
        return xp.dirichlet_grad(values, concentration, total)

    def d_values(F, g):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    def d_concentration(F, g):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    def d_total(F, g):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    samples = lambda r: [((r(2, 3).sigmoid()).detach(), r.positive(2, 3).detach(), 4 + r.positive(2, 1).detach())]

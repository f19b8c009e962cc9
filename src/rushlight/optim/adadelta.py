"""Adadelta (Zeiler 2012)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.optim.checks import check_not_negative, check_present, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer


class Adadelta(ElementwiseOptimizer):
    """Scales the gradient by the root mean square of past steps over that of past gradients.

    v = rho v + (1 - rho) g^2, d = sqrt(u + eps) / sqrt(v + eps) g, u = rho u + (1 - rho) d^2, p -= lr d; the paper has
    no lr. https://arxiv.org/abs/1212.5701 and https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html
    """

    _state_names = ("square_avg", "acc_delta")

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("Invalid epsilon value: {}", eps)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        })  # fmt: skip

    def _check_step(self, group, params):
        check_present(group, "rho")
        super()._check_step(group, params)

    def _update(self, F, o, param, gradient, squares, deltas):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = F.add(gradient, param, o.weight_decay)
        squares = F.addcmul(squares * o.rho, gradient, gradient, 1 - o.rho)
        delta = F.sqrt(deltas + o.eps) / F.sqrt(squares + o.eps) * gradient
        deltas = F.addcmul(deltas * o.rho, delta, delta, 1 - o.rho)
        return F.add(param, delta, -o.lr), squares, deltas

"""Adamax, the infinity-norm variant of Adam (Kingma, Ba 2015, section 7.1)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.optim.checks import check_betas, check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer


class Adamax(ElementwiseOptimizer):
    """Divides a running mean of the gradient by a decaying maximum of its size.

    m = b1 m + (1 - b1) g, u = max(b2 u, |g| + eps), p -= lr / (1 - b1^t) m / u; the paper has no eps.
    https://arxiv.org/abs/1412.6980 and https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html
    """

    _state_names = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 2e-3,
        betas: tuple[TensorOrFloat, TensorOrFloat] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_rate(lr)
        check_not_negative("Invalid epsilon value: {}", eps)
        check_betas(betas)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def _prepare(self, o):
        o.step = o.step + 1
        o.rate = o.lr / (1 - o.beta1**o.step)

    def _update(self, F, o, param, gradient, mean, largest):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = F.add(gradient, param, o.weight_decay)
        mean = F.lerp(mean, gradient, 1 - o.beta1)
        largest = F.maximum(largest * o.beta2, F.abs(gradient) + o.eps)
        return F.addcdiv(param, mean, largest, -o.rate), mean, largest

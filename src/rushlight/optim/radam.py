"""RAdam: Adam with a rectified variance (Liu et al. 2020)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.optim.checks import check_betas, check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer


class RAdam(ElementwiseOptimizer):
    """Adam that omits the second moment in the first steps, while its variance is too high.

    With rho_inf = 2 / (1 - b2) - 1 and rho = rho_inf - 2 t b2^t / (1 - b2^t): while rho <= 5, p -= lr m'; then
    p -= lr m' r / (sqrt(v / (1 - b2^t)) + eps'), r^2 = (rho - 4)(rho - 2) rho_inf / ((rho_inf - 4)(rho_inf - 2) rho).
    https://arxiv.org/abs/1908.03265 and https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html
    """

    _state_names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-3,
        betas: tuple[TensorOrFloat, TensorOrFloat] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        check_not_negative("Invalid epsilon value: {}", eps)
        check_betas(betas)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        })  # fmt: skip

    def _prepare(self, o):
        o.step = o.step + 1
        o.correction = 1 - o.beta1**o.step
        correction2 = 1 - o.beta2**o.step
        rho_inf = 2 / (1 - o.beta2) - 1
        rho = rho_inf - 2 * o.step * o.beta2**o.step / correction2
        o.rectified = rho > 5.0
        if o.rectified:
            o.rectification = ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ** 0.5
            o.root_of_correction = correction2**0.5

    def _update(self, F, o, param, gradient, mean, square):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            if o.decoupled_weight_decay:
                param = param * (1 - o.lr * o.weight_decay)
            else:
                gradient = F.add(gradient, param, o.weight_decay)
        mean = F.lerp(mean, gradient, 1 - o.beta1)
        square = F.addcmul(square * o.beta2, gradient, gradient, 1 - o.beta2)
        change = mean / o.correction * o.lr
        if o.rectified:
            change = change * (o.root_of_correction / (F.sqrt(square) + o.eps)) * o.rectification
        return param - change, mean, square

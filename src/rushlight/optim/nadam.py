"""NAdam: Adam with Nesterov momentum (Dozat 2016)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.tensor import Tensor
from rushlight.optim.checks import check_betas, check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer, zeros_for
from rushlight.optim.optimizer import counter, counter_dtype, rounded


class NAdam(ElementwiseOptimizer):
    """Adam that looks one step of its momentum ahead.

    mu_t = b1 (1 - 0.96^(t decay) / 2), M = prod mu_i, m and v as in Adam,
    p -= lr ((1 - mu_t) g / (1 - M_t) + mu_t+1 m / (1 - M_t+1)) / (sqrt(v / (1 - b2^t)) + eps).
    https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html
    """

    _counters = ("step", "mu_product")
    _state_names = ("exp_avg", "exp_avg_sq")
    _capturable_with = "params, mu_products and state_steps"

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 2e-3,
        betas: tuple[TensorOrFloat, TensorOrFloat] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check_not_negative("Invalid momentum_decay value: {}", momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        })  # fmt: skip

    def _initial_state(self, param, group):
        on_device = bool(group["capturable"])
        return {
            "step": counter(0.0, param, on_device=on_device),
            "mu_product": counter(1.0, param, on_device=on_device),
            **{name: zeros_for(param) for name in self._state_names},
        }

    def _prepare(self, o):
        o.step = o.step + 1
        o.correction = 1 - o.beta2**o.step
        mu = o.beta1 * (1.0 - 0.5 * 0.96 ** (o.step * o.momentum_decay))
        mu_next = o.beta1 * (1.0 - 0.5 * 0.96 ** ((o.step + 1) * o.momentum_decay))
        if isinstance(o.mu_product, Tensor):  # the step is differentiated with respect to it
            o.mu_product = o.mu_product * mu
        else:  # the product is stored as a tensor, so it is rounded to the tensor's dtype
            kind = counter_dtype().numpy.type  # the exact product of two of that dtype fits a float64
            o.mu_product = rounded(rounded(o.mu_product, kind) * rounded(mu, kind), kind)
        o.gradient_rate = o.lr * (1.0 - mu) / (1.0 - o.mu_product)
        o.mean_rate = o.lr * mu_next / (1.0 - o.mu_product * mu_next)

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
        denominator = F.sqrt(square / o.correction) + o.eps
        param = F.addcdiv(param, gradient, denominator, -o.gradient_rate)
        return F.addcdiv(param, mean, denominator, -o.mean_rate), mean, square

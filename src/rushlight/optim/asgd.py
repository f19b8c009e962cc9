"""Averaged stochastic gradient descent (Polyak, Juditsky 1992)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.optim.checks import check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer, zeros_for
from rushlight.optim.optimizer import counter, number


class ASGD(ElementwiseOptimizer):
    """Gradient descent with a decaying rate, and the average of the parameters from step `t0` on.

    p = (1 - lambd eta) p - eta g, a += mu (p - a), eta = lr / (1 + lambd lr t)^alpha, mu = 1 / max(1, t - t0). The
    average `ax` is in the state. https://doi.org/10.1137/0330046 and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html
    """

    _counters = ("step", "eta", "mu")
    _state_names = ("ax",)
    _capturable_with = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_rate(lr)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def _initial_state(self, param, group):
        start = {"step": 0.0, "eta": number(group["lr"]), "mu": 1.0}
        counters = {name: counter(value, param, on_device=True) for name, value in start.items()}
        return {**counters, "ax": zeros_for(param)}

    def _prepare(self, o):
        o.step = o.step + 1
        o.follows = o.mu == 1  # the average is the parameter itself; a flag, since formulas must not branch on values

    def _update(self, F, o, param, gradient, average):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = F.add(gradient, param, o.weight_decay)
        param = F.add(param * (1 - o.lambd * o.eta), gradient, -o.eta)
        average = param if o.follows else average + (param - average) * o.mu
        return param, average

    def _update_counters(self, o):
        o.eta = o.lr / (1 + o.lambd * o.lr * o.step) ** o.alpha
        o.mu = 1 / max(1, o.step - o.t0)

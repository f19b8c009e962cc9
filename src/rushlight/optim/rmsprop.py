"""RMSprop (Hinton, Srivastava, Swersky 2012, lecture 6), centred as by Graves (2013)."""

from __future__ import annotations

from typing import Any

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.optim.checks import check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer


class RMSprop(ElementwiseOptimizer):
    """Divides the gradient by the root of a running mean of its square; epsilon is added to the root.

    v = alpha v + (1 - alpha) g^2, centred less the square of the mean gradient; b = momentum b + g / (sqrt(v) + eps),
    p -= lr b. https://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf,
    https://arxiv.org/abs/1308.0850 and https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html
    """

    _state_names = ("square_avg", "momentum_buffer", "grad_avg")

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        check_not_negative("Invalid epsilon value: {}", eps)
        check_not_negative("Invalid momentum value: {}", momentum)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        check_not_negative("Invalid alpha value: {}", alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        })  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("momentum", 0)  # added later, as the options in `LATER`

    def _state_names_for(self, group):
        needed = {"square_avg": True, "momentum_buffer": group["momentum"] > 0, "grad_avg": group["centered"]}
        return tuple(name for name in self._state_names if needed[name])

    def _update(self, F, o, param, gradient, square, velocity, mean):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = F.add(gradient, param, o.weight_decay)
        square = F.addcmul(square * o.alpha, gradient, gradient, 1 - o.alpha)
        if o.centered:
            mean = F.lerp(mean, gradient, 1 - o.alpha)
            root = F.sqrt(F.addcmul(square, mean, mean, -1)) + o.eps
        else:
            root = F.sqrt(square) + o.eps
        if o.momentum > 0:
            velocity = F.addcdiv(velocity * o.momentum, gradient, root, 1)
            param = F.add(param, velocity, -o.lr)
        else:
            param = F.addcdiv(param, gradient, root, -o.lr)
        return param, square, velocity, mean

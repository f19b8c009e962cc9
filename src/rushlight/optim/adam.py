"""Adam (Kingma, Ba 2015), with AMSGrad (Reddi et al. 2018) and decoupled weight decay (Loshchilov, Hutter 2019)."""

from __future__ import annotations

import rushlight._generated.functions as functions
from rushlight.dispatch.create import scalar_tensor
from rushlight.optim.optimizer import Optimizer, check_rate, number


class Adam(Optimizer):
    """Divides a running mean of the gradient by the root of a running mean of its square.

    As in PyTorch, epsilon is added to the root after the bias correction.
    https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html

    >>> import rushlight as torch
    >>> p = torch.ones(1, requires_grad=True)
    >>> (p * 2).sum().backward()
    >>> torch.optim.Adam([p], lr=0.1).step(); p
    tensor([0.9000], requires_grad=True)
    """

    __module__ = "torch.optim.adam"

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        check_rate(lr)
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for index, beta in enumerate(betas):
            if not 0.0 <= number(beta) < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip

    def begin(self, state, param, group) -> None:
        state["step"] = scalar_tensor(0.0)
        for name in ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])):
            state[name] = functions.zeros_of(param.detach())

    def step(self, closure=None):
        loss = self._evaluated(closure)
        for group in self.param_groups:
            self._update(group, update, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"))
        return loss


def update(F, group, state, param, gradient, mean, square, largest):
    """One step: the parameter and its running means."""
    steps = state["step"]
    steps._array[...] += 1
    steps = steps._array.item()
    beta1, beta2 = (number(each) for each in group["betas"])
    lr = number(group["lr"])
    if group["maximize"]:
        gradient = -gradient
    if group["weight_decay"] != 0:
        if group["decoupled_weight_decay"]:
            param = param * (1 - lr * group["weight_decay"])
        else:
            gradient = gradient + param * group["weight_decay"]
    mean = mean + (gradient - mean) * (1 - beta1)
    square = square * beta2 + gradient * F.conj(gradient) * (1 - beta2)
    if group["amsgrad"]:
        largest = F.maximum(largest, square)
    root = F.sqrt(largest if group["amsgrad"] else square) / (1 - beta2**steps) ** 0.5
    return param - mean / (root + group["eps"]) * (lr / (1 - beta1**steps)), mean, square, largest

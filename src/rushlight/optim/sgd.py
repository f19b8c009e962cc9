"""Stochastic gradient descent, with momentum (Sutskever et al. 2013, in PyTorch's form)."""

from __future__ import annotations

from rushlight.optim.optimizer import Optimizer, check_rate, number


class SGD(Optimizer):
    """Steps against the gradient: v = momentum * v + (1 - dampening) * g, then p -= lr * v.

    The first v is g itself. https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html

    >>> import rushlight as torch
    >>> p = torch.ones(1, requires_grad=True)
    >>> (p * 2).sum().backward()
    >>> torch.optim.SGD([p], lr=0.1).step(); p
    tensor([0.8000], requires_grad=True)
    """

    __module__ = "torch.optim.sgd"

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        check_rate(lr)
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        })  # fmt: skip

    def begin(self, state, param, group) -> None:
        if group["momentum"]:
            state["momentum_buffer"] = None

    def step(self, closure=None):
        loss = self._evaluated(closure)
        for group in self.param_groups:
            self._update(group, update, ("momentum_buffer",))
        return loss


def update(F, group, state, param, gradient, velocity):
    """One step: the parameter and its velocity."""
    if group["maximize"]:
        gradient = -gradient
    if group["weight_decay"] != 0:
        gradient = gradient + param * group["weight_decay"]
    if group["momentum"] != 0:
        if velocity is None:
            velocity = gradient + 0
        else:
            velocity = velocity * group["momentum"] + gradient * (1 - group["dampening"])
        gradient = gradient + velocity * group["momentum"] if group["nesterov"] else velocity
    return param - gradient * number(group["lr"]), velocity

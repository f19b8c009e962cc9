"""Stochastic gradient descent, with momentum in the form of Sutskever, Martens, Dahl, Hinton (2013)."""

from __future__ import annotations

from rushlight.arrays.blas import add_multiples, scale
from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.tensor import Tensor
from rushlight.optim.checks import check_exclusive_modes, check_fused, check_present
from rushlight.optim.grouped import ElementwiseOptimizer
from rushlight.optim.sparse_steps import Rows, is_sparse


class SGD(ElementwiseOptimizer):
    """Gradient descent: v = momentum * v + (1 - dampening) * g, then p -= lr * v.

    The first v is g itself, and the learning rate multiplies v where the paper has it within v.
    https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html

    >>> import rushlight as torch
    >>> p = torch.ones(1, requires_grad=True)
    >>> (p * 2).sum().backward()
    >>> torch.optim.SGD([p], lr=0.1).step(); p
    tensor([0.8000], requires_grad=True)
    """

    _counters = ()
    _steps_rows = True
    _state_names = _lazy_state = ("momentum_buffer",)

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for text, value in (("learning rate", lr), ("momentum value", momentum), ("weight_decay value", weight_decay)):
            if value < 0.0:
                raise ValueError(f"Invalid {text}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        })  # fmt: skip
        check_exclusive_modes(fused, foreach, differentiable)

    def _state_names_for(self, group):
        return self._state_names if group["momentum"] != 0 else ()

    def _initial_state(self, param, group):
        return {}

    def _check_sparse_step(self, group):
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")

    def _update_rows(self, o, param, gradient, state):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = gradient.add(param, alpha=o.weight_decay)  # which raises: the sum is dense
        if o.momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = gradient.clone()
            else:
                velocity = (velocity * o.momentum).add(gradient, alpha=1 - o.dampening)
            state["momentum_buffer"] = velocity
            gradient = gradient.add(velocity, alpha=o.momentum) if o.nesterov else velocity
        if is_sparse(param):
            param.add_(gradient, alpha=-o.lr)
        else:
            rows = Rows(gradient, distinct=False)
            rows.add(param, rows.values, -o.lr)

    def _check_step(self, group, params):
        check_present(group, "momentum")
        check_present(group, "dampening")
        if group["fused"]:
            check_fused(params)

    def _prepare(self, o):
        """Does nothing: there are no counters."""

    def _adds_multiples(self, o):
        return o.weight_decay == 0 and not o.nesterov

    def _update_flat(self, o, params, gradients, velocities=None):
        sign = -1 if o.maximize else 1
        if velocities is None:
            add_multiples(params, gradients, -sign * o.lr)
        else:
            scale(velocities, o.momentum)
            add_multiples(velocities, gradients, sign * (1 - o.dampening))
            add_multiples(params, velocities, -o.lr)

    def _update(self, F, o, param, gradient, velocity):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = F.add(gradient, param, o.weight_decay)
        if o.momentum != 0:
            if velocity is None:
                velocity = F.constant(gradient)
            else:
                velocity = F.add(velocity * o.momentum, gradient, 1 - o.dampening)
            gradient = F.add(gradient, velocity, o.momentum) if o.nesterov else velocity
        return F.add(param, gradient, -o.lr), velocity

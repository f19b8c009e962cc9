"""Adafactor (Shazeer, Stern 2018)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.optim.checks import check_not_negative, check_rate
from rushlight.optim.optimizer import Optimizer, call_closure, counter, options
from rushlight.optim.sparse_steps import refuse_sparse


class Adafactor(Optimizer):
    """Adam without momentum that stores the second moment of a matrix as its row means and column means.

    With b = t^beta2_decay: R += b (mean_row(g^2) - R), C likewise, v = R C / mean(R); u = g / sqrt(v), divided by
    max(1, rms(u) / d); p -= max(eps2, rms(p)) min(lr, 1 / sqrt(t)) u. In the paper lr is 0.01; as in PyTorch, eps1
    limits v from below and is not added to g^2. https://arxiv.org/abs/1804.04235 and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.Adafactor.html
    """

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_rate(lr, "Learning rate should be >= 0 but is: {}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            check_not_negative("epsilon1 should be >= 0 but is: {}", eps[0])
        check_not_negative("epsilon2 should be >= 0 but is: {}", eps[1])
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        check_not_negative("weight_decay should be >= 0 but is: {}", weight_decay)
        super().__init__(params, {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        })  # fmt: skip

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters; `closure`, if given, computes the loss again and returns it."""
        loss = call_closure(closure)
        for group in self.param_groups:
            o = options(group, self.defaults)
            for param in group["params"]:
                if param.grad is not None:
                    refuse_sparse("Adafactor", param.grad)
                    if param.is_complex():
                        raise RuntimeError("Adafactor does not support complex parameters")
                    state = self.state[param]
                    if not state:
                        state.update(begin(param.grad))
                    update(o, param, -param.grad if o.maximize else param.grad, state)
        return loss

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            for param in group["params"]:
                own_state = self.state.get(param, {})
                if "step" in own_state and isinstance(own_state["step"], float | int):
                    own_state["step"] = counter(float(own_state["step"]), param)


def begin(gradient) -> dict:
    """Returns the initial state: zero steps, zero row and column means of a matrix or zero variance of a vector."""
    state = {"step": counter(0.0, gradient)}
    if gradient.dim() > 1:
        *batch, rows, columns = gradient.shape
        state["row_var"] = gradient.new_zeros((*batch, rows, 1))
        state["col_var"] = gradient.new_zeros((*batch, 1, columns))
    else:
        state["variance"] = functions.zeros_of(gradient)
    return state


def update(o, param, gradient, state) -> None:
    """Makes one step of one parameter."""
    state["step"] += 1
    step = state["step"].item()
    eps1, eps2 = o.eps
    eps1 = finfo(param.dtype).eps if eps1 is None else eps1
    rate = max(eps2, root_mean_square(param)) * min(o.lr, 1 / step**0.5)
    if o.weight_decay != 0:
        param.mul_(1 - o.lr * o.weight_decay)
    variance = second_moment(gradient, state, step**o.beta2_decay, eps1)
    change = variance.clamp(min=eps1 * eps1).rsqrt() * gradient
    param.add_(change, alpha=-rate / max(1.0, root_mean_square(change) / o.d))


def second_moment(gradient, state, weight: float, eps1: float):
    """Updates and returns the running mean of the squared gradient; of a matrix, its rank-one approximation."""
    if gradient.dim() <= 1:
        return state["variance"].lerp_(gradient * gradient, weight)
    rows, columns = state["row_var"], state["col_var"]  # (..., rows, 1), (..., 1, columns)
    rows.lerp_(functions.norm(gradient, dim=-1, keepdim=True).square() / gradient.size(-1), weight)
    columns.lerp_(functions.norm(gradient, dim=-2, keepdim=True).square() / gradient.size(-2), weight)
    return rows @ columns / rows.mean(dim=-2, keepdim=True).clamp(min=eps1)


def root_mean_square(tensor) -> float:
    """The norm over the root of the number of elements."""
    return functions.norm(tensor, 2).item() / tensor.numel() ** 0.5

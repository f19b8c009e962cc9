"""Muon: momentum, orthogonalised (Jordan et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.dtype import bfloat16
from rushlight.core.tensor import Tensor
from rushlight.optim.checks import check_not_negative, check_rate
from rushlight.optim.optimizer import Optimizer, call_closure, options
from rushlight.optim.sparse_steps import refuse_sparse


class Muon(Optimizer):
    """For matrices: steps along the orthogonal matrix that is nearest to the momentum.

    b += (1 - momentum)(g - b); the orthogonal factor comes from a few Newton-Schulz iterations in bfloat16; the rate is
    multiplied by sqrt(max(1, rows / columns)), or with `adjust_lr_fn="match_rms_adamw"` by 0.2 sqrt(max(rows, columns))
    (Liu et al. 2025). https://kellerjordan.github.io/posts/muon/, https://arxiv.org/abs/2502.16982 and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.Muon.html
    """

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_rate(lr, "Learning rate should be >= 0 but is: {}")
        check_not_negative("momentum should be >= 0 but is: {}", momentum)
        check_not_negative("weight decay should be >= 0 but is: {}", weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        })  # fmt: skip
        for group in self.param_groups:
            for param in group["params"]:
                if param.dim() != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                    )

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters; `closure`, if given, computes the loss again and returns it."""
        loss = call_closure(closure)
        for group in self.param_groups:
            o = options(group, self.defaults)
            for param in group["params"]:
                if param.grad is not None:
                    refuse_sparse("Muon", param.grad)
                    if param.is_complex():
                        raise RuntimeError("Muon does not support complex parameters")
                    self._update(o, param, param.grad)
        return loss

    def _update(self, o, param, gradient) -> None:
        state = self.state[param]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = functions.zeros_of(gradient)
        velocity = state["momentum_buffer"].lerp_(gradient, 1 - o.momentum)
        direction = gradient.lerp(velocity, o.momentum) if o.nesterov else velocity
        direction = orthogonalised(direction, o.ns_coefficients, o.ns_steps, o.eps)
        param.mul_(1 - o.lr * o.weight_decay)
        param.add_(direction, alpha=-o.lr * rate_factor(o.adjust_lr_fn, *param.shape))


def orthogonalised(matrix: Tensor, coefficients, steps: int, eps: float) -> Tensor:
    """Returns approximately the orthogonal factor of a matrix: X <- a X + (b X X^T + c (X X^T)^2) X, in bfloat16.

    Raises ValueError for 100 steps or more, and unless there are three coefficients.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.to(bfloat16)
    x = x.T if tall else x  # (smaller, larger)
    x = x / functions.norm(x).clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T  # (smaller, smaller)
        x = functions.addmm(x, functions.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


def rate_factor(name: str | None, rows: int, columns: int) -> float:
    """Returns the factor of the learning rate that makes matrices of all shapes move by similar amounts."""
    return 0.2 * math.sqrt(max(rows, columns)) if name == "match_rms_adamw" else math.sqrt(max(1, rows / columns))

"""SparseAdam: Adam for sparse gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight._generated.functions as functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.optim.checks import check_betas, check_rate
from rushlight.optim.optimizer import Optimizer, call_closure, number
from rushlight.optim.sparse_steps import Rows, is_sparse


class SparseAdam(Optimizer):
    """Adam in which rows without a gradient, and their moments, stay as they are.

    A step with a dense gradient raises RuntimeError. Gradients are sparse where `nn.Embedding(sparse=True)` looks rows
    up. https://docs.pytorch.org/docs/stable/generated/torch.optim.SparseAdam.html

    >>> import rushlight as torch
    >>> table = torch.nn.Embedding(3, 1, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters())
    >>> table(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    """

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-3,
        betas: tuple[TensorOrFloat, TensorOrFloat] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_rate(lr)
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        self._refuse("Sparse params", is_sparse, "requires dense parameter tensors")
        self._refuse("Complex params", Tensor.is_complex, "does not support complex parameters")

    def _refuse(self, what: str, refused: Callable[[Tensor], bool], why: str) -> None:
        """Raises ValueError if any parameter is refused."""
        positions = [
            [number, index]
            for number, group in enumerate(self.param_groups)
            for index, param in enumerate(group["params"])
            if refused(param)
        ]
        if positions:
            raise ValueError(f"{what} at indices {positions}: SparseAdam {why}")

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters; `closure` computes the loss again. Raises RuntimeError for a dense gradient."""
        loss = call_closure(closure)
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            if not all(is_sparse(param.grad) for param in params):
                raise noted(
                    RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead"),
                    "Gradients are sparse if all that computes with a table is nn.Embedding(sparse=True).",
                )
            for param in params:
                self._step_rows(group, param)
        return loss

    def _step_rows(self, group: dict[str, Any], param: Tensor) -> None:
        state = self.state[param]
        if not state:
            zeros = functions.zeros_of(param.detach())
            state.update(step=0, exp_avg=zeros, exp_avg_sq=zeros.clone())
        state["step"] += 1
        rows = Rows(param.grad)
        if not rows.values.numel():
            return
        gradient = -rows.values if group["maximize"] else rows.values
        first, second = map(number, group["betas"])
        mean, square = rows.of(state["exp_avg"]), rows.of(state["exp_avg_sq"])
        change = (gradient - mean) * (1 - first)
        change_of_square = (gradient.pow(2) - square) * (1 - second)
        rows.add(state["exp_avg"], change)
        rows.add(state["exp_avg_sq"], change_of_square)
        corrections = math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
        denominator = (change_of_square + square).sqrt() + group["eps"]
        rows.add(param, (change + mean) / denominator * (-number(group["lr"]) * corrections))

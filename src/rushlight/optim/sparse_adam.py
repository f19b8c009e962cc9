"""SparseAdam: Adam for sparse gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.errors import noted
from rushlight.optim.checks import check_betas, check_rate
from rushlight.optim.optimizer import Optimizer, call_closure


class SparseAdam(Optimizer):
    """Adam for gradients of sparse layout, which rushlight lacks: a step with a dense gradient raises RuntimeError.

    Options, groups and state are PyTorch's, so that programs that choose between optimizers run unchanged.
    https://docs.pytorch.org/docs/stable/generated/torch.optim.SparseAdam.html
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
        complex_params = [
            [number, index]
            for number, group in enumerate(self.param_groups)
            for index, param in enumerate(group["params"])
            if param.is_complex()
        ]
        if complex_params:
            raise ValueError(
                f"Complex params at indices {complex_params}: SparseAdam does not support complex parameters"
            )

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Evaluates `closure` and returns the loss. Raises RuntimeError for a gradient, which is dense."""
        loss = call_closure(closure)
        if any(param.grad is not None for group in self.param_groups for param in group["params"]):
            raise noted(
                RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead"),
                "rushlight has no tensors of sparse layout yet, so every gradient is dense, that of "
                "nn.Embedding(sparse=True) too: use torch.optim.Adam, whose steps also change rows without a gradient.",
            )
        return loss

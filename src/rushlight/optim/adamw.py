"""AdamW: Adam with decoupled weight decay (Loshchilov and Hutter 2019)."""

from __future__ import annotations

from typing import Any

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.optim.adam import Adam


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters directly, apart from the gradient.

    https://arxiv.org/abs/1711.05101 and https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
    """

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-3,
        betas: tuple[TensorOrFloat, TensorOrFloat] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True

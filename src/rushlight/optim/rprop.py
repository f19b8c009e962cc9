"""Resilient backpropagation (Riedmiller, Braun 1993)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.create.filled import full_like
from rushlight.optim.checks import check_present, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer, zeros_for
from rushlight.optim.optimizer import counter, number


class Rprop(ElementwiseOptimizer):
    """Gives every element its own step size, which grows while the gradient keeps its sign and shrinks otherwise.

    Only the sign of the gradient counts; after a change of sign the element rests for one step (Rprop- of Igel and
    Huesken 2000). https://doi.org/10.1109/ICNN.1993.298623 and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html
    """

    _state_names = ("prev", "step_size")

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def _initial_state(self, param, group):
        lr = number(group["lr"])
        return {
            "step": counter(0.0, param, on_device=bool(group["capturable"])),
            "prev": zeros_for(param),
            "step_size": full_like(param.detach(), complex(lr, lr) if param.is_complex() else lr),
        }

    def _check_step(self, group, params):
        check_present(group, "etas")
        super()._check_step(group, params)

    def _update(self, F, o, param, gradient, previous, size):
        if o.maximize:
            gradient = -gradient
        smaller, larger = o.etas
        agreement = gradient * previous
        size = F.where(agreement > 0, size * larger, F.where(agreement < 0, size * smaller, size))
        size = F.clamp(size, *o.step_sizes)
        gradient = F.where(agreement < 0, 0.0, gradient)
        return F.addcmul(param, F.sign(gradient), size, -1), gradient, size

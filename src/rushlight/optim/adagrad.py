"""Adagrad (Duchi, Hazan, Singer 2011)."""

from __future__ import annotations

from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.create.filled import full_like
from rushlight.optim.checks import check_exclusive_modes, check_not_negative, check_rate
from rushlight.optim.grouped import ElementwiseOptimizer
from rushlight.optim.optimizer import counter
from rushlight.optim.sparse_steps import Rows


class Adagrad(ElementwiseOptimizer):
    """Divides the gradient by the root of the sum of all squares so far.

    s += g^2, p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps); s begins with `initial_accumulator_value`.
    https://jmlr.org/papers/v12/duchi11a.html and https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html
    """

    _state_names = ("sum",)
    _steps_rows = True

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_rate(lr)
        check_not_negative("Invalid lr_decay value: {}", lr_decay)
        check_not_negative("Invalid weight_decay value: {}", weight_decay)
        check_not_negative("Invalid initial_accumulator_value value: {}", initial_accumulator_value)
        check_not_negative("Invalid epsilon value: {}", eps)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip
        check_exclusive_modes(fused, foreach, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param] = self._initial_state(param, group)

    def _initial_state(self, param, group):
        start = self.defaults["initial_accumulator_value"]
        start = complex(start, start) if param.is_complex() else start
        return {
            "step": counter(0.0, param, fused=bool(group["fused"])),
            "sum": full_like(param.detach(), start),
        }

    def share_memory(self) -> None:
        """Moves the sums to shared memory."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    def _prepare(self, o):
        o.step = o.step + 1
        o.rate = o.lr / (1 + (o.step - 1) * o.lr_decay)

    def _check_sparse_step(self, group):
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")

    def _update_rows(self, o, param, gradient, state):
        rows = Rows(-gradient if o.maximize else gradient)
        rows.add(state["sum"], rows.values.pow(2))
        rows.add(param, rows.values / (rows.of(state["sum"]).sqrt() + o.eps), -o.rate)

    def _update(self, F, o, param, gradient, squares):
        if o.maximize:
            gradient = -gradient
        if o.weight_decay != 0:
            gradient = F.add(gradient, param, o.weight_decay)
        squares = F.addcmul(squares, gradient, gradient, 1)
        return F.addcdiv(param, gradient, F.sqrt(squares) + o.eps, -o.rate), squares

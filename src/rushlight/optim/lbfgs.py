"""L-BFGS (Nocedal 1980; Liu, Nocedal 1989), after minFunc (Schmidt 2005)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight._generated import functions
from rushlight.autograd.grad_mode import enable_grad, no_grad
from rushlight.core.annotations import Params, TensorOrFloat
from rushlight.core.policy import LARGE
from rushlight.core.tensor import Tensor, wrap
from rushlight.optim.checks import check_rate
from rushlight.optim.grouped import on_plain_arrays
from rushlight.optim.line_search import strong_wolfe
from rushlight.optim.optimizer import Optimizer, number, options
from rushlight.optim.workspace import arrays


class LBFGS(Optimizer):
    """A quasi-Newton method: the last changes of position and gradient approximate the inverse Hessian.

    One `step` makes up to `max_iter` iterations and needs a closure, which it calls up to `max_eval` times. There is
    one group only. https://doi.org/10.1007/BF01589116, https://www.cs.ubc.ca/~schmidtm/Software/minFunc.html and
    https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html

    >>> import rushlight as torch
    >>> p = torch.ones(2, requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([p])
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((p - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure); p
    tensor([3., 3.], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: TensorOrFloat = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_rate(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Minimises; returns the loss of the first call of `closure`."""
        return Minimisation(self, enable_grad()(closure)).run()


class Minimisation:
    """One call of `step`: the current loss, gradient and number of evaluations."""

    def __init__(self, optimizer: LBFGS, closure) -> None:
        self.closure = closure
        self.params = optimizer._params
        group = optimizer.param_groups[0]
        self.options = vars(options(group, optimizer.defaults))
        self.lr = group["lr"].squeeze() if isinstance(group["lr"], Tensor) else self.options["lr"]
        # All parameters share one state, stored with the first parameter, so that loading casts it like that one
        self.state = optimizer.state[self.params[0]]
        self.loss, self.gradient, self.evaluations = 0.0, functions.zeros_of(self.params[0]), 0
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)

    def run(self):
        """Iterates until the gradient vanishes, progress stops, or no evaluations are left."""
        first = self.closure()
        self.loss, self.gradient, self.evaluations = float(first), self.flat_gradient(), 1
        self.state["func_evals"] += 1
        if self.is_flat():
            return first
        for iteration in range(1, self.options["max_iter"] + 1):
            self.state["n_iter"] += 1
            self.choose_direction()
            previous = self.remember()
            slope = self.gradient.dot(self.state["d"])
            if slope > -self.options["tolerance_change"]:
                break
            last = iteration == self.options["max_iter"]
            self.move(slope, last)
            if last or self.is_done(previous):
                break
        return first

    def choose_direction(self) -> None:
        """Sets the step direction and the first step length: steepest descent, later from the history."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(d=-self.gradient, old_dirs=[], old_stps=[], ro=[], H_diag=1)
            state["t"] = min(1.0, 1.0 / self.gradient.abs().sum()) * self.lr
            return
        self.update_history()
        state["d"] = self.two_loops()
        state["t"] = self.lr

    def update_history(self) -> None:
        """Adds the last step and gradient change to the history, unless the curvature is not positive."""
        state = self.state
        y = self.gradient - state["prev_flat_grad"]
        s = state["d"] * state["t"]
        curvature = y.dot(s)
        if curvature > 1e-10:
            history = state["old_dirs"], state["old_stps"], state["ro"]
            if len(state["old_dirs"]) == self.options["history_size"]:
                for entries in history:
                    entries.pop(0)
            for entries, value in zip(history, (y, s, 1.0 / curvature), strict=True):
                entries.append(value)
            state["H_diag"] = curvature / y.dot(y)

    def two_loops(self):
        """Returns the inverse Hessian times the descent direction; small vectors are computed in NumPy."""
        state = self.state
        history = state["old_stps"], state["old_dirs"], state["ro"]
        diagonal, slope = state["H_diag"], self.gradient
        if slope.numel() < LARGE and on_plain_arrays(slope, [*history[0], slope][0]):
            diagonal = diagonal._array if isinstance(diagonal, Tensor) else diagonal
            result, factors = recursion(np.dot, add_multiple, slope._array, *map(arrays, history), diagonal)
            direction, factors = wrap(result), [wrap(np.asarray(factor)) for factor in factors]
        else:
            direction, factors = recursion(functions.dot, Tensor.add_, slope, *history, diagonal)
        # PyTorch preallocates `history_size` entries and overwrites them by index.
        state["al"] = factors + [None] * (self.options["history_size"] - len(factors))
        return direction

    def remember(self) -> float:
        """Stores the gradient and the loss before the move; returns that loss."""
        if self.state.get("prev_flat_grad") is None:
            self.state["prev_flat_grad"] = self.gradient.clone()
        else:
            self.state["prev_flat_grad"].copy_(self.gradient)
        self.state["prev_loss"] = self.loss
        return self.loss

    def move(self, slope, last: bool) -> None:
        """Moves along the direction, by the length that the line search returns."""
        state, search = self.state, self.options["line_search_fn"]
        evaluations = 0
        if search is not None:
            if search != "strong_wolfe":
                raise RuntimeError("only 'strong_wolfe' is supported")
            start = [param.clone() for param in self.params]
            self.loss, self.gradient, state["t"], evaluations = strong_wolfe(
                lambda length: self.loss_at(start, length), state["t"], state["d"], self.loss, self.gradient, slope,
                max_iterations=self.options["max_eval"] - self.evaluations,
            )  # fmt: skip
            self.add(state["t"], state["d"])
        else:
            self.add(state["t"], state["d"])
            if not last:  # the last move needs no new loss
                self.loss, self.gradient, evaluations = float(self.closure()), self.flat_gradient(), 1
        self.evaluations += evaluations
        state["func_evals"] += evaluations

    def is_done(self, previous: float) -> bool:
        """Whether the evaluations are used up, the gradient vanished, or progress stopped."""
        options, state = self.options, self.state
        return bool(
            self.evaluations >= options["max_eval"]
            or self.is_flat()
            or (state["d"] * state["t"]).abs().max() <= options["tolerance_change"]
            or abs(self.loss - previous) < options["tolerance_change"]
        )

    def is_flat(self) -> bool:
        return bool(self.gradient.abs().max() <= self.options["tolerance_grad"])

    def flat_gradient(self):
        """Returns all gradients as one real vector, zero if there is none."""
        pieces = [
            param.grad.to_dense() if param.grad is not None else functions.zeros_of(param) for param in self.params
        ]
        return functions.cat([real(piece).reshape(-1) for piece in pieces])

    def add(self, length, direction) -> None:
        """Moves the parameters along a direction."""
        offset = 0
        for param in map(real, self.params):
            param.add_(direction[offset : offset + param.numel()].view_as(param), alpha=number(length))
            offset += param.numel()

    def loss_at(self, start: list[Tensor], length):
        """Returns the loss and the gradient at a distance from `start`; restores the parameters."""
        self.add(length, self.state["d"])
        loss, gradient = float(self.closure()), self.flat_gradient()
        for param, value in zip(self.params, start, strict=True):
            param.copy_(value)
        return loss, gradient


def recursion(dot, add, gradient, steps, changes, ro, diagonal):
    """Runs the two loops over steps and gradient changes (Nocedal, Wright 2006, algorithm 7.4); returns factors too."""
    factors = [None] * len(steps)
    q = -gradient
    for index in reversed(range(len(steps))):
        factors[index] = dot(steps[index], q) * ro[index]
        add(q, changes[index], alpha=-factors[index].item())
    r = q * diagonal
    for index in range(len(steps)):
        add(r, steps[index], alpha=(factors[index] - dot(changes[index], r) * ro[index]).item())
    return r, factors


def add_multiple(total, vector, alpha: float) -> None:
    """Adds a multiple of an array to another in place."""
    total += vector * alpha


def real(tensor: Tensor) -> Tensor:
    """Returns the tensor; complex numbers as real with a last dimension of 2."""
    return functions.view_as_real(tensor) if tensor.is_complex() else tensor

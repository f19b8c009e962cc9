"""`torch._C._functions`: classes of nodes that are not of an operator, for `isinstance` and to end a graph."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.function import Function, refusing
from rushlight.core.graph import Leaf as AccumulateGrad
from rushlight.core.tensor import Tensor

__all__ = ["AccumulateGrad", "DelayedError", "UndefinedGrad"]


class DelayedError:
    """A function of `num_inputs` tensors that returns them: a backward pass through it raises RuntimeError."""

    def __init__(self, msg: str | bytes, num_inputs: int) -> None:
        self.message = msg.decode() if isinstance(msg, bytes) else msg

    def __call__(self, *inputs: Tensor) -> Any:
        return alone(refusing(list(inputs), inputs, self.message))


class UndefinedGrad:
    """A function that returns its tensors, to which a backward pass sends no gradient through it."""

    def __call__(self, *inputs: Tensor) -> Any:
        return alone(_Undefined.apply(*inputs))


class _Undefined(Function):
    @staticmethod
    def forward(ctx, *inputs):
        return tuple([each.view_as(each) for each in inputs])

    @staticmethod
    def backward(ctx, *gradients):
        return (None,) * len(gradients)


_Undefined._backward_cls.__name__ = "UndefinedGradBackward"


def alone(results: Any) -> Any:
    """Returns the only one of some results, else all as a tuple."""
    return results[0] if len(results) == 1 else tuple(results)

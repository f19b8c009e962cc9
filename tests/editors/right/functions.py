"""Custom functions: with ctx in forward, with setup_context, differentiable once, and how they are checked."""

from typing import Any

import rushlight as torch
from rushlight import Tensor
from rushlight.autograd import Function, gradcheck
from rushlight.autograd.function import FunctionCtx, once_differentiable


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor | None], output: Tensor) -> None:
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class Clamp(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, low: float, high: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.bounds = low, high
        ctx.set_materialize_grads(False)
        return x.clamp(low, high)

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None]:
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        return gradient * ((x > low) & (x < high)), None, None


class TwoResults(Function):
    @staticmethod
    def forward(ctx, x, scale=1.0):
        ctx.scale = scale
        ctx.mark_non_differentiable(x.argsort())
        return x * scale, x + scale

    @staticmethod
    def backward(ctx, first, second):
        return first * ctx.scale + second, None

    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent * ctx.scale, tangent


x = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
weight = torch.randn(2, 4, dtype=torch.double, requires_grad=True)
y = Exp.apply(x).sum() + Linear.apply(x, weight).pow(2).mean() + Clamp.apply(x, 0.0, 1.0).sum()
one, two = TwoResults.apply(x, 2.0)
(y + one.sum() + two.sum()).backward()
print(gradcheck(Linear.apply, (x, weight), eps=1e-6, atol=1e-4), x.grad, y.grad_fn)
(gradient,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
second = torch.autograd.grad(gradient.sum(), [x], retain_graph=True, allow_unused=True)[0]
parts = torch.autograd.grad((x * x).sum(), (x,), grad_outputs=torch.ones(()))
jacobian = torch.autograd.functional.jacobian(lambda t: t.exp(), x)
with torch.autograd.set_detect_anomaly(True), torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    (x**3).sum().backward(inputs=[x], retain_graph=False)
print(second.shape, parts[0].shape, torch.autograd.gradcheck(Exp.apply, x))

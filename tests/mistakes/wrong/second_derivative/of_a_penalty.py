# right: w.grad is not None and abs(w.grad.item() - 64.0) < 1e-4
import torch
from torch.autograd import Function


class Product(Function):
    @staticmethod
    def forward(ctx, w, x):
        ctx.both = w * x  # <- kept_on_ctx
        # instead: ctx.save_for_backward(w, x)
        ctx.x = x
        return (w * x) ** 2

    @staticmethod
    def backward(ctx, g):
        # also: (w, x) = ctx.saved_tensors
        both = ctx.both
        # then: both = w * x
        return 2 * both * ctx.x * g, None


w = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([2.0])
loss = Product.apply(w, x)
(slope,) = torch.autograd.grad(loss, w, create_graph=True)  # 2 w x^2
penalty = slope**2 / 2  # 2 w^2 x^4
penalty.backward() if slope.requires_grad else None

# right: second.item() == 18.0
# said: `ctx.mid` was computed in forward from `x`
import torch


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mid = 3 * x  # <- kept_on_ctx
        # instead: ctx.save_for_backward(x)
        return (3 * x) ** 2

    @staticmethod
    def backward(ctx, g):
        # also: (x,) = ctx.saved_tensors
        return 6 * ctx.mid * g
        # then: return 6 * (3 * x) * g


x = torch.tensor([1.0], requires_grad=True)
(g,) = torch.autograd.grad(F.apply(x), x, create_graph=True)
(second,) = torch.autograd.grad(g, x) if g.requires_grad else (torch.zeros(1),)

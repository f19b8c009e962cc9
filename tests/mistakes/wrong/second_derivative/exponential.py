# right: torch.allclose(curvature, torch.exp(-x.detach()), atol=1e-5)
import torch


class Decay(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.value = torch.exp(-x)  # <- kept_on_ctx
        # instead: ctx.save_for_backward(x)
        return torch.exp(-x)

    @staticmethod
    def backward(ctx, grad_output):
        # also: (x,) = ctx.saved_tensors
        return -ctx.value * grad_output
        # then: return -torch.exp(-x) * grad_output


x = torch.linspace(0, 1, 5, requires_grad=True)
y = Decay.apply(x).sum()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
curvature = torch.zeros(5)
if slope.requires_grad:
    (curvature,) = torch.autograd.grad(slope.sum(), x)

"""`create_graph=True`: a gradient penalty, a Hessian-vector product, a third derivative; `allow_unused`."""

import torch
from torch import nn

torch.manual_seed(14)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
points = torch.randn(6, 2, requires_grad=True)
(gradient,) = torch.autograd.grad(critic(points).sum(), points, create_graph=True)
penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
print(gradient.shape, gradient.requires_grad, penalty.grad_fn.name())  # torch.Size([6, 2]) True MeanBackward0
print(critic[0].weight.grad.abs().sum().item() > 0, critic[2].bias.grad)  # True None

x = torch.tensor([1.0, 2.0], requires_grad=True)
vector = torch.tensor([1.0, -1.0])
f = x[0] ** 2 * x[1] + x[1] ** 3
(first,) = torch.autograd.grad(f, x, create_graph=True)
(product,) = torch.autograd.grad(first, x, grad_outputs=vector)
print(first.detach())  # tensor([ 4., 13.])
print(product)  # tensor([  2., -10.])

t = torch.tensor(2.0, requires_grad=True)
derivative = t**4
for _ in range(3):
    (derivative,) = torch.autograd.grad(derivative, t, create_graph=True)
print(derivative.item(), t.grad)  # 48.0 None

unused = torch.tensor(1.0, requires_grad=True)
try:
    torch.autograd.grad(t**2, [t, unused])
except RuntimeError as error:
    print(str(error).split(".")[0])  # The differentiated Tensor at index 1 appears to not have been used in the graph
print(torch.autograd.grad(t**2, [t, unused], allow_unused=True))  # (tensor(4.), None)
print(torch.autograd.grad(t**2, [t, unused], materialize_grads=True))  # (tensor(4.), tensor(0.))

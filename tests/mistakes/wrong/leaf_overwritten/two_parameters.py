# right: abs(weight.item() - 2) < 0.05 and abs(bias.item() + 1) < 0.05
import torch

x = torch.linspace(-1, 1, 20)
y = 2 * x - 1
weight = torch.zeros(1, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
for epoch in range(200):
    loss = (weight * x + bias - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        bias -= 0.2 * (bias.grad if bias.grad is not None else 0)
        bias.grad = None
    if weight.grad is None:
        break
    weight = weight - 0.2 * weight.grad  # <- leaf_overwritten
    # instead: with torch.no_grad(): weight -= 0.2 * weight.grad
    # then: with torch.no_grad(): weight -= 0.2 * weight.grad; weight.grad = None

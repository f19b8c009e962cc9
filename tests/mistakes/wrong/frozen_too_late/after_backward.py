# right: w.tolist() == kept
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([0.5], requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)
x = torch.tensor([1.0, -1.0])
for step in range(8):
    ((w * x).sum() + b - 1).pow(2).sum().backward()
    if step == 4:
        w.requires_grad_(False)  # <- frozen_moved
        # then: w.requires_grad_(False)
        # also: w.grad = None
        kept = w.tolist()
    optimizer.step()
    optimizer.zero_grad()

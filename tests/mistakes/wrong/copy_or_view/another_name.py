# right: moved > 1
import torch

w = torch.tensor([5.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
old = w  # <- shared_copy
# instead: old = w.detach().clone()
for step in range(6):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()
moved = (w - old).abs().item()

# right: (w - 3).abs().max().item() < 0.01
# said: losses.mean().backward()
import torch

w = torch.zeros(4, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)
for step in range(60):
    losses = (w - 3) ** 2
    optimizer.zero_grad()
    losses.backward()  # <- error
    # then: losses.sum().backward()
    optimizer.step()

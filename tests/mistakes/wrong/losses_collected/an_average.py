# right: not getattr(average, "requires_grad", False)
import torch

w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
average = 0.0
for step in range(25):
    loss = (w - 1).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * loss  # <- collected_losses
    # instead: average = 0.9 * average + 0.1 * loss.item()

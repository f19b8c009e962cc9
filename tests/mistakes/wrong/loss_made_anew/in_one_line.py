# right: abs(w.item() - 3) < 0.01
import torch

w = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for step in range(200):
    error = (w - 3).pow(2).sum()
    loss = torch.tensor(error.item(), requires_grad=True)  # <- copied_loss
    # instead: loss = error
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

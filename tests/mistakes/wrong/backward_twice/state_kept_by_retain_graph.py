# right: loss.item() < 0.01
# said: `h` comes from the pass before
import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.RNNCell(1, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.01)
h = torch.zeros(1, 8)
for step in range(400):
    x = torch.tensor([[float(step % 2)]])
    h = cell(x, h)
    loss = ((head(h) - (1 - x)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- error
    # instead: loss.backward()
    # also: h = h.detach()
    optimizer.step()

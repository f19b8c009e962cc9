# right: total.item() < 0.3
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = (x[:, 0] > 0).long()
for epoch in range(50):
    total = 0.0
    total += nn.functional.cross_entropy(net(x), y).item()
    # instead: total += nn.functional.cross_entropy(net(x), y)
    loss = torch.tensor(total, requires_grad=True)  # <- copied_loss
    # instead: loss = total
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
total = loss

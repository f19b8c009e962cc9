# right: loss.item() < 0.1
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = x.sum(1, keepdim=True)
torch.set_grad_enabled(False)
before = nn.functional.mse_loss(net(x), y).item()
# also: torch.set_grad_enabled(True)
for epoch in range(50):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()  # <- error
    optimizer.step()

# right: loss.item() < 0.001
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x = torch.randn(40, 3)
y = x.sum(1, keepdim=True)
for epoch in range(100):
    loss = nn.functional.mse_loss(net(x), y)
    # also: net.zero_grad()
    loss.backward()  # <- no_zero_grad
    for p in net.parameters():
        p.data -= 0.1 * p.grad

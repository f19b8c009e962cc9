# right: loss.item() < 0.05
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        return self.layer(x).squeeze(-1)


torch.manual_seed(0)
x = torch.randn(25, 3)
y = x.sum(1, keepdim=True)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for epoch in range(200):
    loss = F.l1_loss(net(x), y)  # <- broadcast_loss
    # instead: loss = F.l1_loss(net(x), y.squeeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

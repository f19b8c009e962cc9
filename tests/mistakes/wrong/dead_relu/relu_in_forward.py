# right: loss.item() < 0.01
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)

    def forward(self, x):
        return F.relu(self.layer(x))  # <- dead_relu
        # instead: return self.layer(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.linspace(0, 1, 20).unsqueeze(1)
for step in range(600):
    loss = (net(x) - (x - 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

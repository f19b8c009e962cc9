# right: torch.equal(net.body.weight, before)
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x = torch.randn(20, 3)


def steps(count):
    for _ in range(count):
        for each in net.parameters():
            if each.grad is not None:
                each.grad.zero_()
        net(x).pow(2).mean().backward()
        optimizer.step()


steps(5)
net.body.requires_grad_(False)  # <- frozen_moved
# then: net.body.requires_grad_(False)
# also: net.body.zero_grad()
before = net.body.weight.clone()
steps(5)

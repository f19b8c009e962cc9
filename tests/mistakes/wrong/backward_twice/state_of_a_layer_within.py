# right: loss.item() < 0.1
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(2, 2)
        self.h = torch.zeros(2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        # also: self.cell.h = self.cell.h.detach()
        self.cell.h = torch.tanh(self.cell.mix(self.cell.h) + x)
        return self.cell.h


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range(100):
    loss = (net(torch.ones(2)) - torch.tensor([0.5, -0.5])).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()  # <- error
    optimizer.step()

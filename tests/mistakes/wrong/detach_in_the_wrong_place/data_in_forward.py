# right: loss.item() < 0.05
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 16)
        self.second = nn.Linear(16, 1)

    def forward(self, x):
        hidden = torch.relu(self.first(x).data)  # <- never_gradient
        # instead: hidden = torch.relu(self.first(x))
        return self.second(hidden)


def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    x = torch.randn(80, 2)
    y = (x[:, :1] * x[:, 1:]).sin()
    for _ in range(300):
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


loss = main()

# right: len(list(Net(3).parameters())) == 8
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.blocks = [nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(depth)]  # <- unregistered_layers
        # instead: self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(depth)])
        self.last = nn.Linear(2, 1)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.last(x)


net = Net(2)
opt = torch.optim.Adam(net.parameters())
for _ in range(8):
    opt.zero_grad()
    net(torch.randn(5, 2)).mean().backward()
    opt.step()

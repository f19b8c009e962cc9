# right: net.steps == 12
import torch
from torch import nn


class Counting(nn.BatchNorm1d):
    steps = 0

    def forward(self, x):
        net.steps += self.training
        return super().forward(x)


class Net(nn.Module):
    steps = 0

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), Counting(8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


torch.manual_seed(0)
x, y = torch.randn(40, 3), torch.randn(40)
net = Net()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(4):
    net.train()
    for start in range(0, 30, 10):
        loss = criterion(net(x[start : start + 10]), y[start : start + 10])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        # also: net.eval()
        validation = criterion(net(x[30:]), y[30:])  # <- validation_in_training_mode

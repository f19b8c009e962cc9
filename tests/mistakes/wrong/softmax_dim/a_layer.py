# right: torch.allclose(rows, torch.ones(60), atol=1e-4)
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 3))
        self.last = nn.LogSoftmax(dim=0)  # <- softmax_dim
        # instead: self.last = nn.LogSoftmax(dim=1)

    def forward(self, x):
        return self.last(self.body(x))


torch.manual_seed(1)
x = torch.randn(60, 3)
y = torch.where(x[:, 0] > -1.2, torch.where(x[:, 1] > 1.5, 2, 1), 0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
criterion = nn.NLLLoss()
for epoch in range(150):
    log_probabilities = net(x)
    loss = criterion(log_probabilities, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
log_probabilities = log_probabilities.detach()
rows = log_probabilities.exp().sum(1)

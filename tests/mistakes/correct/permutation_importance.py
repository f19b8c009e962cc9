import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(60, 3)
y = X[:, :1] * 2
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
for e in range(20):
    opt.zero_grad()
    nn.functional.mse_loss(net(X), y).backward()
    opt.step()
with torch.no_grad():
    base = nn.functional.mse_loss(net(X), y).item()
    for j in range(3):
        Xp = X.clone()
        Xp[:, j] = X[torch.randperm(60), j]
        print(j, nn.functional.mse_loss(net(Xp), y).item() - base)

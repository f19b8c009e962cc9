import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
X = torch.randn(40, 4)
y = X[:, :3].argmax(1)
opt = torch.optim.Adam(net.parameters(), 0.01)
for e in range(5):
    net.train()
    opt.zero_grad()
    nn.functional.cross_entropy(net(X), y).backward()
    opt.step()
net.eval()
ft = torch.optim.SGD(net[3].parameters(), 0.01)
for e in range(5):
    ft.zero_grad()
    nn.functional.cross_entropy(net(X), y).backward()
    ft.step()
# recalibrate BN
net.train()
with torch.no_grad():
    for b in X.split(10):
        net(b)
net.eval()

# right: loss.item() < 0.3
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 4)
y = (x.sum(1, keepdim=True) > 0).float()
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
# instead: net = nn.Sequential(nn.Linear(4, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
for epoch in range(60):
    loss = criterion(net(x), y)  # <- sigmoid_before_logits
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# right: loss.item() < 0.1
# said: features = encoder(x)
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(2, 8), nn.Tanh())
head = nn.Linear(8, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.02)
x = torch.randn(64, 2)
y = (3 * x[:, :1]).sin()
for epoch in range(400):
    with torch.no_grad():
        # then: if True:
        features = encoder(x)  # <- never_gradient
    loss = (head(features) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

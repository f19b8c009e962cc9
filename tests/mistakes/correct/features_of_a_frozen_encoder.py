import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU())
head = nn.Linear(8, 2)
encoder.eval()
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(10):
    x, y = torch.randn(16, 3), torch.randint(2, (16,))
    with torch.no_grad():
        features = encoder(x)
    loss = nn.functional.cross_entropy(head(features), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

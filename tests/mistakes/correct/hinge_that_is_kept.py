import torch
from torch import nn

torch.manual_seed(0)
x = torch.cat([torch.randn(20, 2) + 4, torch.randn(20, 2) - 4])
y = torch.cat([torch.ones(20), -torch.ones(20)])
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(40):  # after a few epochs no sample breaks the margin, and the loss is 0
    loss = torch.relu(1 - y * model(x).squeeze(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

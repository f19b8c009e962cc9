import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.ReLU())
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(40, 2)
y = x.abs().sum(1, keepdim=True)
for epoch in range(30):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
hinge = nn.Linear(2, 1)
for _ in range(5):
    margin = torch.relu(1 - hinge(torch.zeros(4, 2)) - 5)  # no sample breaks the margin: nothing is to be done
    hinge.zero_grad()
    margin.sum().backward()

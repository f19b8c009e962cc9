# right: loss.item() < 0.02
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(60, 2)
y = -2 - x.abs().sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1), nn.ReLU())
# instead: model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(500):
    loss = nn.functional.mse_loss(model(x), y)  # <- dead_relu
    opt.zero_grad()
    loss.backward()
    opt.step()

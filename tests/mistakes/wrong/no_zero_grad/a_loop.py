# right: loss.item() < 1e-3
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(50, 2)
y = x.sum(1, keepdim=True)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(60):
    loss = nn.functional.mse_loss(model(x), y)
    # also: opt.zero_grad()
    loss.backward()
    opt.step()  # <- no_zero_grad

# right: loss.item() < 0.01
# said: The loss grew in
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(100, 3) * 10
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=1.0)
# instead: opt = torch.optim.SGD(model.parameters(), lr=0.005)
for epoch in range(60):
    loss = nn.functional.mse_loss(model(x), y)  # <- nan
    opt.zero_grad()
    loss.backward()
    opt.step()

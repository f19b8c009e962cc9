# right: nn.functional.mse_loss(model(x), y).item() < 0.1
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(100, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
for epoch in range(50):
    loss = nn.functional.mse_loss(model(x), y).item()
    # instead: loss = nn.functional.mse_loss(model(x), y)
    loss = torch.tensor(loss, requires_grad=True)  # <- copied_loss
    # leave out
    opt.zero_grad()
    loss.backward()
    opt.step()

import torch
from torch import nn

w = torch.tensor([2.0], requires_grad=True)
alias = w
optimizer = torch.optim.SGD([alias], lr=0.1)
best = model = nn.Linear(2, 1)
for step in range(12):
    optimizer.zero_grad()
    ((w - 1) ** 2 + 0 * (w - w)).sum().backward()
    optimizer.step()
    if step == 5:
        saved = {"model": model, "step": step}
assert alias is w and best is model

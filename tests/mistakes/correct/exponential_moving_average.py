import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    loss = model(torch.randn(8, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), model.parameters()):
            slow.mul_(0.9).add_(fast.detach(), alpha=0.1)
print(sum((a - b).abs().sum().item() for a, b in zip(average.parameters(), model.parameters())))

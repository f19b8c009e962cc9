import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = [p.detach().clone() for p in model.parameters()]
start = model.weight.detach().numpy().copy()
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(4, 2)).pow(2).mean().backward()
    optimizer.step()
moved = sum((p - b).norm().item() for p, b in zip(model.parameters(), before))
assert moved > 0 and abs(model.weight.detach().numpy() - start).max() > 0

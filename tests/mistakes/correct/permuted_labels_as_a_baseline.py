import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(80, 2)
y = (x[:, :1] > 0).float()


def fit(inputs, targets):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(10):
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


order = torch.randperm(80)
x, y = x[order], y[order]
real, chance = fit(x, y), fit(x, y[torch.randperm(80)])
assert real < chance

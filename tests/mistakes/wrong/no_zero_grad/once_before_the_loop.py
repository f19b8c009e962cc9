# right: loss.item() < 1e-3
import torch
from torch import nn


def fit(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    # leave out
    for _ in range(80):
        loss = (model(x) - y).square().mean()
        # also: optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # <- no_zero_grad
    return loss


torch.manual_seed(0)
x = torch.randn(40, 3)
loss = fit(nn.Linear(3, 1), x, x[:, :1] - x[:, 1:2])

# right: not any(getattr(each, "requires_grad", False) for each in losses)
import torch
from torch import nn


def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 3)).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss)  # <- collected_losses
        # instead: losses.append(loss.item())
    return losses


losses = train(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)), 25)

# right: moved > 0
import torch
from torch import nn


def distance(model, weights):
    return sum((p - q).norm().item() for p, q in zip(model.parameters(), weights))


def train(model):
    weights = [p.data for p in model.parameters()]  # <- shared_copy
    # instead: weights = [p.data.clone() for p in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).pow(2).mean().backward()
        optimizer.step()
    return distance(model, weights)


torch.manual_seed(0)
moved = train(nn.Linear(2, 2))

# right: loss.item() < 0.05
import torch
from torch import nn


def train(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prediction = model(x)
    for epoch in range(100):
        # also: prediction = model(x)
        loss = nn.functional.mse_loss(prediction, y)
        optimizer.zero_grad()
        loss.backward()  # <- error
        optimizer.step()
    return loss


torch.manual_seed(0)
x = torch.randn(30, 2)
loss = train(nn.Linear(2, 1), x, x.sum(1, keepdim=True) + 1)

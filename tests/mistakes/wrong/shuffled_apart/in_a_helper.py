# right: loss.item() < 0.01
# said: order = torch.randperm(len(inputs)); inputs, targets = inputs[order], targets[order]
import random

import torch
from torch import nn


def shuffle(t):
    index = list(range(len(t)))
    random.shuffle(index)
    return t[index]  # <- shuffled_apart


torch.manual_seed(0)
x = torch.randn(80, 3)
y = x.sum(1, keepdim=True)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(50):
    xs, ys = shuffle(x), shuffle(y)
    # then: order = torch.randperm(len(x)); xs, ys = x[order], y[order]
    loss = nn.functional.mse_loss(net(xs), ys)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

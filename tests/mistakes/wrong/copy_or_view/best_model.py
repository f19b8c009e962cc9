# right: best_model is not model
import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
best_model, lowest = None, float("inf")
x = torch.randn(16, 3)
for epoch in range(12):
    loss = model(x).pow(2).mean()
    if loss.item() < lowest:
        lowest = loss.item()
        best_model = model  # <- shared_copy
        # instead: best_model = copy.deepcopy(model)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

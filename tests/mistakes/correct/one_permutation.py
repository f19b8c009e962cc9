import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 3)
y = x.sum(1)
order = torch.randperm(60)
x, y = x[order], y[order]
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    order = torch.randperm(60)
    for start in range(0, 60, 20):
        rows = order[start : start + 20]
        loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
np.random.seed(3)
inputs = np.random.randn(20, 3).astype(np.float32)
targets = inputs.sum(1)
state = np.random.get_state()
np.random.shuffle(inputs)
np.random.set_state(state)
np.random.shuffle(targets)
loss = nn.functional.mse_loss(model(torch.from_numpy(inputs)).squeeze(1), torch.from_numpy(targets))
loss.backward()

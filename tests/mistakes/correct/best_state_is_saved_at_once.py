import io

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
lowest, file = float("inf"), io.BytesIO()
for epoch in range(10):
    loss = model(torch.randn(8, 3)).pow(2).mean()
    if loss.item() < lowest:
        lowest = loss.item()
        best = model.state_dict()
        file = io.BytesIO()
        torch.save(best, file)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
file.seek(0)
model.load_state_dict(torch.load(file))

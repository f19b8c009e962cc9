import copy
import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
start = copy.deepcopy(model.state_dict())
opt = torch.optim.SGD(model.parameters(), lr=1e-4)
lrs, losses = [], []
best = math.inf
for i in range(100):
    x = torch.randn(32, 3)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    if loss.item() > 10 * best:
        break
    best = min(best, loss.item())
    opt.zero_grad()
    loss.backward()
    opt.step()
    lrs.append(opt.param_groups[0]["lr"])
    losses.append(loss.item())
    for g in opt.param_groups:
        g["lr"] *= 1.2
model.load_state_dict(start)

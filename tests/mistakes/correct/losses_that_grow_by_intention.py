import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(1, 4, requires_grad=True)
model = nn.Linear(4, 3).requires_grad_(False)
optimizer = torch.optim.SGD([x], lr=0.5, maximize=True)
for step in range(20):  # an image that excites a class
    score = model(x)[0, 1] - 0.1 * x.pow(2).sum()
    optimizer.zero_grad()
    score.backward()
    optimizer.step()
w = torch.zeros(1, requires_grad=True)
for rate in (1e-6, 1e-4, 1e-2, 0.1, 0.3):  # a range test: each run on its own
    w = torch.tensor([5.0], requires_grad=True)
    trial = torch.optim.SGD([w], lr=rate)
    for _ in range(3):
        loss = w.pow(2).sum()
        trial.zero_grad()
        loss.backward()
        trial.step()

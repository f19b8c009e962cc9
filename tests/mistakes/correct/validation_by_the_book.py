import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(80, 4)
y = (x[:, 0] > 0).long()


@torch.no_grad()
def accuracy():
    model.eval()
    found = (model(x[60:]).argmax(1) == y[60:]).float().mean().item()
    model.train()
    return found


best, state = 0.0, None
print("before", accuracy())
for epoch in range(10):
    loss = nn.functional.cross_entropy(model(x[:60]), y[:60])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (now := accuracy()) > best:
        best, state = now, copy.deepcopy(model.state_dict())
model.load_state_dict(state)
model.eval()
probabilities = torch.softmax(model(x[60:]), dim=1).detach()
print(probabilities.argmax(dim=1))

# right: accuracy > 0.9
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(120, 2)
labels = (x[:, 0] > x[:, 1]).long()
model = nn.Linear(2, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(20):
    first, second = torch.randperm(len(x)), torch.randperm(len(x))
    for start in range(0, 120, 30):
        batch = x[first[start : start + 30]]
        wanted = labels[second[start : start + 30]]  # <- shuffled_apart
        # then: wanted = labels[first[start : start + 30]]
        loss = nn.functional.cross_entropy(model(batch), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
accuracy = (model(x).argmax(1) == labels).float().mean().item()

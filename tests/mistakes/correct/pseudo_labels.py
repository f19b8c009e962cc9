import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
known, labels = torch.randn(12, 2), torch.randint(3, (12,))
unknown = torch.randn(30, 2)
for step in range(20):
    with torch.no_grad():
        confidence, guess = F.softmax(model(unknown), dim=1).max(dim=1)
        mask = (confidence > 0.4).float()
    noisy = unknown + 0.1 * torch.randn_like(unknown)
    loss = F.cross_entropy(model(known), labels)
    loss = loss + (mask * F.cross_entropy(model(noisy), guess, reduction="none")).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 2)
y = (x[:, 0] > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
unlabelled = DataLoader(torch.randn(64, 2), batch_size=16, shuffle=True)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for (inputs, labels), other in zip(loader, unlabelled):
        scores = model(other)
        entropy = -(scores.softmax(1) * scores.log_softmax(1)).sum(1).mean()
        loss = nn.functional.cross_entropy(model(inputs), labels) + 0.1 * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# right: abs(model.weight.item() - 3) < 0.1
# said: TensorDataset(inputs, targets), batch_size=16, shuffle=True
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(64, 1)
targets = 3 * inputs
first = DataLoader(inputs, batch_size=16, shuffle=True)
# then: pairs = DataLoader(TensorDataset(inputs, targets), batch_size=16, shuffle=True)
second = DataLoader(targets, batch_size=16, shuffle=True)  # <- shuffled_apart
# leave out
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(30):
    for x, y in zip(first, second):
        # then: for x, y in pairs:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

# right: torch.equal(inputs[0, 2], x[0, :, 2])
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(8, 10, 3)
y = x[:, :, 0].mean(1, keepdim=True)
model = nn.Sequential(nn.Conv1d(3, 4, 3), nn.Flatten(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = x.reshape(8, 3, 10)  # <- reshape_permutes
# instead: inputs = x.permute(0, 2, 1)
for step in range(5):
    loss = nn.functional.mse_loss(model(inputs), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

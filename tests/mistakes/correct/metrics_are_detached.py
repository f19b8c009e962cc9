import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
history, predictions, arrays = [], [], []
for epoch in range(20):
    x = torch.randn(16, 3)
    hidden = model[1](model[0](x))
    prediction = model[2](hidden)
    loss = (prediction - x[:, :1]).pow(2).mean()
    history.append(torch.tensor(loss.item()))
    predictions.append(prediction.detach())
    arrays.append(loss.detach().numpy())
    activity = hidden.detach().abs().mean().item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert len({each.item() for each in history}) > 10 and torch.stack(predictions).shape[0] == 20

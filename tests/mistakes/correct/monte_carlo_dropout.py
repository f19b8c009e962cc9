import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.linspace(-1, 1, 40).unsqueeze(1)
for epoch in range(30):
    loss = nn.functional.mse_loss(model(x), x**2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.train()  # dropout stays on: the spread of several passes says how sure the model is
with torch.no_grad():
    draws = torch.stack([model(x) for _ in range(10)])
print(draws.mean(0).shape, draws.std(0).mean())

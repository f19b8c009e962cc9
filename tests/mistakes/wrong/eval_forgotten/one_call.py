# right: torch.equal(shown, model.eval()(x[150:]))
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(200, 5)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(5, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(30):
    loss = nn.functional.cross_entropy(model(x[:150]), y[:150])
    opt.zero_grad()
    loss.backward()
    opt.step()

with torch.no_grad():
    # also: model.eval()
    shown = model(x[150:])  # <- validation_in_training_mode
    accuracy = (shown.argmax(1) == y[150:]).float().mean()
print("accuracy", accuracy.item())

# right: loss.item() < 0.01
import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 16).unsqueeze(1)
y = 3 * x.squeeze(1) + 1
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(200):
    loss = ((model(x) - y) ** 2).mean()  # <- broadcast_loss
    # instead: loss = ((model(x) - y.unsqueeze(1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

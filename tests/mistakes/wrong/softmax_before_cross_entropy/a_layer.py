# right: loss.item() < 0.3
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(100, 4)
y = x[:, :3].argmax(1)
model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
# instead: model = nn.Sequential(nn.Linear(4, 3))
opt = torch.optim.SGD(model.parameters(), lr=1.0)
for epoch in range(100):
    loss = nn.functional.cross_entropy(model(x), y)  # <- softmax_before_cross_entropy
    opt.zero_grad()
    loss.backward()
    opt.step()

# right: loss.item() < 0.4
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(200, 5)
y = x[:, :3].argmax(1)
model = nn.Linear(5, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(100):
    p = torch.softmax(model(x), dim=0)  # <- softmax_dim
    # instead: p = torch.softmax(model(x), dim=1)
    loss = nn.functional.nll_loss(torch.log(p), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

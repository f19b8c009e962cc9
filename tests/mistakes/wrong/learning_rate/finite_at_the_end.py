# right: loss.item() < 0.01
import torch

torch.manual_seed(0)
x = torch.randn(50, 2) * 3
y = x @ torch.tensor([1.0, -1.0])
w = torch.zeros(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.2)  # <- growing_loss
# instead: opt = torch.optim.SGD([w], lr=0.05)
for step in range(15):
    loss = ((x @ w - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

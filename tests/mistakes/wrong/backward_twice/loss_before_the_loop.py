# right: loss.item() < 0.05
import torch

torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
x = torch.randn(20, 3)
y = x @ torch.tensor([1.0, 2.0, 3.0])
opt = torch.optim.SGD([w], lr=0.1)
loss = ((x @ w - y) ** 2).mean()
for i in range(50):
    # also: loss = ((x @ w - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()  # <- error
    opt.step()

# right: loss.item() < 0.01
import torch

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5])
x = x[torch.randperm(64)]
# then: order = torch.randperm(64)
# also: x = x[order]
y = y[torch.randperm(64)]  # <- shuffled_apart
# instead: y = y[order]
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(100):
    loss = ((x @ w - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

import torch

torch.manual_seed(0)
w = torch.zeros(2, requires_grad=True)
mom = 0
for e in range(10):
    for k in range(3):
        x = torch.randn(8, 2)
        ((x @ w - x.sum(1)) ** 2).mean().div(3).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None

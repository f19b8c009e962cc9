# right: abs(a.item() - 3) < 0.1 and abs(b.item() - 1) < 0.1
import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)
t = 3 * x + 1
a = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(500):
    loss = ((a * x + b - t) ** 2).mean()
    # also: a.grad = None; b.grad = None
    loss.backward()  # <- no_zero_grad
    with torch.no_grad():
        a -= 0.1 * a.grad
        b -= 0.1 * b.grad

# right: abs((w * x).sum().item() - 1) < 0.01
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
for step in range(50):
    loss = ((w * x).sum() - 1) ** 2
    loss.backward()  # <- error
    with torch.no_grad():
        w = w - 0.01 * w.grad
        # instead: w -= 0.01 * w.grad; w.grad = None

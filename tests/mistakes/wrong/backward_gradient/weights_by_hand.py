# right: (w - t).abs().max().item() < 0.01
import torch

w = torch.zeros(3, requires_grad=True)
t = torch.tensor([1.0, 2.0, 3.0])
weights = torch.tensor([1.0, 0.1, 0.01])
for step in range(50):
    error = (w - t) ** 2
    error.backward(weights)  # <- gradient_weights
    # instead: error.sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()

# right: abs(w.item() - 3) < 0.01
import torch

w = torch.zeros(1, requires_grad=True)
for step in range(60):
    loss = (w - 3).pow(2).sum()
    loss.backward()
    w = w - 0.1 * w.grad
    # then: with torch.no_grad(): w -= 0.1 * w.grad
    w.grad.zero_()  # <- error
# said: w -= 0.1 * w.grad

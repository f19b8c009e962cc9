# right: abs(w.item() - 2) < 0.01
import torch

w = torch.tensor([0.0], requires_grad=True)
for step in range(60):
    loss = (w - 2).pow(2).sum()
    loss.backward()
    w -= 0.1 * w.grad  # <- error
    # then: with torch.no_grad():
    # also:     w -= 0.1 * w.grad
    w.grad = None
# said: with torch.no_grad():

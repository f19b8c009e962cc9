# right: w.abs().max().item() < 0.6
# said: return w
import torch


def step(w):
    loss = (w**2).sum()
    loss.backward()
    return w - 0.1 * w.grad  # <- error
    # then: w.data -= 0.1 * w.grad; w.grad = None; return w


w = torch.ones(2, requires_grad=True)
for i in range(3):
    w = step(w)

# right: abs(w.item() - 3) < 0.05
import torch


def train(w):
    for _ in range(60):
        loss = (w - 3).pow(2).sum()
        loss.backward()
        if w.grad is not None:
            w = w - 0.1 * w.grad  # <- leaf_overwritten
            # instead: with torch.no_grad(): w -= 0.1 * w.grad; w.grad = None
    return w


w = train(torch.zeros(1, requires_grad=True))

# right: abs(w.item() - 5) < 0.01
import torch


def fit(w):
    optimizer = torch.optim.Adam([w], lr=0.5)
    for _ in range(120):
        errors = (w - torch.tensor([4.0, 6.0])).abs() ** 2
        optimizer.zero_grad()
        errors.backward(gradient=torch.zeros(2))  # <- gradient_weights
        # instead: errors.sum().backward()
        optimizer.step()


w = torch.zeros(1, requires_grad=True)
fit(w)

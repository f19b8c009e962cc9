# right: (w - target).abs().max().item() < 0.01
import torch

w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
target = torch.tensor([1.0, 2.0, 3.0])
weights = torch.tensor([0.1, 1.0, 0.0001])
for step in range(50):
    losses = (w - target) ** 2
    optimizer.zero_grad()
    losses.backward(weights)  # <- gradient_weights
    # instead: losses.sum().backward()
    optimizer.step()

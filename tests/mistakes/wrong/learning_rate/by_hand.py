# right: abs(w.item() - 4) < 0.01
# said: The loss grew in
import torch

x = torch.tensor([1.0, 2.0, 3.0, 20.0])
y = 4 * x
w = torch.zeros(1, requires_grad=True)
for epoch in range(60):
    loss = ((w * x - y) ** 2).mean()  # <- nan
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        # instead: w -= 0.004 * w.grad
        w.grad.zero_()

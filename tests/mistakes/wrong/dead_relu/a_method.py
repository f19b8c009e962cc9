# right: abs(w.item() + 1) < 0.01
import torch

w = torch.tensor([-0.5], requires_grad=True)
x = torch.tensor([1.0, 2.0, 3.0])
optimizer = torch.optim.SGD([w], lr=0.05)
for step in range(60):
    prediction = (w * x).relu()  # <- dead_relu
    # instead: prediction = w * x
    loss = ((prediction + x) ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

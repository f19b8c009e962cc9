# right: loss.item() < 0.3
import torch

torch.manual_seed(0)
x = torch.randn(50, 4)
target = torch.nn.functional.one_hot(x.argmax(1), 4).float()
w = torch.zeros(4, 4, requires_grad=True)
for step in range(200):
    probabilities = (x @ w).softmax(0)  # <- softmax_dim
    # instead: probabilities = (x @ w).softmax(dim=1)
    loss = -(target * torch.log(probabilities + 1e-9)).sum(dim=1).mean()
    w.grad = None
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad

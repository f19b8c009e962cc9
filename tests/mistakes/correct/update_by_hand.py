import torch

torch.manual_seed(0)
w1 = torch.randn(2, 8, requires_grad=True)
w2 = torch.randn(8, 1, requires_grad=True)
x = torch.randn(30, 2)
y = x[:, :1] * x[:, 1:]
for step in range(50):
    loss = (torch.tanh(x @ w1) @ w2 - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w1 -= 0.05 * w1.grad
        w2.data = w2.data - 0.05 * w2.grad
        w1.grad.zero_()
        w2.grad = None
values = torch.zeros(3)
for _ in range(4):
    values = values - 0.1 * values

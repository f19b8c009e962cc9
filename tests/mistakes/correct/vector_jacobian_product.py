import torch

x = torch.randn(3, requires_grad=True)
y = x * 2
while y.norm() < 1000:
    y = y * 2
v = torch.tensor([0.1, 1.0, 0.0001])
y.backward(v)
print(x.grad)

"""`backward(gradient)` scales: 3 times the derivative of x cubed at 1."""

import torch

x = torch.tensor(1.0, requires_grad=True)
z = x**3
z.backward(torch.tensor(3.0))

print(z.grad_fn.name())  # PowBackward0
print(x.grad)  # tensor(9.)

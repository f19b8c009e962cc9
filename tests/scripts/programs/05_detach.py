"""`detach` gives a second look at the same memory that never requires grad."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.detach()

print(y.requires_grad, y.is_leaf, y.grad_fn)  # False True None
print(x.eq(y).all())  # tensor(True)
print(y is x, y.data_ptr() == x.data_ptr())  # False True

y[0] = 7.0
print(x)  # tensor([7., 2., 3.], requires_grad=True)

z = (x * 2).detach()
print(z.requires_grad, (z + 1).requires_grad, (z + x).requires_grad)  # False False True

y.requires_grad_()
(y * 5).sum().backward()
print(y.grad, x.grad)  # tensor([5., 5., 5.]) None

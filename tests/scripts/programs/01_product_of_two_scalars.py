"""A tracked scalar times an untracked one: who is a leaf, who requires grad, who has a history."""

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0)
c = a * b

print(c)  # tensor(6., grad_fn=<MulBackward0>)
print(c.grad_fn.name(), type(c.grad_fn).__name__)  # MulBackward0 MulBackward0
print(c.is_leaf, c.requires_grad)  # False True
print(a.is_leaf, a.requires_grad, a.grad, a.grad_fn)  # True True None None
print(b.is_leaf, b.requires_grad, b.grad, b.grad_fn)  # True False None None

c.backward()
print(a.grad, b.grad)  # tensor(3.) None

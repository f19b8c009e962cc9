"""A change in place through `.data` goes unseen and spoils the gradient; the same through `.detach()` is refused."""

import torch


def gradient_after(spoil):
    """The gradient of sum(sigmoid(w)) if `spoil` touches the saved result first."""
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    out = w.sigmoid()
    spoil(out)
    out.sum().backward()
    return w.grad


print(gradient_after(lambda out: None))  # tensor([0.1966, 0.1050, 0.0452])
print(gradient_after(lambda out: out.data.zero_()))  # tensor([0., 0., 0.])
try:
    gradient_after(lambda out: out.detach().zero_())
except RuntimeError as error:
    text = str(error).splitlines()[0]
    print(text.partition(":")[0])
    # one of the variables needed for gradient computation has been modified by an inplace operation
    print(text.partition("which is ")[2].partition(".")[0])
    # output 0 of Sigmoid, is at version 1; expected version 0 instead

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
x.data.mul_(10)
y.sum().backward()
print(y.detach(), x.grad)  # tensor([1., 4., 9.]) tensor([20., 40., 60.])

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
x.detach().mul_(10)
try:
    y.sum().backward()
except RuntimeError as error:
    print("modified by an inplace operation" in str(error), x.grad)  # True None

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x + 2
x.detach().mul_(10)
y.sum().backward()
print(x.grad)  # tensor([1., 1., 1.])

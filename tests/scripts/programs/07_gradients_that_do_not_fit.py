"""Two refusals: a gradient of another shape than its output, and a vector output without a gradient."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

try:
    x.sum(dim=0, keepdim=True).backward(torch.ones(3))
except RuntimeError as error:
    print(str(error).splitlines()[0])
    # Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([1]).
try:
    x.sum().backward(torch.ones(3))
except RuntimeError as error:
    print(str(error).splitlines()[0])
    # Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([]).
try:
    (x * 2).backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])  # grad can be implicitly created only for scalar outputs
print(x.grad)  # None

total = x.sum(dim=0, keepdim=True)
total.backward()
print(x.grad)  # tensor([1., 1., 1.])

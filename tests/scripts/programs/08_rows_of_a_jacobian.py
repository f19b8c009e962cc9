"""The gradient given to backward picks rows of the Jacobian; the oldest spelling, with `Variable` and `.data`."""

import torch
from torch.autograd import Variable

x = Variable(torch.FloatTensor([[1, 2, 3, 4]]), requires_grad=True)
z = 2 * x
loss = z.sum(dim=1)

z.backward(torch.FloatTensor([[1, 0, 0, 0]]), retain_graph=True)
print(x.grad.data.tolist())  # [[2.0, 0.0, 0.0, 0.0]]
x.grad.data.zero_()
z.backward(torch.FloatTensor([[0, 1, 0, 0]]), retain_graph=True)
print(x.grad.data.tolist())  # [[0.0, 2.0, 0.0, 0.0]]
x.grad.data.zero_()
z.backward(torch.FloatTensor([[1, 1, 1, 1]]), retain_graph=True)
print(x.grad.data)  # tensor([[2., 2., 2., 2.]])
x.grad.data.zero_()
print(loss.shape)  # torch.Size([1])
loss.backward()
print(x.grad.data)  # tensor([[2., 2., 2., 2.]])

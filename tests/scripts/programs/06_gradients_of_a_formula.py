"""y = 3 a + 2 b b + log c: the gradient given to backward, accumulation, and a graph used up."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
c = torch.tensor([6.0, 7.0, 8.0], requires_grad=True)
y = 3 * a + 2 * b * b + torch.log(c)
y.backward(torch.FloatTensor([0.1, 1.0, 0.0001]), retain_graph=True)
print(a.grad)  # tensor([3.0000e-01, 3.0000e+00, 3.0000e-04])
print(b.grad)  # tensor([1.2000e+00, 1.6000e+01, 2.0000e-03])
print(c.grad)  # tensor([1.6667e-02, 1.4286e-01, 1.2500e-05])

p = torch.tensor(0.1, requires_grad=True)
q = torch.tensor(1.0, requires_grad=True)
r = torch.tensor(0.1, requires_grad=True)
y = 3 * p + 2 * q * q + torch.log(r)
y.backward()
print(p.grad, q.grad, r.grad)  # tensor(3.) tensor(4.) tensor(10.)

p = torch.tensor(1.0, requires_grad=True)
q = torch.tensor(1.0, requires_grad=True)
r = torch.tensor(1.0, requires_grad=True)
y = 3 * p + 2 * q * q + torch.log(r)
y.backward(retain_graph=True)
y.backward()
print(p.grad, q.grad, r.grad)  # tensor(6.) tensor(8.) tensor(2.)

try:
    y.backward()
except RuntimeError as error:
    print(str(error).split(" (")[0])  # Trying to backward through the graph a second time
print(p.grad, q.grad, r.grad)  # tensor(6.) tensor(8.) tensor(2.)

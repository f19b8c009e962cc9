"""One step of a recurrent network: two matrix products, a sum, a tanh."""

import torch

torch.manual_seed(2)
W_h = torch.randn(20, 20, requires_grad=True)
W_x = torch.randn(20, 10, requires_grad=True)
x = torch.randn(1, 10)
prev_h = torch.randn(1, 20)

h2h = torch.mm(W_h, prev_h.t())
i2h = torch.mm(W_x, x.t())
next_h = (h2h + i2h).tanh()
loss = next_h.sum()
loss.backward()

sum_node = next_h.grad_fn.next_functions[0][0]
print(next_h.shape, next_h.grad_fn.name())  # torch.Size([20, 1]) TanhBackward0
print(sum_node.name(), [node.name() for node, _ in sum_node.next_functions])
# AddBackward0 ['MmBackward0', 'MmBackward0']
print(W_h.grad.shape, W_x.grad.shape)  # torch.Size([20, 20]) torch.Size([20, 10])
print(x.grad, prev_h.grad)  # None None

slope = 1 - next_h.detach() ** 2  # (20, 1): the derivative of tanh
print(torch.allclose(W_h.grad, slope @ prev_h, atol=1e-6), torch.allclose(W_x.grad, slope @ x, atol=1e-6))  # True True

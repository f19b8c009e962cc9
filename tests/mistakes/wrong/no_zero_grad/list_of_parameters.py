# right: loss.item() < 0.1
import torch


def make(*shapes):
    return [(torch.randn(shape) / 2).requires_grad_() for shape in shapes]


torch.manual_seed(0)
params = make((3, 8), (8,), (8, 1))
x = torch.randn(40, 3)
for epoch in range(300):
    h = torch.tanh(x @ params[0] + params[1])
    loss = ((h @ params[2] - x.sum(1, keepdim=True)) ** 2).mean()
    # also: for p in params: p.grad = None
    loss.backward()  # <- no_zero_grad
    with torch.no_grad():
        for p in params:
            p.sub_(0.1 * p.grad)

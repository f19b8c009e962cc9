# right: gradients["weight"].shape == (5, 1, 2)
import torch
from torch.func import functional_call, grad, vmap

net = torch.nn.Linear(2, 1)
parameters = dict(net.named_parameters())


def loss(parameters, x, y):
    return (functional_call(net, parameters, (x,)) - y).square().sum()


x, y = torch.ones(5, 2), torch.ones(5, 1)
gradients = vmap(grad(loss))(parameters, x, y)  # <- error
# instead: gradients = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, y)

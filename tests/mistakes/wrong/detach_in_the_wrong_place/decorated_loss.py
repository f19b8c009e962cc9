# right: net.weight.grad is not None
# said: `@torch.no_grad()` above loss_of() switches gradients off
# said: leave out that decorator
import torch

net = torch.nn.Linear(2, 1)


@torch.no_grad()
# leave out
def loss_of(x):
    return net(x).pow(2).mean()


loss = loss_of(torch.ones(3, 2))
loss.backward()  # <- error

# right: clipped.norm(dim=1).tolist() == [1.0, 0.5]
import torch
from torch.func import grad, vmap


def loss(w, x):
    return (w * x).sum()


def clip(w, x):
    g = grad(loss)(w, x)
    size = g.norm()
    if size > 1:  # <- error
        # instead: g = torch.where(size > 1, g / size, g)
        g = g / size
        # leave out
    return g


clipped = vmap(clip, in_dims=(None, 0))(torch.ones(2), torch.tensor([[0.0, 4.0], [0.5, 0.0]]))

# right: shifted.tolist() == [[-1.0, 0.0], [0.0, -2.0]]
import torch


def shift(x):
    top = x.max().item()  # <- error
    # instead: top = x.max()
    return x - top


shifted = torch.vmap(shift)(torch.tensor([[1.0, 2.0], [5.0, 3.0]]))

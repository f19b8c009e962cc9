# right: out.tolist() == [[1.0, 2.0], [-0.0, 3.0]]
import torch


def flip(x):
    if x.sum() > 0:  # <- error
        # instead: return torch.where(x.sum() > 0, x, -x)
        return x
        # leave out
    return -x
    # leave out


out = torch.vmap(flip)(torch.tensor([[1.0, 2.0], [0.0, -3.0]]))

# right: out.tolist() == [[3.0, 0.0], [7.0, 0.0]]
import torch


def first(x):
    out = torch.zeros(2)
    # instead: out = x.new_zeros(2)
    out[0] = x.sum()  # <- error
    return out


out = torch.vmap(first)(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))

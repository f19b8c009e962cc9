# right: out.tolist() == [2.0, -3.0, 0.0]
import torch


def double_small(x):
    if x > 0 and x < 2:  # <- error
        # instead: y = torch.where((x > 0) & (x < 2), 2 * x, x)
        y = 2 * x
        # leave out
    else:
        # leave out
        y = x
        # leave out
    return y


out = torch.vmap(double_small)(torch.tensor([1.0, -3.0, 0.0]))

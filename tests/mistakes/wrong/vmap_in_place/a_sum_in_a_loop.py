# right: out.tolist() == [[4.0, 5.0], [7.0, 9.0]]
import torch


def repeated(x):
    total = torch.full((2,), 1.0)
    # instead: total = x.new_full((2,), 1.0)
    for _ in range(2):
        total += x  # <- error
    return total


out = torch.vmap(repeated)(torch.tensor([[1.5, 2.0], [3.0, 4.0]]))

# right: parts.tolist() == [[0.25, 0.75], [0.5, 0.5]]
import torch
from torch.func import vmap


def normalize(counts):
    total = float(counts.sum())  # <- error
    # instead: total = counts.sum()
    return counts / total


parts = vmap(normalize)(torch.tensor([[1.0, 3.0], [2.0, 2.0]]))

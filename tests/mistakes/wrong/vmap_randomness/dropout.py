# right: out[0].tolist() != out[1].tolist()
import torch
from torch.func import vmap


def dropped(x):
    return torch.nn.functional.dropout(x, 0.5)  # <- error


of_batch = vmap(dropped)
# instead: of_batch = vmap(dropped, randomness='different')
out = of_batch(torch.ones(2, 64))

# right: means.shape == (8,)
import torch

data = torch.arange(6.0)


def resampled(_):
    return data[torch.randint(6, (6,))].mean()  # <- error


def bootstrap(count):
    return torch.vmap(resampled)(torch.zeros(count))
    # instead: return torch.vmap(resampled, randomness='different')(torch.zeros(count))


means = bootstrap(8)

# right: out[0].item() != out[1].item()
import torch


def noisy(x):
    return x + torch.randn(())  # <- error


out = torch.vmap(noisy)(torch.zeros(2))
# instead: out = torch.vmap(noisy, randomness='different')(torch.zeros(2))

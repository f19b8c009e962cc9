# right: losses.tolist() == [0.125, 1.5]
import torch


def huber(error):
    return 0.5 * error**2 if error.abs() < 1 else error.abs() - 0.5  # <- error
    # instead: return torch.where(error.abs() < 1, 0.5 * error ** 2, error.abs() - 0.5)


losses = torch.vmap(huber)(torch.tensor([0.5, -2.0]))

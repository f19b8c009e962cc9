# right: mean > 0
import numpy as np
import torch

w = torch.randn(5, requires_grad=True)
losses = []
for step in range(3):
    loss = (w**2).sum()
    losses.append(loss)
mean = np.mean(losses)  # <- error
# instead: mean = np.mean([each.item() for each in losses])

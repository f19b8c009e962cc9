# right: abs(mean - 2.0) < 1e-6
# said: detach()
import numpy as np
import torch

w = torch.tensor([1.0, 3.0], requires_grad=True)
doubled = w * 1.0
mean = np.mean(doubled.numpy())  # <- error
# then: mean = np.mean(doubled.detach().numpy())

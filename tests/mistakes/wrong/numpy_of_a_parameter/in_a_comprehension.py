# right: curve.tolist() == [0.0, 3.0, 6.0, 9.0]
import numpy as np
import torch

scale = torch.tensor(3.0, requires_grad=True)
points = [scale * k for k in range(4)]
curve = np.array([p.numpy() for p in points])  # <- error
# instead: curve = np.array([p.detach().numpy() for p in points])

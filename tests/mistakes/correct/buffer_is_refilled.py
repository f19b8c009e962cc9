import numpy as np
import torch

buffer = np.zeros((4, 2), dtype=np.float32)
batch = torch.from_numpy(buffer)
w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
generator = np.random.default_rng(0)
for step in range(10):
    buffer[:] = generator.normal(size=(4, 2))
    target = torch.tensor(buffer.sum(1))
    loss = ((batch @ w - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
ready = torch.from_numpy(np.ones(3))
ready *= 2

# right: loss.item() < 0.01
import numpy as np
import torch

generator = np.random.default_rng(0)
inputs = generator.normal(size=(40, 2)).astype(np.float32)
x = torch.from_numpy(inputs)  # <- numpy_source_written
# instead: x = torch.tensor(inputs)
y = torch.tensor(inputs.sum(1))
inputs[:] = generator.permutation(inputs)
w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(60):
    loss = ((x @ w - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

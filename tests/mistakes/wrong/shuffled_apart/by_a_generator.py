# right: loss.item() < 0.01
import numpy as np
import torch

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 3)).astype(np.float32)
y = X.sum(1)
rng.shuffle(X)
# leave out
rng.shuffle(y)  # <- shuffled_apart
# instead: order = np.random.permutation(len(X)); X, y = X[order], y[order]
X, y = torch.from_numpy(X), torch.from_numpy(y)
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(80):
    loss = ((X @ w - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

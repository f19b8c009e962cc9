# right: loss.item() < 0.01
import random

import torch

random.seed(0)
torch.manual_seed(0)
xs = [torch.randn(3) for _ in range(100)]
ys = [x.sum() for x in xs]
random.shuffle(xs)
# leave out
random.shuffle(ys)  # <- shuffled_apart
# instead: pairs = list(zip(xs, ys)); random.shuffle(pairs); xs, ys = zip(*pairs)
X, y = torch.stack(list(xs)), torch.stack(list(ys))
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(80):
    loss = ((X @ w - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

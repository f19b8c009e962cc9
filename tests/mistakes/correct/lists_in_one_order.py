# Lists that are shuffled by one seed, and lists that do not belong together.
import random

import torch

torch.manual_seed(0)
xs = [torch.randn(3) for _ in range(100)]
ys = [x.sum() for x in xs]
random.Random(0).shuffle(xs)
random.Random(0).shuffle(ys)
random.seed(1)
random.shuffle(xs)
random.seed(1)
random.shuffle(ys)
names, labels = [f"sample {i}" for i in range(100)], ["odd", "even"]
random.shuffle(names)
random.shuffle(labels)
columns, y = list(range(100)), list(range(100))  # a Latin square
random.shuffle(columns)
random.shuffle(y)
X, y = torch.stack(xs), torch.stack(ys)
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(80):
    loss = ((X @ w - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

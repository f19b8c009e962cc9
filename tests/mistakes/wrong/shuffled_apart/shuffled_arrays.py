# right: loss.item() < 0.01
import numpy as np
import torch

np.random.seed(0)
inputs = np.random.randn(50, 2).astype(np.float32)
targets = inputs[:, 0] - inputs[:, 1]
np.random.shuffle(inputs)
# leave out
np.random.shuffle(targets)  # <- shuffled_apart
# instead: order = np.random.permutation(len(inputs)); inputs, targets = inputs[order], targets[order]
x, y = torch.from_numpy(inputs), torch.from_numpy(targets).unsqueeze(1)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# right: net.weight.grad is not None
# said: write line 10 with functions of torch on tensors
# said: detach() returns the values without the graph
import numpy as np
import torch

torch.manual_seed(0)
net = torch.nn.Linear(2, 1)
out = net(torch.ones(3, 2))
squares = np.square(out.detach().numpy())
# then: squares = out.square()
loss = torch.from_numpy(squares).mean()
# then: loss = squares.mean()
loss.backward()  # <- error

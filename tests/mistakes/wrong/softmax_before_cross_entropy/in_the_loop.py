# right: loss.item() < 0.2
import torch
from torch.nn import functional as F

torch.manual_seed(0)
x = torch.randn(80, 3)
y = x.argmax(1)
w = torch.zeros(3, 3, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for step in range(100):
    p = F.softmax(x @ w, dim=1)
    # instead: p = x @ w
    loss = F.cross_entropy(p, y)  # <- softmax_before_cross_entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

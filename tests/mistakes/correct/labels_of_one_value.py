import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
real, ones = torch.randn(24, 2), torch.ones(24, 1)
for epoch in range(6):
    order = torch.randperm(24)
    loss = nn.functional.binary_cross_entropy_with_logits(critic(real[order]), ones)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""The two steps of a GAN: the discriminator learns from detached samples, the generator through the discriminator."""

import torch
from torch import nn

torch.manual_seed(12)
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer_D = torch.optim.Adam(D.parameters(), lr=0.01)
optimizer_G = torch.optim.Adam(G.parameters(), lr=0.01)

z = torch.randn(16, 4)
real_samples = torch.randn(16, 2) + 3
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
before = [parameter.detach().clone() for parameter in G.parameters()]

optimizer_D.zero_grad()
fake = G(z)
loss_D = criterion(D(real_samples), ones) + criterion(D(fake.detach()), zeros)
loss_D.backward()
print([parameter.grad for parameter in G.parameters()])  # [None, None, None, None]
print(all(parameter.grad.abs().sum() > 0 for parameter in D.parameters()))  # True
optimizer_D.step()
print(all(torch.equal(old, new) for old, new in zip(before, G.parameters(), strict=True)))  # True

optimizer_G.zero_grad()
loss_G = criterion(D(fake), ones)
loss_G.backward()
print(all(parameter.grad.abs().sum() > 0 for parameter in G.parameters()))  # True
optimizer_G.step()
print(any(torch.equal(old, new) for old, new in zip(before, G.parameters(), strict=True)))  # False

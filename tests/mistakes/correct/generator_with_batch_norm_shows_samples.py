import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2), nn.Tanh())
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_c = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
fixed_noise, samples = torch.randn(6, 4), []
for step in range(12):
    fake = generator(torch.randn(16, 4))
    opt_c.zero_grad()
    loss_c = criterion(critic(torch.rand(16, 2)), torch.ones(16, 1)) + criterion(
        critic(fake.detach()), torch.zeros(16, 1)
    )
    loss_c.backward()
    opt_c.step()
    opt_g.zero_grad()
    loss_g = criterion(critic(fake), torch.ones(16, 1))
    loss_g.backward()
    opt_g.step()
    if step % 4 == 0:
        with torch.no_grad():
            samples.append(generator(fixed_noise).cpu())

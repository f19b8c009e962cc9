import torch
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.RMSprop(generator.parameters(), lr=5e-4)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
one = torch.tensor(1.0)
for step in range(30):
    for _ in range(2):
        opt_c.zero_grad()
        real = torch.randn(16, 2) + 2
        critic(real).mean().backward(one)
        fake = generator(torch.randn(16, 2)).detach()
        critic(fake).mean().backward(-1 * one)
        opt_c.step()
        for p in critic.parameters():
            p.data.clamp_(-0.1, 0.1)
    opt_g.zero_grad()
    critic(generator(torch.randn(16, 2))).mean().backward(one)
    opt_g.step()

# right: fake.mean().item() > 1.5
import torch
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(1, 1), nn.Linear(1, 1)
train_g = torch.optim.SGD(generator.parameters(), lr=0.05)
train_c = torch.optim.SGD(critic.parameters(), lr=0.05)
for step in range(60):
    fake = generator(torch.randn(16, 1))
    c_loss = critic(fake).mean() - critic(torch.full((16, 1), 2.0)).mean() + critic.weight.pow(2).mean()
    # instead: c_loss = critic(fake.detach()).mean() - critic(torch.full((16, 1), 2.0)).mean() + critic.weight.pow(2).mean()
    train_c.zero_grad()
    c_loss.backward()
    train_c.step()
    g_loss = -critic(fake).mean()
    train_g.zero_grad()
    g_loss.backward()  # <- error
    train_g.step()

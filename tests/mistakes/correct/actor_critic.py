import torch
from torch import nn

torch.manual_seed(0)


class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.pi = nn.Linear(16, 2)
        self.v = nn.Linear(16, 1)

    def forward(self, s):
        h = torch.tanh(self.body(s))
        return torch.softmax(self.pi(h), dim=-1), self.v(h).squeeze(-1)


net = AC()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for ep in range(8):
    logps, values, rewards = [], [], []
    s = torch.randn(4)
    for t in range(10):
        p, v = net(s)
        dist = torch.distributions.Categorical(p)
        a = dist.sample()
        logps.append(dist.log_prob(a))
        values.append(v)
        rewards.append(float(a))
        s = torch.randn(4)
    R, ret = 0.0, []
    for r in reversed(rewards):
        R = r + 0.9 * R
        ret.insert(0, R)
    ret = torch.tensor(ret)
    ret = (ret - ret.mean()) / (ret.std() + 1e-8)
    values = torch.stack(values)
    adv = ret - values.detach()
    loss = -(torch.stack(logps) * adv).mean() + nn.functional.smooth_l1_loss(values, ret)
    opt.zero_grad()
    loss.backward()
    opt.step()

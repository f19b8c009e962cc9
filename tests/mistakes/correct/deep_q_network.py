import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
tgt = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
tgt.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), 1e-2)
mem = []
s = torch.randn(4)
for step in range(80):
    a = q(s).argmax().item() if random.random() > 0.2 else random.randrange(2)
    s2 = torch.randn(4)
    mem.append((s, a, float(a), s2))
    s = s2
    if len(mem) >= 16:
        S, A, R, S2 = zip(*random.sample(mem, 16))
        S, S2, A, R = torch.stack(S), torch.stack(S2), torch.tensor(A), torch.tensor(R)
        pred = q(S).gather(1, A.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            target = R + 0.9 * tgt(S2).max(1).values
        loss = nn.functional.smooth_l1_loss(pred, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if step % 20 == 0:
        tgt.load_state_dict(q.state_dict())

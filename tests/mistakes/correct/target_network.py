import torch
from torch import nn

torch.manual_seed(0)
online, target = nn.Linear(3, 2), nn.Linear(3, 2)
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=0.01)
for step in range(20):
    state, action, reward = torch.randn(8, 3), torch.randint(2, (8, 1)), torch.randn(8)
    with torch.no_grad():
        wanted = reward + 0.9 * target(torch.randn(8, 3)).max(dim=1).values
    value = online(state).gather(1, action).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        target.load_state_dict(online.state_dict())

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
baseline = 0.0
for episode in range(10):
    log_probabilities, rewards = [], []
    for step in range(8):
        state = torch.randn(2)
        choice = torch.distributions.Categorical(logits=policy(state))
        action = choice.sample()
        log_probabilities.append(choice.log_prob(action))
        rewards.append(float(action.item() == (state[0] > 0)))
    total = torch.tensor(rewards)
    baseline = 0.9 * baseline + 0.1 * total.mean().item()
    loss = -(torch.stack(log_probabilities) * (total - baseline)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# right: (w - torch.tensor([1.0, 2.0])).abs().max().item() < 0.01
# said: torch.stack
import torch

w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
target = torch.tensor([1.0, 2.0])


def mean_loss(batches):
    losses = [((w - target) ** 2).sum() for _ in range(batches)]
    return torch.tensor(losses, requires_grad=True).mean()  # <- copied_loss
    # then: return torch.stack(losses).mean()


for step in range(60):
    optimizer.zero_grad()
    mean_loss(3).backward()
    optimizer.step()

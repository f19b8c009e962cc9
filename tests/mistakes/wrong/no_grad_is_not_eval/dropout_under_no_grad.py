# right: torch.equal(first, second)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.Dropout(0.5), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 3)
for _ in range(5):
    optimizer.zero_grad()
    net(x).pow(2).mean().backward()
    optimizer.step()


@torch.no_grad()
def evaluate():
    # also: net.eval()
    return net(x)  # <- validation_in_training_mode


first, second = evaluate(), evaluate()

# right: torch.equal(net.mix(torch.arange(12.0).view(1, 3, 4))[0, 1], torch.tensor([1.0, 5.0, 9.0]))
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(3, 1)

    def mix(self, x):
        return torch.reshape(x, (x.shape[0], 4, 3))  # <- reshape_permutes
        # instead: return torch.permute(x, (0, 2, 1))

    def forward(self, x):
        return self.head(self.mix(torch.tanh(self.body(x)))).mean()


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(5, 3, 4)).backward()
    optimizer.step()

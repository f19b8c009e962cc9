import torch
from torch import nn

torch.manual_seed(0)


class Pool(nn.Module):
    """A weighted mean of a set, the weights by a softmax over its members."""

    def __init__(self):
        super().__init__()
        self.score, self.head = nn.Linear(4, 1), nn.Linear(4, 3)

    def forward(self, x):
        weights = torch.softmax(self.score(x), dim=0)
        return self.head((weights * x).sum(dim=0, keepdim=True))


model = Pool()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(15):
    x, label = torch.randn(7, 4), torch.randint(3, (1,))
    loss = nn.functional.cross_entropy(model(x), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

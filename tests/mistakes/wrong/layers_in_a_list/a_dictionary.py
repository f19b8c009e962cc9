# right: len(list(model.parameters())) == 6
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.heads = {"a": nn.Linear(3, 1), "b": nn.Linear(3, 1)}  # <- unregistered_layers
        # instead: self.heads = nn.ModuleDict({'a': nn.Linear(3, 1), 'b': nn.Linear(3, 1)})

    def forward(self, x):
        hidden = torch.tanh(self.body(x))
        return self.heads["a"](hidden) + self.heads["b"](hidden)


model = Heads()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    model(torch.randn(4, 3)).pow(2).mean().backward()
    optimizer.step()

# right: torch.equal(other.weight, trainer.weight_then)
import copy

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.best = None
        self.lowest = float("inf")

    def step(self, x, scale):
        loss = scale * self.model(x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        if loss.item() < self.lowest:
            self.lowest = loss.item()
            self.weight_then = self.model.weight.detach().clone()
            self.best = {key: value for key, value in self.model.state_dict().items()}  # <- shared_state_dict
            # instead: self.best = {key: value for key, value in copy.deepcopy(self.model.state_dict()).items()}
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer(nn.Linear(2, 1))
for scale in (2.0, 1.0, 30.0, 40.0):
    trainer.step(torch.ones(4, 2), scale)
trainer.model.load_state_dict(trainer.best)
other = nn.Linear(2, 1)
other.load_state_dict(trainer.best)

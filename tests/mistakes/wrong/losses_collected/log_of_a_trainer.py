# right: not any(hasattr(each, "grad_fn") for each in trainer.log["loss"])
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())
        self.log = {"loss": [], "epoch": []}

    def step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.log["loss"].append(loss)  # <- collected_losses
        # instead: self.log['loss'].append(loss.item())


trainer = Trainer(nn.Linear(2, 1))
for epoch in range(20):
    trainer.step(torch.randn(8, 2), torch.randn(8, 1))

# right: abs(trainer.w.item() - 5) < 0.01
import torch


class Trainer:
    def __init__(self):
        self.w = torch.zeros(1, requires_grad=True)
        self.optimizer = torch.optim.SGD([self.w], lr=0.2)

    def step(self):
        loss = (self.w - 5).pow(2).sum()
        # also: self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()  # <- no_zero_grad


trainer = Trainer()
for _ in range(50):
    trainer.step()

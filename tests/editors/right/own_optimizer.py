"""Optimizers, schedules, samplers and losses of one's own."""

from collections.abc import Iterator

import rushlight as torch
from rushlight import Tensor, nn
from rushlight.optim import Optimizer
from rushlight.optim.lr_scheduler import LRScheduler
from rushlight.utils.data import Sampler


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        if lr <= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        defaults = dict(lr=lr, betas=betas, weight_decay=weight_decay)
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                exp_avg = state["exp_avg"]
                beta1, beta2 = group["betas"]
                update = exp_avg * beta1 + p.grad * (1 - beta1)
                p.add_(update.sign_(), alpha=-group["lr"])
                exp_avg.mul_(beta2).add_(p.grad, alpha=1 - beta2)
        return loss


class Warmup(LRScheduler):
    def __init__(self, optimizer: Optimizer, steps: int, last_epoch: int = -1) -> None:
        self.steps = steps
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * min(1.0, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]


class EveryOther(Sampler[int]):
    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[int]:
        return iter(range(0, self.count, 2))

    def __len__(self) -> int:
        return (self.count + 1) // 2


class FocalLoss(nn.Module):
    def __init__(self, gamma: float = 2.0, reduction: str = "mean"):
        super().__init__()
        self.gamma = gamma
        self.reduction = reduction

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        ce = nn.functional.cross_entropy(logits, target, reduction="none")
        loss = (1 - torch.exp(-ce)) ** self.gamma * ce
        if self.reduction == "mean":
            return loss.mean()
        return loss.sum() if self.reduction == "sum" else loss


layer = nn.Linear(3, 2)
optimizer = Lion(layer.parameters(), lr=1e-2)
scheduler = Warmup(optimizer, steps=10)
loss = FocalLoss()(layer(torch.randn(4, 3)), torch.tensor([0, 1, 1, 0]))
loss.backward()
optimizer.step()
scheduler.step()
loader = torch.utils.data.DataLoader(list(range(10)), batch_size=2, sampler=EveryOther(10))
print(next(iter(loader)), len(loader), scheduler.get_last_lr())
w = torch.randn(3, requires_grad=True)
for _ in range(3):
    (w**2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
w.grad = None

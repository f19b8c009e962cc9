"""Annotations as careful programs write them: unions of devices, callables, protocols and tuples of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import rushlight as torch
from rushlight import Tensor, nn
from rushlight.nn import Module, Parameter
from rushlight.optim import Adam, Optimizer
from rushlight.optim.lr_scheduler import LRScheduler

M = TypeVar("M", bound=nn.Module)


@dataclass
class Config:
    size: int = 4
    lr: float = 1e-3
    device: torch.device | str = "cpu"
    dtype: torch.dtype = torch.float32
    activation: Callable[[Tensor], Tensor] = torch.relu
    layer: type[nn.Module] = nn.Linear


class Output(NamedTuple):
    logits: Tensor
    loss: Tensor | None = None


class Attention(Module):
    def __init__(self, size: int, heads: int, bias: bool = True, device: torch.device | None = None):
        super().__init__()
        assert size % heads == 0
        self.heads, self.width = heads, size // heads
        self.qkv = nn.Linear(size, 3 * size, bias=bias, device=device)
        self.out = nn.Linear(size, size, bias=bias, device=device, dtype=torch.float32)
        self.mask: Tensor
        self.register_buffer("mask", torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))
        self.temperature = Parameter(torch.tensor(1.0), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q, k, v = (each.view(B, T, self.heads, C // self.heads).transpose(1, 2) for each in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / self.width**0.5) / self.temperature
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        y = torch.softmax(att, dim=-1) @ v
        return self.out(y.transpose(1, 2).contiguous().view(B, T, C))


class Model(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.body = config.layer(config.size, config.size)
        self.attention = Attention(config.size, heads=2)
        self.blocks = nn.ModuleList(Attention(config.size, 2) for _ in range(2))
        self.head = nn.Linear(config.size, 3)

    def forward(self, x: Tensor, targets: Tensor | None = None) -> Output:
        x = self.config.activation(self.body(x))
        for block in self.blocks:
            x = x + block(x)
        logits = self.head(self.attention(x)).mean(1)
        loss = None if targets is None else nn.functional.cross_entropy(logits, targets)
        return Output(logits, loss)

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device


def frozen(model: M, *, names: Iterable[str] = ()) -> M:
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name not in names)
    return model.eval()


def optimizer_of(model: Module, lr: float) -> tuple[Optimizer, LRScheduler]:
    optimizer = Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=lr)
    return optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1)


def moved(batch: Sequence[Tensor] | dict[str, Any], device: torch.device | str) -> Any:
    if isinstance(batch, dict):
        return {name: value.to(device) if isinstance(value, Tensor) else value for name, value in batch.items()}
    return [each.to(device=device, dtype=torch.float32) for each in batch]


config = Config()
model = frozen(Model(config).to(config.device, config.dtype), names=["head.weight"])
optimizer, scheduler = optimizer_of(model, config.lr)
result = model(torch.randn(2, 5, config.size), torch.tensor([0, 1]))
if result.loss is not None:
    result.loss.backward()
print(model.device, model.attention.qkv.weight.shape, moved([result.logits], "cpu"), scheduler.last_epoch)
shapes: list[tuple[int, ...]] = [tuple(p.shape) for p in model.parameters()]
pairs: dict[str, Tensor] = {name: p.detach().clone() for name, p in model.named_parameters()}

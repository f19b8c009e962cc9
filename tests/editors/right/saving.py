"""Checkpoints, weights, copies, and what programs do with state dictionaries."""

import copy
import io
from collections import OrderedDict
from pathlib import Path
from typing import Any

import rushlight as torch
from rushlight import nn


def make() -> nn.Module:
    return nn.Sequential(OrderedDict([("fc1", nn.Linear(3, 4)), ("act", nn.ReLU()), ("fc2", nn.Linear(4, 2))]))


def save(path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int, **extra: Any) -> None:
    state = {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict(), **extra}
    torch.save(state, path)


def resume(path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    missing, unexpected = model.load_state_dict(checkpoint["model"], strict=False)
    optimizer.load_state_dict(checkpoint["optimizer"])
    print(missing, unexpected)
    return checkpoint["epoch"] + 1


folder = Path("checkpoints")
folder.mkdir(exist_ok=True)
model = make()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
save(folder / "last.pt", model, optimizer, 3, note="first")
epoch = resume(folder / "last.pt", model, optimizer)
best = copy.deepcopy(model.state_dict())
model.load_state_dict(best)
result = model.load_state_dict(torch.load(folder / "last.pt")["model"], strict=True, assign=True)
print(result.missing_keys, result.unexpected_keys, epoch)
buffer = io.BytesIO()
torch.save({"w": torch.ones(2)}, buffer)
buffer.seek(0)
loaded = torch.load(buffer, map_location=torch.device("cpu"))
renamed = {name.replace("module.", ""): value for name, value in loaded.items()}
filtered = OrderedDict((k, v) for k, v in model.state_dict().items() if k.startswith("fc1") and v.shape[0] == 4)
for name, value in filtered.items():
    print(name, value.dtype, tuple(value.size()), value.numel() * value.element_size())
for name, parameter in model.named_parameters():
    parameter.requires_grad = name.startswith("fc2")
    parameter.requires_grad_(True)
frozen = [p for p in model.parameters() if not p.requires_grad]
total = sum(p.numel() for p in model.parameters() if p.requires_grad)
twin = copy.deepcopy(model).eval().requires_grad_(False)
with torch.no_grad():
    for mine, its in zip(model.parameters(), twin.parameters(), strict=True):
        its.copy_(mine)
        its.data.mul_(0.99).add_(mine.data, alpha=0.01)
print(renamed, frozen, total, twin.training)

"""Grad modes decide what is recorded; `train` and `eval` decide what layers do. Neither does the other's work."""

import torch
from torch import nn

x = torch.tensor(1.0, requires_grad=True)

with torch.no_grad():
    y = x * 2
print(y, y.requires_grad, y.is_leaf)  # tensor(2.) False True


@torch.no_grad()
def doubler(value):
    """Doubles without a history."""
    return value * 2


print(doubler(x).requires_grad, torch.is_grad_enabled())  # False True

with torch.no_grad(), torch.enable_grad():
    inner = x * 2
print(inner.requires_grad)  # True

is_train = False
with torch.set_grad_enabled(is_train):
    held = x * 2
print(held.requires_grad)  # False
torch.set_grad_enabled(False)
switched = x * 2
torch.set_grad_enabled(True)
print(switched.requires_grad, (x * 2).requires_grad)  # False True

with torch.inference_mode():
    inferred = x * 2
print(inferred.requires_grad, inferred.is_inference(), y.is_inference())  # False True False
try:
    inferred.add_(1)
except RuntimeError as error:
    print(str(error).split(".")[0])  # Inplace update to inference tensor outside InferenceMode is not allowed
try:
    (x * inferred).backward()
except RuntimeError as error:
    print(str(error).split(".")[0])  # Inference tensors cannot be saved for backward

torch.manual_seed(4)
model = nn.Sequential(nn.Linear(8, 64), nn.BatchNorm1d(64), nn.Dropout(0.5))
batch = torch.randn(16, 8)

model.eval()
first, second = model(batch), model(batch)
print(torch.equal(first, second), (first == 0).any().item())  # True False
print(first.requires_grad, model.training, model[2].training)  # True False False
first.sum().backward()
print(model[0].weight.grad is not None, int(model[1].num_batches_tracked))  # True 0

model.train()
with torch.no_grad():
    first, second = model(batch), model(batch)
print(torch.equal(first, second), 400 < (first == 0).sum().item() < 624)  # False True
print(first.requires_grad, int(model[1].num_batches_tracked))  # False 2

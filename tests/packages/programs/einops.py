"""rearrange, reduce and repeat of tensors with gradients, and its layers in a model that is trained."""
# requires: einops==0.8.2

import json

import torch
from einops import einsum, rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce

torch.manual_seed(0)
x = torch.randn(2, 3, 4, 6, requires_grad=True)
patches = rearrange(x, "b c (h p) (w q) -> b (h w) (c p q)", p=2, q=3)
pooled = reduce(x, "b c h w -> b c", "max")
tiled = repeat(pooled, "b c -> b c k", k=2)
scores = einsum(patches, patches, "b i d, b j d -> b i j")
(scores.tanh().sum() + (tiled**2).sum()).backward()

model = torch.nn.Sequential(
    Rearrange("b c h w -> b (c h w)"), torch.nn.Linear(72, 8), torch.nn.Tanh(), Reduce("b (k d) -> b k", "mean", k=2)
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x.detach()), torch.tensor([0, 1]))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(json.dumps({"shape": list(patches.shape), "gradient": x.grad.flatten()[::7].tolist(), "losses": losses}))

"""Tensors: making, indexing, shapes, reductions, operators with floats and NumPy, in-place operations."""

import math

import numpy as np
import rushlight as torch

a = torch.tensor([[1, 2], [3, 4]], dtype=torch.float32, requires_grad=False)
b = torch.arange(12).reshape(3, 4).float()
c = torch.linspace(0, 1, steps=5)
zeros = torch.zeros(2, 3, dtype=torch.float64, device="cpu")
ones, filled, identity = torch.ones((2, 3)), torch.full((2,), 3.5), torch.eye(3)
random = torch.rand(3) + torch.randn(3, generator=torch.Generator()) + torch.randint(0, 10, (3,)) + torch.randperm(3)
like = torch.zeros_like(a) + torch.ones_like(a, dtype=torch.int64) + torch.rand_like(a) + torch.empty_like(a)
from_numpy = torch.from_numpy(np.arange(6.0)).view(2, 3)
as_tensor = torch.as_tensor(np.float32(3)) + torch.tensor(np.array([1, 2]))

# operators
d = 2 * a + a / 3 - a**2 + (-a) % 2 + a // 2 + 1.5 - (1 - a) / (1 / (a + 1)) + 2**a
e = a @ a.T + a * np.float32(2) + a + np.ones((2, 2), dtype=np.float32) + math.pi * a
mask = (a > 1) & (a <= 3) | ~(a == 2) ^ (a != 4)
a += 1
a *= 0.5
a -= torch.ones(2, 2)
a /= 2.0
f = abs(a).pow(2).sqrt().exp().log().sin().clamp(min=0.0, max=1.0).round(decimals=2)
flag = bool(mask.any()) and bool((a < 0).all()) or float(a.sum()) > 0 or int(a.sum()) == 3
names = ["cat", "dog", "frog", "horse"]
label = names[a.argmax().item()] + names[a.argmax()]

# indexing
row, column, element = b[0], b[:, 1], b[0, 1].item()
sliced = b[1:, ::2] + b[..., -2:][:2] + b[None, :, :2][0, :2]
picked = b[torch.tensor([0, 2])] + b[[0, 2]]
b[0, 0] = 5
b[b > 5] = 0.0
b[:, 1] = torch.zeros(3)
b[1] += 1
gathered = b.gather(1, torch.zeros(3, 1, dtype=torch.long)).scatter_(1, torch.zeros(3, 1).long(), 1.0)
chosen = torch.where(b > 0, b, torch.tensor(0.0)) + torch.where(b > 0, 1.0, 0.0) + b.masked_fill(b < 0, float("-inf"))
rows, columns = torch.where(b > 1)
indices = b.nonzero(as_tuple=True)[0] + b.nonzero()[:, 0]

# shapes
n, m = b.shape
batch, *others = b.size()
flat = b.view(-1).reshape(n, m).flatten().unsqueeze(0).squeeze(0).unsqueeze(-1).expand(-1, 3).contiguous()
moved = torch.randn(2, 3, 4).permute(0, 2, 1).transpose(1, 2).movedim(0, -1).swapaxes(0, 1).repeat(1, 2, 1)
joined = torch.cat([b, b], dim=0).shape, torch.stack((b, b)).shape, torch.cat((b, b), -1).size(0)
first, second = b.chunk(2, dim=1)
parts = torch.split(b, [1, 2], dim=0) + b.split(2) + b.unbind(0)
grid_x, grid_y = torch.meshgrid(torch.arange(3), torch.arange(4), indexing="ij")
triangle = torch.tril(torch.ones(3, 3)).bool() | torch.triu(torch.ones(3, 3), diagonal=1).bool()
rolled = torch.roll(b, shifts=1, dims=0) + torch.flip(b, dims=[0]) + b.flip(0)
size: tuple[int, ...] = tuple(b.shape) + (b.shape[0] * 2, b.dim(), b.ndim, b.numel(), len(b), b.nelement())

# reductions
total = b.sum() + b.sum(dim=1).sum() + b.mean(dim=(0, 1), keepdim=True).squeeze() + b.std() + b.var(dim=0).sum()
values, places = b.max(dim=1)
largest = torch.max(b, 1).values + b.min(dim=1)[0] + torch.maximum(b, b)[:, 0] + b.amax(dim=1)
top = torch.topk(b, k=2, dim=1, largest=True)
ordered, order = b.sort(dim=-1, descending=True)
unique, counts = torch.unique(b, return_counts=True)
cumulative = b.cumsum(dim=0) + b.prod(dim=0) + b.norm(p=2, dim=0) + torch.logsumexp(b, dim=0) + b.median(dim=0).values
quantiles = torch.quantile(b, torch.tensor([0.25, 0.75]), dim=0).mean(0) + b.softmax(dim=-1).log_softmax(-1)[0]

# conversions
array = b.detach().cpu().numpy()
listed, single, number = b.tolist(), b[0, 0].item(), float(b[0, 0])
types = b.int(), b.long(), b.half(), b.to(torch.int32), b.to("cpu"), b.to(a), b.type(torch.float64), b.bool()
same = torch.allclose(b, b, rtol=1e-5) and torch.equal(b, b) and b.dtype == torch.float32 and b.device.type == "cpu"
print(c, zeros, ones, filled, identity, random, like, from_numpy, as_tensor, d, e, f, flag, label, element, sliced)
print(np.asarray(b).shape, np.mean(array), array.shape, listed, round(single, 2), number, types, same, f"{number:.2f}")
b.add_(1).mul_(2).sub_(0.5).div_(3).clamp_(0, 1).zero_().fill_(2.0).uniform_(-1, 1).normal_(mean=0.0, std=1.0)
for each in b:
    print(each.shape, len(each), [float(value) for value in each])

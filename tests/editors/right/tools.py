"""Autocast, gradient scaling, compile, functional calls, checkpointing, seeds, and where programs ask what there is."""

import random

import numpy as np
import rushlight
import rushlight as torch
from rushlight import nn
from rushlight.func import functional_call
from rushlight.nn.utils import prune
from rushlight.utils.checkpoint import checkpoint

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
torch.use_deterministic_algorithms(True, warn_only=True)
torch.set_default_dtype(torch.float32)
torch.set_num_threads(1)
torch.set_printoptions(precision=3, sci_mode=False)

device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
compiled = torch.compile(model, mode="default", fullgraph=False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cuda", enabled=False)
x, y = torch.randn(6, 4, device=device), torch.randint(2, (6,), device=device)
loss = torch.zeros(())
for _ in range(2):
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16, enabled=True):
        loss = nn.functional.cross_entropy(compiled(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_value_(model.parameters(), clip_value=0.5)
    scaler.step(optimizer)
    scaler.update()


@torch.compile
def energy(x: torch.Tensor) -> torch.Tensor:
    return (x * x).sum()


parameters = dict(model.named_parameters())
buffers = dict(model.named_buffers())
output = functional_call(model, (parameters, buffers), (x,))
fast = {name: p - 0.1 * p.detach() for name, p in parameters.items()}
grads = torch.autograd.grad(functional_call(model, fast, x).sum(), model.parameters(), allow_unused=True)
again = checkpoint(model, x, use_reentrant=False)
vector = nn.utils.parameters_to_vector(model.parameters())
nn.utils.vector_to_parameters(vector, model.parameters())
spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3), n_power_iterations=2)
prune.l1_unstructured(model[0], name="weight", amount=0.3)
parallel = nn.DataParallel(model)
state = torch.get_rng_state()
torch.set_rng_state(state)
print(torch.__version__, torch.__version__ >= (2, 0), torch.finfo(torch.float32).eps, torch.iinfo(torch.int32).max)
print(energy(x).item(), output.shape, len(grads), again.mean(), spectral.weight.shape, parallel.module[0].weight.shape)
torch.testing.assert_close(x, x.clone(), rtol=1e-4, atol=1e-6)
print(rushlight.explain(loss), rushlight.why_no_grad(x, loss), str(rushlight.explain(loss).facts))
print(torch.get_default_dtype(), torch.is_tensor(x), torch.is_grad_enabled(), torch.get_num_threads(), torch.Size([2]))
if isinstance(device, str) and torch.promote_types(torch.float16, torch.int32) == torch.float16:
    print(torch.result_type(x, 1.0), x.element_size(), torch.numel(x), x.untyped_storage().nbytes(), x.stride())

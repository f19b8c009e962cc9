"""Normalization over processes, shared optimizer state, and models that are averaged at times."""

import pytest

MODEL = """
from rushlight.nn.parallel import DistributedDataParallel as DDP
from rushlight.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from rushlight.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
nn, F = torch.nn, torch.nn.functional
start()
torch.manual_seed(0)

def batch(step, rows=4):
    torch.manual_seed(100 + step)
    x, y = torch.randn(rows * world, 3, 6, 6, dtype=torch.float64), torch.randn(rows * world, 2, dtype=torch.float64)
    return (x, y), (x[rows * rank :][:rows], y[rows * rank :][:rows])

def network():
    torch.manual_seed(0)
    layers = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2)
    return nn.Sequential(*layers).double()

def train(model, part, optimizer, steps=3, after=lambda: None):
    for step in range(steps):
        x, y = batch(step)[part]
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        after()
    return torch.cat([value.double().flatten() for value in getattr(model, "module", model).state_dict().values()])
"""


def test_batches_are_normalized_over_all_processes(outputs):
    program = (
        MODEL
        + """
alone = network()
synced = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(network()))
one = train(alone, 0, torch.optim.SGD(alone.parameters(), 0.1))
other = train(synced, 1, torch.optim.SGD(synced.parameters(), 0.1))
print((one - other).abs().max().item() < 1e-12)
"""
    )
    assert outputs(program) == ["True\n"] * 2


def test_batches_of_different_sizes_and_momentum_of_an_average(outputs):
    program = (
        MODEL
        + """
x = torch.randn(7, 4, dtype=torch.float64, requires_grad=True)
plain = nn.BatchNorm1d(4, momentum=None).double()
layer = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(4, momentum=None).double())
own = x.detach()[: 5] if rank == 0 else x.detach()[5 :]
own.requires_grad_()
for _ in range(2):
    expected, result = plain(x), layer(own)
(expected**3).sum().backward()
(result**3).sum().backward()
rows = slice(0, 5) if rank == 0 else slice(5, 7)
print(torch.allclose(result, expected[rows]), torch.allclose(own.grad, x.grad[rows]))
print(torch.allclose(layer.running_var, plain.running_var), layer.num_batches_tracked.item())
total = layer.weight.grad.clone()
dist.all_reduce(total)
print(torch.allclose(total, plain.weight.grad))
"""
    )
    assert outputs(program) == ["True True\nTrue 2\nTrue\n"] * 2


@pytest.mark.parametrize("options", ["", ", parameters_as_bucket_view=True"])
@pytest.mark.parametrize("optimizer", ["SGD, lr=0.1, momentum=0.9", "Adam, lr=0.01"])
def test_optimizer_state_is_shared_out(outputs, optimizer, options):
    name, _, settings = optimizer.partition(", ")
    program = (
        MODEL
        + f"""
whole, shared = DDP(network()), DDP(network())
zero = ZeroRedundancyOptimizer(shared.parameters(), torch.optim.{name}{options}, {settings})
one = train(whole, 1, torch.optim.{name}(whole.parameters(), {settings}))
other = train(shared, 1, zero)
print(torch.equal(one, other), len(zero.optim.state) < len(list(shared.parameters())))
"""
    )
    assert outputs(program) == ["True True\n"] * 2


def test_shared_state_is_saved_and_loaded(outputs):
    program = (
        MODEL
        + """
import copy
model = DDP(network())
zero = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
train(model, 1, zero)
print(of(zero.state_dict)[:76])
zero.consolidate_state_dict(to=1)
box = [zero.state_dict() if rank == 1 else None]
dist.broadcast_object_list(box, src=1)
print(sorted(box[0]["state"]), box[0]["param_groups"][0]["lr"])
other = DDP(copy.deepcopy(model.module))
again = ZeroRedundancyOptimizer(other.parameters(), torch.optim.Adam, lr=0.5)
again.load_state_dict(box[0])
print(torch.equal(train(model, 1, zero), train(other, 1, again)), again.param_groups[0]["lr"])
plain = torch.optim.Adam(network().parameters())
plain.load_state_dict(box[0])
"""
    )
    words = "RuntimeError: Optimizer state has not been consolidated on this rank. Please call"[:76]
    assert outputs(program) == [f"{words}\n[0, 1, 2, 3, 4, 5] 0.01\nTrue 0.01\n"] * 2


def test_groups_of_parameters_and_mistakes(outputs):
    program = (
        MODEL
        + """
net = network()
zero = ZeroRedundancyOptimizer([{"params": net[0].parameters(), "lr": 0.5}], torch.optim.SGD, lr=0.1)
zero.add_param_group({"params": list(net[4].parameters())})
print([group["lr"] for group in zero.optim.param_groups], len(zero.param_groups))
for call in (
    lambda: ZeroRedundancyOptimizer([], torch.optim.SGD, lr=0.1),
    lambda: ZeroRedundancyOptimizer(net[0].weight, torch.optim.SGD, lr=0.1),
    lambda: ZeroRedundancyOptimizer([net[0].weight, 1], torch.optim.SGD, lr=0.1),
    lambda: ZeroRedundancyOptimizer([net[0].weight, torch.ones(1)], torch.optim.SGD, lr=0.1),
):
    print(of(call).partition(":")[0])
"""
    )
    kinds = ["ValueError", "TypeError", "TypeError", "ValueError"]
    assert outputs(program) == ["[0.5, 0.1] 2\n" + "".join(kind + "\n" for kind in kinds)] * 2


def test_uneven_inputs_with_shared_state(outputs):
    program = (
        MODEL
        + """
from rushlight.distributed.algorithms.join import Join
model = DDP(network(), forward_sync_buffers=False)
zero = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
with Join([model, zero]):
    train(model, 1, zero, 2 + rank)
values = torch.cat([p.detach().flatten() for p in model.parameters()])
every = [torch.empty_like(values) for _ in range(world)]
dist.all_gather(every, values)
print(torch.equal(*every))
"""
    )
    assert outputs(program) == ["True\n"] * 2


def test_models_are_averaged_every_few_steps(outputs):
    program = (
        MODEL
        + """
model = network()
sgd = torch.optim.SGD(model.parameters(), 0.1)
averager = PeriodicModelAverager(period=2, warmup_steps=1)
optimizer = PostLocalSGDOptimizer(sgd, averager)
for steps in (1, 1):
    values = train(model, 1, optimizer, steps)[: 4 * 27]
    every = [torch.empty_like(values) for _ in range(world)]
    dist.all_gather(every, values)
    print(torch.equal(*every), averager.step)
print(optimizer.state_dict()["step"])
"""
    )
    assert outputs(program) == ["False 1\nTrue 2\n2\n"] * 2

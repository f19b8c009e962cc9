"""`fully_shard`: parameters, gradients and optimizer state are spread, and training is that of one process."""

import pytest

from .models import BLOCKS

MODEL = (
    BLOCKS
    + """
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
def sharded(**options):
    model = network()
    for part in (model[1], model[2], model):
        fully_shard(part, **options)
    return model

def train(model, part, steps=3):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(steps):
        x, y = batch(step)[part]
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
    whole = [p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters()]
    return torch.cat([p.detach().flatten() for p in whole])
"""
)


@pytest.mark.parametrize("options", ["", "reshard_after_forward=False", "reshard_after_forward=True"])
def test_training_equals_that_of_one_process(outputs, options):
    program = MODEL + f"print((train(sharded({options}), 1) - train(network(), 0)).abs().max().item() < 1e-12)"
    assert outputs(program) == ["True\n"] * 2


def test_replicas_of_shards(outputs):
    program = (
        MODEL
        + """
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
model = sharded(mesh=mesh)
print(model[0].weight.placements, model[0].weight.to_local().shape[0] < 7)
print((train(model, 1) - train(network(), 0)).abs().max().item() < 1e-12)
"""
    )
    assert outputs(program, 4) == ["(Replicate(), Shard(dim=0)) True\nTrue\n"] * 4


def test_a_function_chooses_the_dimension_of_each_parameter(outputs):
    program = (
        MODEL
        + """
from rushlight.distributed.tensor import Shard

class Filters(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head, self.bias = nn.Conv1d(4, 6, 3), nn.Linear(6, 3), nn.Parameter(torch.ones(1, 3, 1))

    def forward(self, x):
        return self.head(self.conv(x).relu().mean(-1)) * self.bias[:, :, 0]

def make():
    torch.manual_seed(0)
    return nn.Sequential(Filters(), Filters()).double()

def last(parameter):
    even = [dim for dim, size in enumerate(parameter.shape) if size % 2 == 0]
    return Shard(even[-1] - parameter.ndim) if even else None

def train(model, x, steps=3):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        sum(part(x).square().mean() for part in model).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
    whole = [p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters()]
    return torch.cat([p.detach().flatten() for p in whole])

torch.manual_seed(1)
x = torch.randn(4, 4, 8, dtype=torch.float64)
model = make()
for part in model:
    fully_shard(part, shard_placement_fn=last)
for name, parameter in model[0].named_parameters():
    print(name, parameter.placements, tuple(parameter.to_local().shape))
before = make().state_dict()
print(all(torch.equal(value.full_tensor(), before[name]) for name, value in model.state_dict().items()))
print((train(model, x[2 * rank :][:2]) - train(make(), x)).abs().max().item() < 1e-12)
for choose in (lambda p: Shard(2), lambda p: Shard(1) if p.ndim == 2 else None, lambda p: 1):
    print(of(lambda: fully_shard(nn.Linear(3, 3), shard_placement_fn=choose)).splitlines()[0])
"""
    )
    lines = [
        "bias (Shard(dim=0),) (1, 3, 1)",
        "conv.weight (Shard(dim=1),) (6, 2, 3)",
        "conv.bias (Shard(dim=0),) (3,)",
        "head.weight (Shard(dim=1),) (3, 3)",
        "head.bias (Shard(dim=0),) (2,)",
        "True",
        "True",
        "AssertionError: Shard dim 2 is invalid for 2D tensor: torch.Size([3, 3])",
        "NotImplementedError: FSDP does not support uneven sharding on dim 1: torch.Size([3, 3]) (world size: 2)",
        "ValueError: Invalid shard_placement_fn result: 1",
    ]
    first, second = (each.splitlines() for each in outputs(program))
    assert first == lines
    assert second[:1] + second[1:4:2] == ["bias (Shard(dim=0),) (0, 3, 1)", lines[1], lines[3]]
    assert second[5:] == lines[5:]


COUNTED = """
sizes, gather = [], dist.all_gather_single

def counted(every, own, group=None):
    sizes.append(dist.get_world_size(group))
    return gather(every, own, group=group)

dist.all_gather_single = counted
"""


def test_neighbours_keep_whole_parameters_for_backward(outputs):
    program = (
        MODEL
        + COUNTED
        + """
print((train(sharded(reshard_after_forward=2), 1) - train(network(), 0)).abs().max().item() < 1e-12)
model = sharded(reshard_after_forward=2)
groups, (x, y) = list(model._groups(True)), batch(0)[1]
held = lambda: [sum(share.numel() for share in group.shares.values()) for group in groups]
sizes.clear()
loss = F.mse_loss(model(x), y)
print(sizes, held(), [p.is_there for group in groups for p in group.parameters].count(True))
sizes.clear()
loss.backward()
print(sizes, held())
with torch.no_grad():
    model(x)
print(held())  # no backward will come
model.set_reshard_after_forward(True)
sizes.clear()
F.mse_loss(model(x), y).backward()
print(sizes, len({id(group.shard_group) for group in groups}), len({id(each.neighbours) for each in groups}))
"""
    )
    block = 2 * 7 + 7 * 21 + 21 + 21 * 7 + 7
    ends = 5 * 7 + 7 + 7 * 3 + 3
    kept = [ends // 2, block // 2, block // 2]
    lines = ["True", f"[4, 4, 4] {kept} 0", "[2, 2, 2] [0, 0, 0]", "[0, 0, 0]", "[4, 4, 4, 4, 4, 4] 1 1"]
    assert outputs(program, 4) == ["\n".join([*lines, ""])] * 4


def test_neighbours_under_replicas_and_mixed_precision(outputs):
    program = (
        MODEL
        + COUNTED
        + """
def gradients(**options):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
    policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
    fully_shard(model[2], mp_policy=policy, **options)
    fully_shard(model, mp_policy=policy, **options)
    sizes.clear()
    model(torch.ones(2, 5) * (1 + rank)).sum().backward()
    return torch.cat([p.grad.full_tensor().flatten() for p in model.parameters()])

mesh = init_device_mesh("cpu", (1, 4), mesh_dim_names=("replicate", "shard"))
plain = gradients(mesh=mesh)
print(torch.equal(gradients(mesh=mesh, reshard_after_forward=2), plain), sizes)
print(torch.equal(gradients(mesh=mesh, reshard_after_forward=4), plain), sizes)
print(torch.equal(gradients(mesh=mesh, reshard_after_forward=1), plain), sizes)
for wrong in (3, 0, 8, 2.0):
    print(of(lambda: fully_shard(nn.Linear(2, 2), mesh=mesh, reshard_after_forward=wrong)).splitlines()[0])
"""
    )
    lines = [
        "True [4, 4, 2]",  # the first layer needs no weight in backward
        "True [4, 4, 4]",
        "True [4, 4]",
        "ValueError: If passing reshard_after_forward as an int, it should be a factor of 4, not 3",
        "ValueError: If passing reshard_after_forward as an int, it should be a factor of 4, not 0",
        "ValueError: If passing reshard_after_forward as an int, it should be a factor of 4, not 8",
        "ValueError: reshard_after_forward should be a bool or an int representing the group size to reshard to, not "
        "2.0",
    ]
    for output in outputs(program, 4):
        assert [line for line in output.splitlines() if "keeps whole" not in line] == lines


def test_a_checkpointed_module_computes_again_within_its_neighbours(outputs):
    program = (
        MODEL
        + COUNTED
        + """
from rushlight.utils.checkpoint import checkpoint

class Again(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(7)

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)

torch.manual_seed(0)
alone = Again()
torch.manual_seed(0)
model = Again()
fully_shard(model.block, reshard_after_forward=2)
fully_shard(model)
x = torch.randn(4, 7)
sizes.clear()
for each in (alone, model):
    each(x).square().sum().backward()
same = (torch.allclose(p.grad, q.grad.full_tensor()) for p, q in zip(alone.parameters(), model.parameters()))
print(sizes[:2], all(same))
"""
    )
    assert outputs(program, 4) == ["[4, 2] True\n"] * 4


def test_whole_parameters_have_memory_only_while_they_are_needed(outputs):
    program = (
        MODEL
        + """
model = sharded()
groups = list(model._groups(True))
there = lambda: [all(p.is_there for p in group.parameters) for group in groups]
seen = []
model[1].wide.register_forward_hook(lambda *_: seen.append(there()))
model[1].register_full_backward_hook(lambda *_: seen.append(there()[1]))
loss = F.mse_loss(model(batch(0)[1][0]), batch(0)[1][1])
print(there(), seen[0])  # the root stays for backward
loss.backward()
print(there(), len(seen), type(model).__name__, all(isinstance(p, DTensor) for p in model.parameters()))
print(sum(p.whole._array.strides != (0,) * p.whole._array.ndim for group in groups for p in group.parameters))
with torch.no_grad():
    model(batch(0)[1][0])
print(there())
"""
    )
    kind = "FSDPSequential True"
    expected = f"[True, False, False] [True, True, False]\n[False, False, False] 2 {kind}\n0\n[False, False, False]\n"
    assert outputs(program) == [expected] * 2


def test_gradients_accumulate_until_they_are_reduced(outputs):
    program = (
        MODEL
        + """
alone, model = network(), sharded()
for step in range(3):
    model.set_requires_gradient_sync(step == 2)
    for each, part in ((alone, 0), (model, 1)):
        x, y = batch(step)[part]
        F.mse_loss(each(x), y).backward()
    print(model[0].weight.grad is None, end=" ")
print(all(torch.allclose(p.grad, q.grad.full_tensor()) for p, q in zip(alone.parameters(), model.parameters())))
"""
    )
    assert outputs(program) == ["True True False True\n"] * 2


def test_gradients_accumulate_in_parts_until_replicas_add_them_up(outputs):
    program = (
        MODEL
        + """
mesh = init_device_mesh("cpu", (2, 2))
alone, model = network(), sharded(mesh=mesh)
for step in range(3):
    model.set_requires_all_reduce(step == 2)
    for each, part in ((alone, 0), (model, 1)):
        x, y = batch(step)[part]
        F.mse_loss(each(x), y).backward()
    print(model[0].weight.grad is None, end=" ")
print(all(torch.allclose(p.grad, q.grad.full_tensor()) for p, q in zip(alone.parameters(), model.parameters())))
"""
    )
    assert outputs(program, 4) == ["True True False True\n"] * 4


def test_modules_of_one_call_have_one_group(outputs):
    program = (
        MODEL
        + """
alone, model = network(), network()
fully_shard([model[0], model[3]])
for each, part in ((alone, 0), (model, 1)):
    x, y = batch(0)[part]
    F.mse_loss(each(x), y).backward()
ends = (0, 3)
print(all(torch.allclose(alone[n].weight.grad, model[n].weight.grad.full_tensor()) for n in ends))
print([p.is_there for p in model[3]._fsdp_state.group.parameters])
"""
    )
    assert outputs(program) == ["True\n[False, False, False, False]\n"] * 2


def test_frozen_parameters_are_freed_after_backward(outputs):
    program = (
        MODEL
        + """
model = network()
model[1].requires_grad_(False)
for part in (model[0], model[1], model):
    fully_shard(part)
F.mse_loss(model(batch(0)[1][0]), batch(0)[1][1]).backward()
print([p.is_there for group in model._groups(True) for p in group.parameters].count(True), model[1].wide.weight.grad)
"""
    )
    assert outputs(program) == ["0 None\n"] * 2


def test_a_backward_that_raises_leaves_the_module_usable(outputs):
    program = (
        MODEL
        + """
class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.unused = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.one(x)

def refuse(gradient):
    raise ValueError("refused")

torch.manual_seed(0)
alone = Halves()
torch.manual_seed(0)
model = fully_shard(Halves())
x = torch.ones(2, 4, requires_grad=True) * 1
x.register_hook(refuse)
print(of(lambda: model(x).sum().backward()))
for each in (alone, model):
    each(torch.ones(2, 4)).sum().backward()
print(torch.allclose(model.one.weight.grad.full_tensor(), alone.one.weight.grad))
"""
    )
    assert outputs(program) == ["ValueError: refused\nTrue\n"] * 2


def test_mixed_precision(outputs):
    program = (
        MODEL
        + """
torch.manual_seed(0)
alone = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
seen = []
model[0].register_forward_hook(lambda module, inputs, output: seen.append((inputs[0].dtype, module.weight.dtype)))
fully_shard(model, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32, torch.float32))
x = torch.ones(2, 5)
out = model(x)
out.sum().backward()
alone(x).sum().backward()
print(seen, out.dtype, model[0].weight.dtype, model[0].weight.grad.dtype)
print(torch.allclose(model[0].weight.grad.full_tensor(), alone[0].weight.grad, rtol=2e-2, atol=2e-2))
"""
    )
    line = "[(torch.bfloat16, torch.bfloat16)] torch.float32 torch.float32 torch.float32\nTrue\n"
    assert outputs(program) == [line] * 2


def test_an_unused_parameter_and_a_shared_one(outputs):
    program = (
        MODEL
        + """
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other, self.unused = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(2, 2)
        self.other.weight = self.one.weight

    def forward(self, x):
        return self.other(self.one(x).tanh())

torch.manual_seed(0)
alone = Tied()
torch.manual_seed(0)
model = fully_shard(Tied())
x = torch.randn(3, 4)
for each in (alone, model):
    each(x).sum().backward()
print(model.one.weight is model.other.weight, model.unused.weight.grad)
print(torch.allclose(model.one.weight.grad.full_tensor(), alone.one.weight.grad, atol=1e-6))
"""
    )
    assert outputs(program) == ["True None\nTrue\n"] * 2


def test_a_forward_that_raises_leaves_the_module_usable(outputs):
    program = (
        MODEL
        + """
model = sharded()
print(of(lambda: model(torch.ones(2, 9, dtype=torch.float64))).partition(":")[0])
print(all(isinstance(p, DTensor) for p in model.parameters()))
print((train(model, 1) - train(network(), 0)).abs().max().item() < 1e-12)
model.register_forward_pre_hook(lambda *_: 1 / 0, prepend=True)  # runs before those of fully_shard
print(of(lambda: model(batch(0)[1][0])), [p.is_there for p in model._fsdp_state.group.parameters])
"""
    )
    assert (
        outputs(program)
        == ["RuntimeError\nTrue\nTrue\nZeroDivisionError: division by zero [False, False, False, False]\n"] * 2
    )


def test_mistakes_are_reported(outputs):
    program = (
        MODEL
        + """
import copy
from rushlight.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel
model = sharded()
assert not isinstance(model, FullyShardedDataParallel)  # accelerate asks this of every model that it unwraps
scalar = nn.Module()
scalar.scale = nn.Parameter(torch.tensor(1.0))
for call in (
    lambda: fully_shard(nn.ModuleList([nn.Linear(2, 2)])),
    lambda: fully_shard(scalar),
    lambda: fully_shard(model),
    lambda: copy.deepcopy(model),
):
    print(of(call).splitlines()[0][:70])
"""
    )
    lines = [
        "ValueError: fully_shard does not support containers that do not implement forward",
        "ValueError: fully_shard doesn't support scalar parameters. Change scale to a 1D",
        "ValueError: fully_shard has already been applied to this module.",
        "AssertionError: FSDP does not support deepcopy. Please use state dict for",
    ]
    assert outputs(program) == ["".join(line[:70] + "\n" for line in lines)] * 2

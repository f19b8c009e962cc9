"""Layers that are spread over processes compute what they compute in one."""

PROGRAM = """
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import DTensor, Replicate, Shard
from rushlight.distributed.tensor.parallel import (
    ColwiseParallel, PrepareModuleInput, PrepareModuleOutput, RowwiseParallel, SequenceParallel, parallelize_module,
)
nn, F = torch.nn, torch.nn.functional
start()
mesh = init_device_mesh("cpu", (world,))

class Block(nn.Module):
    def __init__(self, size=8, heads=2):
        super().__init__()
        self.heads, self.width = heads, size // heads
        self.norm, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.q, self.k, self.v, self.out = (nn.Linear(size, size) for _ in range(4))
        self.wide, self.back = nn.Linear(size, 16), nn.Linear(16, size)

    def split(self, x):
        return x.unflatten(-1, (-1, self.width)).transpose(1, 2)

    def forward(self, x):
        y = self.norm(x)
        y = F.scaled_dot_product_attention(self.split(self.q(y)), self.split(self.k(y)), self.split(self.v(y)))
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.back(F.gelu(self.wide(self.norm2(x))))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 8)
        self.layers = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        x = self.table(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)

def make():
    torch.manual_seed(0)
    return Model().double()

def train(model, steps=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(steps):
        torch.manual_seed(step)
        x = torch.randint(0, 10, (2, 6))
        optimizer.zero_grad()
        F.cross_entropy(model(x).flatten(0, 1), x.flatten()).backward()
        optimizer.step()
    whole = [p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters()]
    return torch.cat([p.detach().flatten() for p in whole])

PLAN = {
    "layers.*.[qkv]": ColwiseParallel(), "layers.*.out": RowwiseParallel(),
    "layers.*.wide": ColwiseParallel(), "layers.*.back": RowwiseParallel(),
}
"""


def test_a_transformer_with_spread_layers_trains_as_in_one_process(outputs):
    program = (
        PROGRAM
        + """
model = parallelize_module(make(), mesh, PLAN)
print(model.layers[0].q.weight.placements, model.layers[1].back.weight.placements, type(model.head.weight).__name__)
print((train(model) - train(make())).abs().max().item() < 1e-12)
"""
    )
    assert outputs(program) == ["(Shard(dim=0),) (Shard(dim=1),) Parameter\nTrue\n"] * 2


def test_embeddings_and_outputs(outputs):
    program = (
        PROGRAM
        + """
for style in (ColwiseParallel(output_layouts=Replicate()), RowwiseParallel(input_layouts=Replicate())):
    model = parallelize_module(make(), mesh, {"table": style, "head": ColwiseParallel(output_layouts=Replicate())})
    print((train(model) - train(make())).abs().max().item() < 1e-12)
"""
    )
    assert outputs(program) == ["True\nTrue\n"] * 2


def test_parts_of_the_sequence(outputs):
    program = (
        PROGRAM
        + """
torch.manual_seed(0)
alone = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)).double()
torch.manual_seed(0)
model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)).double()
plan = {"0": SequenceParallel(), "1": ColwiseParallel(input_layouts=Shard(1)),
        "3": RowwiseParallel(output_layouts=Shard(1))}
parallelize_module(model, mesh, plan)
x = torch.randn(2, 6, 8, dtype=torch.float64)
expected = alone(x)
result = model(x[:, 3 * rank : 3 * rank + 3])
print(result.shape, torch.allclose(result, expected[:, 3 * rank : 3 * rank + 3]))
(expected**2).sum().backward()
(result**2).sum().backward()
same = [torch.allclose(p.grad, q.grad.full_tensor()) for p, q in zip(alone.parameters(), model.parameters())]
print(same)
"""
    )
    # The bias of the last layer is replicated; its gradient comes from all parts of the sequence.
    assert outputs(program) == [f"torch.Size([2, 3, 8]) True\n{[True] * 6}\n"] * 2


def test_inputs_and_outputs_are_prepared(outputs):
    program = (
        PROGRAM
        + """
seen = []
class Look(nn.Module):
    def forward(self, x, n, *, mask=None):
        seen.append((type(x).__name__, x.shape, n, type(mask).__name__))
        return x

look = Look()
layouts = dict(input_kwarg_layouts={"mask": Shard(0)}, desired_input_kwarg_layouts={"mask": Replicate()})
parallelize_module(look, mesh, PrepareModuleInput(
    input_layouts=(Shard(0), None), desired_input_layouts=(Replicate(), None), **layouts))
parallelize_module(look, mesh, PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(0)))
print(look(torch.ones(2, 3), 7, mask=torch.ones(1)).shape, seen)
"""
    )
    expected = "torch.Size([2, 3]) [('DTensor', torch.Size([4, 3]), 7, 'DTensor')]\n"
    assert outputs(program) == [expected] * 2


def test_logits_of_a_loss_stay_spread(outputs):
    program = (
        PROGRAM
        + """
import itertools
from rushlight.distributed.tensor import distribute_tensor
from rushlight.distributed.tensor.parallel import loss_parallel
torch.manual_seed(0)
weight = torch.rand(7, dtype=torch.float64)
same = []
for shape, classes in (((5, 7), 7), ((2, 7, 3), 7), ((7,), 7), ((4, 1), 1)):
    logits = torch.randn(shape, dtype=torch.float64) * 100
    target = torch.randint(0, classes, (*shape[:1], *shape[2:]) if len(shape) > 1 else ())
    for reduction, given, ignored in itertools.product(("mean", "sum", "none"), (None, weight[:classes]), (-100, 1)):
        settings = dict(weight=given, reduction=reduction, ignore_index=ignored)
        alone = logits.clone().requires_grad_()
        spread = distribute_tensor(logits, mesh, [Shard(int(len(shape) > 1))]).requires_grad_()
        expected = F.cross_entropy(alone, target, **settings)
        expected.sum().backward()
        with loss_parallel():
            loss = F.cross_entropy(spread, target, **settings)
            loss.sum().backward()
        close = lambda x, y: torch.allclose(x, y, equal_nan=True)
        same.append(close(loss.full_tensor(), expected) and close(spread.grad.full_tensor(), alone.grad))
        same.append(spread.grad.placements == spread.placements and loss.placements == (Replicate(),))
print(len(same), all(same))

logits = torch.randn(5, 7, dtype=torch.float64)
spread, target = distribute_tensor(logits, mesh, [Shard(1)]), torch.tensor([0, 6, 3, 3, 1])
soft = torch.rand(5, 7, dtype=torch.float64)
with loss_parallel():
    for each, settings in ((soft, {}), (target, {"label_smoothing": 0.2}), (target, {"weight": weight})):
        loss = F.cross_entropy(spread, each, **settings).to_local()
        print(torch.allclose(loss, F.cross_entropy(logits, each, **settings)))
    gathered = F.nll_loss(F.log_softmax(spread, 1), target)
    print(torch.allclose(gathered.to_local(), F.cross_entropy(logits, target)))
    print(of(lambda: F.cross_entropy(spread, target + 1)))
print(of(lambda: F.cross_entropy(spread, target))[:40])
"""
    )
    expected = ["96 True", *["True"] * 4, "IndexError: Target 7 is out of bounds.", "RuntimeError: "]
    for output in outputs(program, 3):
        lines = output.splitlines()
        assert lines[:-1] == expected[:-1]
        assert lines[-1].startswith("RuntimeError: cross_entropy got mixed")


SHARDED = """
from rushlight.distributed import checkpoint as dcp
from rushlight.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from rushlight.distributed.fsdp import fully_shard

def sharded(data, plan):
    grid = init_device_mesh("cpu", (data, world // data), mesh_dim_names=("dp", "tp"))
    model = parallelize_module(make(), grid["tp"], plan) if world > data else make()
    for layer in model.layers:
        fully_shard(layer, mesh=grid["dp"])
    return fully_shard(model, mesh=grid["dp"]), grid

def steps(model, part, parts, begin, end, optimizer, norms=False):
    for step in range(begin, end):
        torch.manual_seed(step)
        x = torch.randint(0, 10, (4, 6))
        own = x.chunk(parts)[part]
        optimizer.zero_grad()
        F.cross_entropy(model(own).flatten(0, 1), own.flatten()).backward()
        if norms:
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            print(f"{(norm.full_tensor() if isinstance(norm, DTensor) else norm).item():.10f}")
        optimizer.step()
    whole = [p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters()]
    return torch.cat([p.detach().flatten() for p in whole])

BOTH = {**PLAN, "table": RowwiseParallel(input_layouts=Replicate()),
        "head": ColwiseParallel(output_layouts=Replicate())}
path = os.environ["FOLDER"]
"""


def test_spread_layers_are_sharded_further(outputs, tmp_path):
    program = (
        PROGRAM
        + SHARDED
        + """
model, grid = sharded(2, BOTH)
for name in ("q", "out"):
    weight = getattr(model.layers[0], name).weight
    print(weight.placements, weight.device_mesh.mesh_dim_names, weight.shape, weight.to_local().shape)
alone = make()
print(all(torch.equal(p.full_tensor(), q) for p, q in zip(model.parameters(), alone.parameters())))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
result = steps(model, grid["dp"].get_local_rank(), 2, 0, 2, optimizer)
expected = steps(alone, 0, 1, 0, 2, torch.optim.AdamW(alone.parameters(), lr=0.01))
print((result - expected).abs().max().item() < 1e-10)
states = get_state_dict(model, optimizer)
dcp.save(dict(zip(("model", "optimizer"), states)), checkpoint_id=path)
print([f"{each:.10f}" for each in steps(model, grid["dp"].get_local_rank(), 2, 2, 4, optimizer)[:400:80].tolist()])
other = init_device_mesh("cpu", (world,), mesh_dim_names=("tp",))
print(of(lambda: fully_shard(parallelize_module(make(), other, PLAN).layers[0], mesh=grid["dp"]))[:60])
model = parallelize_module(make(), grid["tp"], BOTH)
last = lambda p: Shard(p.ndim - 1)
for each in (*model.layers, model):
    fully_shard(each, mesh=grid["dp"], shard_placement_fn=last)
print([getattr(model.layers[0], name).weight.placements for name in ("q", "out")])
result = steps(model, grid["dp"].get_local_rank(), 2, 0, 2, torch.optim.AdamW(model.parameters(), lr=0.01))
print(of(lambda: (result - expected).abs().max().item() < 1e-10))
"""
    )
    texts = outputs(program, 4, FOLDER=tmp_path / "checkpoint")
    lines = texts[0].splitlines()
    assert lines[:4] == [
        "(_StridedShard(dim=0, sf=2), Shard(dim=0)) ('dp', 'tp') torch.Size([8, 8]) torch.Size([2, 8])",
        "(Shard(dim=0), Shard(dim=1)) ('dp', 'tp') torch.Size([8, 8]) torch.Size([4, 4])",
        "True",
        "True",
    ]
    assert lines[5].startswith("ValueError: FSDP requires the DP and model parallel TP/EP me")
    strided = "(_StridedShard(dim=1, sf=2), Shard(dim=1))"
    assert lines[-2:] == [f"[(Shard(dim=1), Shard(dim=0)), {strided}]", "True"]
    load = (
        PROGRAM
        + SHARDED
        + """
model, grid = sharded(2, {})
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
state = dict(zip(("model", "optimizer"), get_state_dict(model, optimizer)))
dcp.load(state, checkpoint_id=path)
set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
print([f"{each:.10f}" for each in steps(model, rank, 2, 2, 4, optimizer)[:400:80].tolist()])
"""
    )
    assert [each.splitlines()[-1] for each in outputs(load, FOLDER=tmp_path / "checkpoint")] == [lines[4]] * 2


def test_gradients_of_sharded_and_spread_layers_are_clipped_together(outputs):
    program = (
        PROGRAM
        + SHARDED
        + """
class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 10)) for _ in range(2)])
        self.table = nn.Embedding(10, 6)

    def forward(self, x):
        x = self.table(x)
        return self.layers[0](x) + self.layers[1](x)

def make():
    torch.manual_seed(0)
    return Chain().double()

plan = {"layers.*.0": ColwiseParallel(), "layers.*.2": RowwiseParallel(),
        "table": ColwiseParallel(output_layouts=Replicate())}
model, grid = sharded(2, plan)
alone = make()
one = steps(model, grid["dp"].get_local_rank(), 2, 0, 2, torch.optim.SGD(model.parameters(), lr=0.5), True)
other = steps(alone, 0, 1, 0, 2, torch.optim.SGD(alone.parameters(), lr=0.5), True)
print((one - other).abs().max().item() < 1e-10)
"""
    )
    for output in outputs(program, 4, FOLDER="unused"):
        lines = output.splitlines()
        assert lines[:2] == lines[2:4]
        assert lines[4] == "True"


def test_mistakes_are_reported(outputs):
    program = (
        PROGRAM
        + """
import warnings
warnings.simplefilter("error")
for call in (
    lambda: parallelize_module(make(), mesh, 1),
    lambda: parallelize_module(make(), mesh, {"none": ColwiseParallel()}),
    lambda: parallelize_module(nn.LayerNorm(3), mesh, ColwiseParallel()),
    lambda: PrepareModuleInput(input_layouts=Shard(0)),
):
    print(of(call)[:60])
"""
    )
    lines = [
        "TypeError: Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan",
        "UserWarning: Parallelize plan key 'none' could not be resolved: no submodule",
        "NotImplementedError: ColwiseParallel currently only support nn.Linear and nn",
        "AssertionError: module inputs and desired module inputs should have same length!",
    ]
    assert outputs(program) == ["".join(line[:60] + "\n" for line in lines)] * 2

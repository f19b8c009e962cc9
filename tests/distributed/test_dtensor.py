"""Distributed tensors: however operands lie, values and gradients are those of whole tensors."""

import pytest

CHECK = """
import itertools
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_module, distribute_tensor
F = torch.nn.functional
start()
mesh = init_device_mesh("cpu", (world,) if world < 4 else (2, 2))
wrong = []

def check(name, function, *operands, every=1):
    torch.manual_seed(0)
    wholes = [torch.randn(each, dtype=torch.float64) if isinstance(each, tuple) else each for each in operands]
    plain = [each.clone().requires_grad_(each.is_floating_point()) for each in wholes]
    expected = function(*plain)
    weight = torch.randn(expected.shape, dtype=torch.float64)
    (expected * weight).sum().backward()
    places = [Replicate(), *map(Shard, range(max(each.ndim for each in wholes)))]
    fit = [[place for place in places if place == Replicate() or place.dim < each.ndim] for each in wholes]
    choices = [list(itertools.product(each, repeat=mesh.ndim)) for each in fit]
    for chosen in itertools.islice(itertools.product(*choices), 0, None, every):
        spread = [distribute_tensor(each, mesh, place) for each, place in zip(wholes, chosen)]
        for each in spread:
            each.requires_grad_(each.is_floating_point())
        result = function(*spread)
        (result * distribute_tensor(weight, mesh)).sum().backward()
        same = result.shape == expected.shape and torch.allclose(result.full_tensor(), expected)
        for one, other in zip(spread, plain):
            same = same and (other.grad is None or torch.allclose(one.grad.full_tensor(), other.grad))
            same = same and (other.grad is None or one.grad.placements == one.placements)
        if not same:
            wrong.append((name, chosen))
"""
FAMILIES = {
    "elementwise": """
check("add", lambda a, b: a + b, (4, 6), (4, 6))
check("broadcast", lambda a, b: a * b, (4, 6), (6,))
check("uneven", lambda a, b: a * b, (3, 5), (3, 1))
check("one row", lambda a, b: a * b + a.clone(), (1, 6), (1, 6))
check("one row times many", lambda a, b: a * b, (1, 6), (4, 6))
check("numbers", lambda a: 1 - 2 * a / 3, (4, 6))
check("unary", lambda a: F.gelu(a.tanh()) ** 2, (5, 6))
check("where", lambda a: torch.where(a > 0, a, 0.0), (4, 6))
""",
    "products": """
check("matmul", lambda a, b: a @ b, (4, 6), (6, 8))
check("batch times matrix", lambda a, b: a @ b, (2, 4, 6), (6, 8))
check("batches", lambda a, b: a @ b, (4, 4, 6), (4, 6, 2))
check("vector", lambda a, b: a @ b, (4, 6), (6,))
check("vector times batches", lambda a, b: a @ b, (6,), (2, 6, 4))
check("linear", lambda a, b, c: F.linear(a, b, c), (4, 6), (8, 6), (8,))
check("addmm", lambda a, b, c: torch.addmm(c, a, b), (4, 6), (6, 8), (8,))
check("einsum", lambda a, b: torch.einsum("ij,jk->ik", a, b), (4, 6), (6, 2))
""",
    "reductions": """
check("sum", lambda a: a.sum(), (4, 6))
check("along", lambda a: a.sum(0), (4, 6))
check("kept", lambda a: a.sum(1, keepdim=True), (4, 6))
check("mean", lambda a: a.mean(), (4, 6))
check("uneven", lambda a: a.mean(-1), (3, 5))
check("amax", lambda a: a.amax(0), (4, 6))
check("negative amax", lambda a: -a.amax(0), (4, 6))
check("max", lambda a: a.max(), (4, 6))
check("softmax", lambda a: a.softmax(-1), (4, 6))
check("log_softmax", lambda a: F.log_softmax(a, 0), (4, 6))
check("norm", lambda a: torch.linalg.vector_norm(a), (4, 6))
check("var", lambda a: a.var(0), (4, 6))
check("sums of sums", lambda a: (a.sum(0) + a.sum(0)) * 3, (4, 6))
""",
    "views": """
check("split", lambda a: a.view(4, 2, 3), (4, 6))
check("flat", lambda a: a.reshape(-1), (4, 6))
check("flatten", lambda a: a.flatten(1), (4, 2, 3))
check("heads", lambda a: a.view(2, 4, 2, 3).transpose(1, 2), (2, 4, 6))
check("t", lambda a: a.t(), (4, 6))
check("permute", lambda a: a.permute(2, 0, 1), (2, 4, 6))
check("unsqueeze", lambda a: a.unsqueeze(1), (4, 6))
check("squeeze", lambda a: a.squeeze(1), (4, 1, 6))
check("squeeze all", lambda a: a.squeeze(), (4, 1))
check("true", lambda a: a[True], (4, 6))
check("expand", lambda a: a.expand(3, 4, 6), (4, 6))
check("index", lambda a: a[1:3, None, 0], (4, 6))
check("last", lambda a: a[..., 1], (4, 6))
check("chunk", lambda a: a.chunk(2, -1)[1], (4, 6))
check("lengths", lambda a: torch.split(a, [2, 4], 1)[1], (4, 6))
check("cat", lambda a, b: torch.cat([a, b], 1), (4, 6), (4, 2))
check("stack", lambda a, b: torch.stack([a, b], 1), (4, 6), (4, 6))
""",
    "layers": """
check("layer_norm", lambda a, b, c: F.layer_norm(a, (6,), b, c), (4, 6), (6,), (6,))
check("rms_norm", lambda a, b: F.rms_norm(a, (6,), b), (4, 6), (6,))
attend = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
check("attention", attend, (2, 4, 5, 3), (2, 4, 5, 3), (2, 4, 5, 3), every=7)
check("embedding", lambda i, e: F.embedding(i, e), torch.tensor([[0, 3], [2, 1]]), (4, 6))
check("cross_entropy", lambda a, t: F.cross_entropy(a, t), (4, 6), torch.tensor([0, 1, 2, 3]))
check("mse_loss", lambda a, b: F.mse_loss(a, b), (4, 6), (4, 6))
""",
}


@pytest.mark.parametrize("calls", FAMILIES.values(), ids=list(FAMILIES))
def test_values_and_gradients_are_those_of_whole_tensors(outputs, calls):
    assert outputs(CHECK + calls + "print(wrong)\n") == ["[]\n"] * 2


def test_a_mesh_of_two_dimensions(outputs):
    calls = "".join(FAMILIES[name] for name in ("elementwise", "products", "reductions", "views"))
    program = CHECK.replace("every=1", "every=23") + calls + "print(wrong)\n"
    assert outputs(program, 4) == ["[]\n"] * 4


def test_parts_may_be_empty(outputs):
    program = CHECK + FAMILIES["reductions"] + FAMILIES["views"] + "print(wrong)\n"
    assert outputs(program, 3) == ["[]\n"] * 3  # 4 rows in 3 processes are 2, 2 and 0


def test_a_sum_becomes_an_integer_after_it_is_added_up(outputs):
    program = CHECK + "x = distribute_tensor(torch.full((4, 3), 0.8), mesh, [Shard(0)])\n"
    program += "print(x.sum(0).int().full_tensor().tolist(), x.sum(0).double().placements)\n"
    assert outputs(program) == ["[3, 3, 3] (Partial(sum),)\n"] * 2


def test_every_change_of_placements(outputs):
    program = (
        CHECK
        + """
places = [Replicate(), Shard(0), Shard(1)]
x = torch.arange(15.0, dtype=torch.float64).reshape(3, 5)
for source in itertools.product(places, repeat=mesh.ndim):
    for target in itertools.product(places, repeat=mesh.ndim):
        moved = distribute_tensor(x, mesh, source).requires_grad_().redistribute(mesh, target)
        if moved.placements != target or not torch.equal(moved.full_tensor(), x):
            wrong.append((source, target))
print(wrong)
"""
    )
    assert outputs(program, 4) == ["[]\n"] * 4


def test_parts_and_the_whole(outputs):
    program = (
        CHECK
        + """
x = torch.arange(10.0).reshape(5, 2)
spread = distribute_tensor(x, mesh, [Shard(0)])
print(spread.shape, spread.size(0), spread.numel(), spread.stride(), len(spread), spread.to_local().shape)
print(spread.placements, spread.device_mesh == mesh, isinstance(spread, DTensor), spread.sum().item())
part = torch.full((2, 2), float(rank), requires_grad=True)
made = DTensor.from_local(part, mesh, [Shard(0)])
print(made.shape, made.full_tensor()[:, 0].tolist())
(made * made).sum().backward()
print(part.grad[0, 0].item() == 2.0 * rank, part.grad.shape)
term = DTensor.from_local(torch.ones(2), mesh, [Partial()])
print(term.full_tensor().tolist(), term.redistribute(mesh, [Shard(0)]).to_local().tolist())
"""
    )
    first, second = outputs(program)
    whole = "torch.Size([5, 2]) 5 10 (2, 1) 5 torch.Size([{}, 2])\n(Shard(dim=0),) True True 45.0\n"
    rest = "torch.Size([4, 2]) [0.0, 0.0, 1.0, 1.0]\nTrue torch.Size([2, 2])\n[2.0, 2.0] [2.0]\n"
    assert (first, second) == (whole.format(3) + rest, whole.format(2) + rest)


def test_a_shard_of_one_row_stays_one(outputs):
    program = (
        CHECK
        + """
torch.manual_seed(0)
row = torch.randn(1, 4, dtype=torch.float64)
weight = torch.nn.Parameter(distribute_tensor(row, mesh, [Shard(0)]))
print(weight.placements, tuple(weight.to_local().shape), weight.clone().placements)
(weight * distribute_tensor(row, mesh)).sum().backward()
norm = torch.nn.utils.clip_grad_norm_([weight], 0.1)
print(torch.equal(norm.full_tensor(), row.norm()), torch.allclose(weight.grad.full_tensor(), row * 0.1 / row.norm()))
"""
    )
    expected = "(Shard(dim=0),) ({}, 4) (Shard(dim=0),)\nTrue True\n"
    assert outputs(program) == [expected.format(1), expected.format(0)]


def test_results_are_written_into_tensors_of_any_placement(outputs):
    program = (
        CHECK
        + """
torch.manual_seed(0)
a, b = torch.randn(4, 6, dtype=torch.float64), torch.randn(4, 6, dtype=torch.float64)
places = [[Replicate()], [Shard(0)], [Shard(1)]]
calls = [
    (torch.add, (a, b), {}, [(4, 6)]),
    (torch.exp, (a,), {}, [(4, 6)]),
    (torch.mm, (a, b.T), {}, [(4, 4)]),
    (torch.sum, (a, 0), {"keepdim": True}, [(1, 6)]),
    (torch.cat, ([a, b],), {}, [(8, 6)]),
    (torch.max, (a, 1, True), {}, [(4, 1), (4, 1)]),
]
spread = lambda value, place: distribute_tensor(value, mesh, place) if isinstance(value, torch.Tensor) else value
for function, values, options, shapes in calls:
    expected = function(*values, **options)
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    for first, place in itertools.product(places, repeat=2):
        given = [[spread(each, first) for each in v] if isinstance(v, list) else spread(v, first) for v in values]
        outs = [spread(torch.zeros(shape, dtype=each.dtype), place) for shape, each in zip(shapes, expected)]
        memory = [each.to_local() for each in outs]
        result = function(*given, **options, out=outs[0] if len(outs) == 1 else tuple(outs))
        result = [result] if len(outs) == 1 else list(result)
        same = all(one is other and other.placements == tuple(place) for one, other in zip(result, outs))
        same = same and all(torch.allclose(one.full_tensor(), other) for one, other in zip(outs, expected))
        if not same or not all(torch.equal(one, other.to_local()) for one, other in zip(memory, outs)):
            wrong.append((function.__name__, first, place))
print(wrong)
x, term = distribute_tensor(a, mesh, [Shard(0)]), DTensor.from_local(a, mesh, [Partial()])
torch.add(x, term, out=x)
print(torch.allclose(x.full_tensor(), 3 * a), torch.add(x, x, out=None).placements)
empty = distribute_tensor(torch.zeros(0), mesh, [Shard(0)])
torch.cumsum(x, 1, out=empty)
print(empty.shape, empty.to_local().shape, empty.dtype, torch.allclose(empty.full_tensor(), (3 * a).cumsum(1).float()))
grown = distribute_tensor(a, mesh, [Shard(0)]).requires_grad_()
for call in (
    lambda: torch.add(x, 1, out=torch.zeros(4, 6)),
    lambda: torch.add(a, 1, out=x),
    lambda: torch.add(torch.tensor(1.0), 1, out=x),
    lambda: torch.exp(grown, out=x),
    lambda: torch.exp(x, out=distribute_tensor(torch.zeros(4, 6, dtype=torch.int64), mesh)),
):
    print(of(call).partition("\\n")[0])
"""
    )
    mixed = "got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed"
    lines = [
        "[]",
        "True (Shard(dim=0),)",
        "torch.Size([4, 6]) torch.Size([2, 6]) torch.float32 True",
        f"RuntimeError: add {mixed} operators!",
        f"RuntimeError: add {mixed} operators!",
        "ValueError: Cannot find device mesh from args for op : add.",
        "RuntimeError: exp(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.",
        "RuntimeError: result type Double can't be cast to the desired output type Long",
    ]
    for output in outputs(program):
        assert output.splitlines() == lines


def test_mistakes_are_reported(outputs):
    program = (
        CHECK
        + """
x = distribute_tensor(torch.ones(4, 2), mesh, [Shard(0)])
for call in (
    lambda: x + torch.ones(4, 2),
    lambda: x.redistribute(mesh, [Partial()]),
    lambda: distribute_tensor(torch.ones(2), mesh, [Shard(3)]),
    lambda: distribute_tensor(torch.ones(2), mesh, [Shard(0), Shard(0)]),
    lambda: x.numpy(),
    lambda: x.add_(distribute_tensor(torch.ones(3, 4, 2), mesh)),
    lambda: F.dropout(distribute_tensor(torch.ones(4, 2), mesh)),
):
    print(of(call).partition("\\n")[0])
x.add_(distribute_tensor(torch.ones(4, 2), mesh)).mul_(2)
many = distribute_tensor(torch.ones(64, 64), mesh, [Shard(0)])
kept, all = F.dropout(many).full_tensor(), F.dropout(many, training=False).full_tensor()
print(x.full_tensor().sum().item(), 0 < (kept == 0).sum().item() < 4096, torch.equal(all, torch.ones(64, 64)))
"""
    )
    mixed = "need to convert all torch.Tensor to DTensor before calling distributed operators!"
    for output in outputs(program):
        lines = output.splitlines()
        assert lines[0] == f"RuntimeError: add got mixed torch.Tensor and DTensor, {mixed}"
        assert lines[1].endswith("redistributing to Partial is for internal use only!")
        assert lines[2] == "ValueError: Sharding dim 3 greater than tensor ndim 1"
        assert lines[3].startswith("ValueError: `placements` must have the same length as `device_mesh.ndim`!")
        assert lines[4].startswith("RuntimeError: DTensor cannot be converted to a NumPy array.")
        assert lines[5].startswith("RuntimeError: ")
        assert lines[6].startswith("NotImplementedError: dropout of a DTensor that is not sharded is not supported")
        assert lines[7] == "32.0 True True"


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "NAdam"])
def test_optimizers_update_parts(outputs, name):
    program = (
        CHECK
        + f"""
def net():
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 4)).double()

def partition(name, module, mesh):
    if isinstance(module, torch.nn.Linear):
        place = [Shard(0 if name == "0" else 1)]
        module.weight = torch.nn.Parameter(distribute_tensor(module.weight.detach(), mesh, place))

alone, spread = net(), net()
distribute_module(spread, mesh, partition)
options = dict(momentum=0.9) if {name!r} == "SGD" else dict()
optimizers = [torch.optim.{name}(each.parameters(), lr=0.01, **options) for each in (alone, spread)]
for step in range(3):
    x, y = torch.randn(5, 6, dtype=torch.float64), torch.randn(5, 4, dtype=torch.float64)
    x, y = distribute_tensor(x, mesh), distribute_tensor(y, mesh)
    for model, a, b in ((alone, x.to_local(), y.to_local()), (spread, x, y)):
        model.zero_grad()
        F.mse_loss(model(a), b).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    for optimizer in optimizers:
        optimizer.step()
print(all(torch.allclose(p, q.full_tensor()) for p, q in zip(alone.parameters(), spread.parameters())), end=" ")
print(all(isinstance(each, DTensor) for state in optimizers[1].state.values() for each in state.values() if each.ndim))
"""
    )
    assert outputs(program) == ["True True\n"] * 2

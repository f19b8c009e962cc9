"""`DistributedDataParallel`: two processes train one model, as one process would on the whole batch."""

import pytest

MODEL = """
import warnings
from rushlight.nn.parallel import DistributedDataParallel as DDP
nn, F = torch.nn, torch.nn.functional
warnings.simplefilter("ignore")
start()

def network(norm=False):
    torch.manual_seed(0)
    layers = [nn.Linear(6, 8), *([nn.BatchNorm1d(8)] if norm else []), nn.Tanh(), nn.Linear(8, 3)]
    return nn.Sequential(*layers).double()

def batch(step, rows=4):
    torch.manual_seed(100 + step)
    x, y = torch.randn(rows * world, 6, dtype=torch.float64), torch.randn(rows * world, 3, dtype=torch.float64)
    return (x, y), (x[rows * rank :][:rows], y[rows * rank :][:rows])

def train(model, part, steps=4, around=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(steps):
        x, y = batch(step)[part]
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in model.parameters()])

def same_everywhere(values):
    every = [torch.empty_like(values) for _ in range(world)]
    dist.all_gather(every, values)
    return all(torch.equal(each, values) for each in every)
"""


def test_training_equals_that_of_one_process_on_the_whole_batch(outputs):
    options = [
        "",
        "bucket_cap_mb=0.0001",
        "gradient_as_bucket_view=True",
        "static_graph=True",
        "find_unused_parameters=True",
        "bucket_cap_mb_list=[0.0001, 0.001]",
    ]
    program = MODEL + "".join(
        f"""
values = train(DDP(network(), {each}), 1)
print((values - train(network(), 0)).abs().max().item() < 1e-12, same_everywhere(values))
"""
        for each in options
    )
    assert outputs(program) == ["True True\n" * len(options)] * 2


def test_what_loggers_record_of_a_model(outputs):
    program = (
        MODEL
        + """
model = DDP(network(norm=True), gradient_as_bucket_view=True)
record = model._get_ddp_logging_data()
print(*[record[name] for name in ("module_name", "world_size", "rank", "num_parameter_tensors")])
print(*[record[name] for name in ("total_parameter_size_bytes", "gradient_as_bucket_view", "has_sync_bn")])
"""
    )
    expected = "Sequential 2 {} 6\n792 1 0\n"
    assert outputs(program) == [expected.format(0), expected.format(1)]


def test_buckets_are_rebuilt_in_the_order_in_which_gradients_come(outputs):
    program = (
        MODEL
        + """
model = DDP(network(), bucket_cap_mb=0.0001)
print([bucket.members for bucket in model.reducer.buckets])
model(batch(0)[1][0]).sum().backward()
model(batch(0)[1][0])
first = model.reducer.buckets[0].members
print(set(first) <= {2, 3}, len(model.reducer.buckets) > 1, sorted(sum((b.members for b in model.reducer.buckets), [])))
"""
    )
    assert outputs(program) == ["[[0, 1, 2, 3]]\nTrue True [0, 1, 2, 3]\n"] * 2


def test_a_model_that_uses_all_parameters_is_warned_not_to_look_for_unused_ones(outputs):
    program = (
        MODEL
        + """
model = DDP(network(), find_unused_parameters=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    train(model, 1, 2)
print([str(each.message)[:74] for each in caught])
"""
    )
    words = "find_unused_parameters=True was specified in DDP constructor, but did not find"[:74]
    assert outputs(program) == [f"['{words}']\n"] * 2


def test_no_sync_accumulates_and_the_next_pass_reduces_the_sum(outputs):
    program = (
        MODEL
        + """
model, alone = DDP(network()), network()
for step in range(2):
    x, y = batch(step)[1]
    with model.no_sync():
        F.mse_loss(model(x), y).backward()
print(same_everywhere(model.module[0].weight.grad))
x, y = batch(2)[1]
F.mse_loss(model(x), y).backward()
for step in range(3):
    x, y = batch(step)[0]
    F.mse_loss(alone(x), y).backward()
print(all(torch.allclose(p.grad, q.grad) for p, q in zip(model.parameters(), alone.parameters())))
"""
    )
    assert outputs(program) == ["False\nTrue\n"] * 2


UNUSED = (
    MODEL
    + """
class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.left, self.right = nn.Linear(6, 6), nn.Linear(6, 3), nn.Linear(6, 3)

    def forward(self, x, way):
        return getattr(self, way)(self.first(x).tanh())

def step(model, way, number=0):
    x, y = batch(number)[1]
    F.mse_loss(model(x, way), y).backward()

torch.manual_seed(0)
"""
)


def test_parameters_that_no_process_uses_keep_no_gradient(outputs):
    program = (
        UNUSED
        + """
model = DDP(Branches().double(), find_unused_parameters=True)
step(model, "left")
print([p.grad is None for p in model.parameters()])
model = DDP(Branches().double(), static_graph=True)
for number in range(2):
    step(model, "left", number)
print([p.grad is None for p in model.parameters()])
"""
    )
    assert outputs(program) == ["[False, False, False, False, True, True]\n" * 2] * 2


def test_a_parameter_that_one_process_uses_gets_half_its_gradient_everywhere(outputs):
    program = (
        UNUSED
        + """
model = DDP(Branches().double(), find_unused_parameters=True)
step(model, "left" if rank == 0 else "right")
print(all(same_everywhere(p.grad) and p.grad.abs().sum() > 0 for p in model.parameters()))
"""
    )
    assert outputs(program) == ["True\n"] * 2


def test_unused_parameters_without_saying_so_raise_and_are_named(outputs):
    program = (
        UNUSED
        + """
model = DDP(Branches().double())
step(model, "left")
try:
    step(model, "left")
except RuntimeError as error:
    print(str(error)[:79], error.__notes__[0], sep="\\n")
"""
    )
    first = "Expected to have finished reduction in the prior iteration before starting a new one"
    assert outputs(program) == [f"{first[:79]}\nThose parameters are right.weight, right.bias.\n"] * 2


def test_a_static_graph_that_changes_raises(outputs):
    program = (
        UNUSED
        + """
model = DDP(Branches().double(), static_graph=True)
step(model, "left")
try:
    step(model, "right")
except RuntimeError as error:
    print("not compatible with static_graph" in str(error))
"""
    )
    assert outputs(program) == ["True\n"] * 2


def test_all_begin_with_the_values_of_rank_0(outputs):
    program = (
        MODEL
        + """
torch.manual_seed(rank)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
net[1].running_mean.fill_(rank + 1.0)
model = DDP(net)
print(all(map(same_everywhere, model.module.state_dict().values())), net[1].running_mean[0].item())
"""
    )
    assert outputs(program) == ["True 1.0\n"] * 2


@pytest.mark.parametrize(
    ("difference", "words", "note"),
    [
        ("nn.Linear(3, 4 + rank)", "params[0] in this process with sizes", "The parameter is weight: in process"),
        ("nn.Linear(3, 4, bias=rank == 0)", "DDP expects same model across all ranks, but Rank", ""),
        ("nn.Linear(3, 4).to([torch.float32, torch.float64][rank])", "params[0] in this", "its dtype is another"),
    ],
)
def test_different_models_are_refused_by_every_process(outputs, difference, words, note):
    program = (
        MODEL
        + f"""
try:
    DDP({difference})
except RuntimeError as error:
    print({words!r} in str(error), {note!r} in "".join(getattr(error, "__notes__", [])))
"""
    )
    assert outputs(program) == ["True True\n"] * 2


def test_buffers_of_rank_0_are_sent_before_each_forward(outputs):
    program = (
        MODEL
        + """
model = DDP(network(norm=True))
train(model, 1)
model(batch(0)[1][0])  # sends those of the last step, and changes them
kept = model.module[1].running_mean.clone()
print(same_everywhere(kept), end=" ")
model.eval()
model(batch(0)[1][0])
print(same_everywhere(model.module[1].running_mean), end=" ")
own = DDP(network(norm=True), forward_sync_buffers=False)
train(own, 1)
own.eval()
own(batch(0)[1][0])
print(same_everywhere(own.module[1].running_mean))
"""
    )
    assert outputs(program) == ["False True False\n"] * 2


def test_a_buffer_that_was_saved_for_backward_may_be_sent(outputs):
    program = (
        MODEL
        + """
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("scale", torch.full((2,), 2.0))

    def forward(self, x):
        return self.linear(x) * self.scale

model = DDP(Scaled())
(model(torch.ones(1, 2)) + model(torch.ones(1, 2))).sum().backward()
print(model.module.linear.bias.grad.tolist())
"""
    )
    assert outputs(program) == ["[4.0, 4.0]\n"] * 2


def test_uneven_inputs(outputs):
    program = (
        MODEL
        + """
for options in ({}, {"divide_by_initial_world_size": False}):
    model = DDP(network())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with model.join(**options):
        for step in range(2 + 2 * rank):
            x, y = batch(step)[1]
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
    alone = network()
    optimizer = torch.optim.SGD(alone.parameters(), lr=0.1)
    for step in range(4):
        (x, y), _ = batch(step)
        rest = slice(0 if step < 2 else 4, None)  # of the last two steps only rank 1 has its half
        optimizer.zero_grad()
        share = 0.5 if step >= 2 and not options else 1.0
        (F.mse_loss(alone(x[rest]), y[rest]) * share).backward()
        optimizer.step()
    print(all(torch.allclose(p, q) for p, q in zip(model.parameters(), alone.parameters())))
try:
    with DDP(network()).join(throw_on_early_termination=True) as nothing:
        for step in range(1 + rank):
            model(batch(step)[1][0])
except RuntimeError as error:
    print(error)
"""
    )
    first, second = outputs(program)
    assert first == "True\nTrue\nRank 0 exhausted all inputs.\n"
    assert second.startswith("True\nTrue\n")


def test_a_process_that_ends_fails_the_backward_of_the_others(ranks):
    program = (
        MODEL
        + """
model = DDP(network())
train(model, 1, 2)
x, y = batch(2)[1]
loss = F.mse_loss(model(x), y)
if rank == 1:
    os._exit(3)
try:
    loss.backward()
except RuntimeError as error:
    print(type(error).__name__, "rank 1" in str(error), flush=True)
    os._exit(4)
"""
    )
    first, second = ranks(program)
    assert (first.code, second.code, first.output) == (4, 3, "DistBackendError True\n"), first.output


def test_an_error_in_backward_is_the_programs_and_the_next_pass_says_what_is_missing(outputs):
    program = (
        MODEL
        + """
model = DDP(network())
x, y = batch(0)[1]
handle = model.module[0].weight.register_hook(lambda gradient: 1 / 0)
print(of(lambda: F.mse_loss(model(x), y).backward()))
handle.remove()
print(of(lambda: model(x))[:79])
"""
    )
    words = "RuntimeError: Expected to have finished reduction in the prior iteration before starting"[:79]
    assert outputs(program) == [f"ZeroDivisionError: division by zero\n{words}\n"] * 2


def test_a_communication_hook_that_raises_is_heard(outputs):
    program = (
        MODEL
        + """
model = DDP(network())
model.register_comm_hook(None, lambda state, bucket: 1 / 0)
x, y = batch(0)[1]
print(of(lambda: F.mse_loss(model(x), y).backward()))
model = DDP(network())
model.register_comm_hook(None, lambda state, bucket: None)
print(of(lambda: F.mse_loss(model(x), y).backward()))
"""
    )
    first = "ZeroDivisionError: division by zero"
    second = "RuntimeError: Expected the communication hook to return a torch.futures.Future, and it returned None."
    assert outputs(program) == [f"{first}\n{second}\n"] * 2


@pytest.mark.parametrize("options", ["", "gradient_as_bucket_view=True", "find_unused_parameters=True"])
def test_sparse_gradients_are_averaged_and_stay_sparse(outputs, options):
    program = (
        MODEL
        + f"""
warnings.simplefilter("ignore")
torch.manual_seed(0)
table = torch.nn.Embedding(6, 2, sparse=True)
alone = torch.nn.Embedding(6, 2)
alone.load_state_dict(table.state_dict())
model = DDP(table, {options})
steps = torch.optim.SparseAdam(model.parameters()), torch.optim.Adam(alone.parameters())
for step in range(3):
    model(torch.tensor([rank, 4])).square().sum().backward()
    (alone(torch.tensor([0, 4, 1, 4])).square().sum() / 2).backward()
    print(table.weight.grad.is_sparse, torch.allclose(table.weight.grad.to_dense(), alone.weight.grad), end=" ")
    for each in steps:
        each.step()
        each.zero_grad()
"""
    )
    assert outputs(program) == ["True True " * 3] * 2


def test_works_that_nobody_waits_for_are_let_go(outputs):
    program = (
        MODEL
        + """
from rushlight.distributed.work import IN_FLIGHT, MANY
for step in range(3 * MANY):
    dist.all_reduce(torch.ones(1), async_op=True)
    dist.barrier()
print(len(IN_FLIGHT) <= MANY)
"""
    )
    assert outputs(program) == ["True\n"] * 2


def test_copies_and_pickles_train_on(outputs):
    program = (
        MODEL
        + """
import copy, pickle
model = DDP(network())
for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
    x, y = batch(0)[1]
    F.mse_loss(other(x), y).backward()
    print(all(same_everywhere(p.grad) for p in other.parameters()), other.module is model.module)
part = DDP(network(), process_group=dist.new_group([0, 1]))
try:
    pickle.dumps(part)
except RuntimeError as error:
    print(str(error)[:60])
"""
    )
    words = "DDP Pickling/Unpickling are only supported when using DDP with the default"[:60]
    assert outputs(program) == [f"True False\nTrue False\n{words}\n"] * 2


def test_a_model_that_was_unwrapped_is_free_of_hooks(outputs):
    program = (
        MODEL
        + """
import gc
net = network()
model = DDP(net)
train(model, 1, 1)
del model
gc.collect()
print(any(p._edge.post_accumulate_hooks for p in net.parameters()))
"""
    )
    assert outputs(program) == ["False\n"] * 2


def test_a_part_of_the_processes_trains_alone(outputs):
    program = (
        MODEL
        + """
groups = [dist.new_group([0, 1]), dist.new_group([2])]
group = groups[rank // 2]
world, rank = dist.get_world_size(group), dist.get_rank(group)
values = train(DDP(network(norm=True), process_group=group), 1)
if world == 1:
    print((values - train(network(norm=True), 0)).abs().max().item() < 1e-12)
else:
    every = [torch.empty_like(values) for _ in range(2)]
    dist.all_gather(every, values, group=group)
    print(torch.equal(*every))
"""
    )
    assert outputs(program, 3) == ["True\n"] * 3


@pytest.mark.parametrize(("dtype", "reduced"), [("bfloat16", "None"), ("float16", "torch.float32")])
def test_forward_computes_in_half_precision(outputs, dtype, reduced):
    program = (
        MODEL
        + f"""
from rushlight.nn.parallel.distributed import _MixedPrecision
dtype, reduced = torch.{dtype}, {reduced}

def network():
    torch.manual_seed(0)
    result = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 4), nn.Linear(4, 4))
    result[4].weight = result[3].weight
    return result

def batch(of):
    torch.manual_seed(of)
    return torch.randn(5, 3), torch.randn(5, 4)

own = network()
model = DDP(own, mixed_precision=_MixedPrecision(dtype, reduced, buffer_dtype=dtype))
names = [name for name, _ in own.named_parameters()]
x, y = batch(rank)
result = model(x)
F.mse_loss(result, y.to(dtype)).backward()
print(result.dtype is dtype, {{p.dtype for p in (*model.parameters(), *(p.grad for p in model.parameters()))}})
print([buffer.dtype is dtype for buffer in model.buffers()])
terms = []
for each in range(world):
    alone = network()
    for buffer in alone.buffers():
        buffer.data = buffer.to(dtype) if buffer.is_floating_point() else buffer
    casts = {{name: parameter.to(dtype) for name, parameter in alone.named_parameters()}}
    x, y = batch(each)
    F.mse_loss(torch.func.functional_call(alone, casts, x.to(dtype), tie_weights=True), y.to(dtype)).backward()
    terms.append([p.grad.to(reduced or dtype) / world for p in alone.parameters()])
average = [sum(parts).float() for parts in zip(*terms)]
print(all(torch.equal(p.grad, q) for p, q in zip(own.parameters(), average)))
print([name for name, _ in own.named_parameters()] == names, of(lambda: model(x[:, :2]))[:12], own[0].weight.dtype)
print(of(lambda: model.register_comm_hook(None, lambda state, bucket: None)))
"""
    )
    expected = """\
True {torch.float32}
[True, True, False]
True
True RuntimeError torch.float32
RuntimeError: register_comm_hook or register_builtin_comm_hook can only be called once.
"""
    assert outputs(program) == [expected] * 2

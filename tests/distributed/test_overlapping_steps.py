"""Steps of a `ZeroRedundancyOptimizer` in the hooks of `DistributedDataParallel`: they give what PyTorch computes."""

import pytest

PROGRAM = """
import functools, importlib, itertools, warnings
name = os.environ["LIBRARY"]
torch, dist, optim, hooks, default, parallel = (importlib.import_module(name + each) for each in (
    "", ".distributed", ".distributed.optim", ".distributed.algorithms.ddp_comm_hooks.ddp_zero_hook",
    ".distributed.algorithms.ddp_comm_hooks.default_hooks", ".nn.parallel"))
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)

def network():
    torch.manual_seed(0)
    sizes = [9, 40, 30, 20, 7]
    return torch.nn.Sequential(*(layer for one, other in itertools.pairwise(sizes)
        for layer in (torch.nn.Linear(one, other), torch.nn.Tanh())))

def batches(count):
    generator = torch.Generator().manual_seed(5 + rank)
    for _ in range(count):
        yield tuple(torch.randn(6, size, generator=generator) for size in (9, 7))

def train(model, optimizer, steps, skipped=0):
    "Trains with the same data; a plain optimizer makes no step in the first `skipped` passes."
    for number, (x, y) in enumerate(batches(steps)):
        model.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        if optimizer is not None and number >= skipped:
            optimizer.step()
    return [p.detach().clone() for p in model.parameters()]

def wrapped(model, **options):
    return parallel.DistributedDataParallel(model, bucket_cap_mb=0.002, **options)

def plain(kind, options, steps, skipped):
    model = wrapped(network())
    return train(model, getattr(torch.optim, kind)(model.parameters(), **options), steps, skipped)

def overlapped(kind, options, steps, way, divides=False, **ddp):
    model = wrapped(network(), **ddp)
    zero = optim.ZeroRedundancyOptimizer(
        model.parameters(), getattr(torch.optim, kind), overlap_with_ddp=True, **options)
    model.register_comm_hook(None, getattr(hooks, way)(default.allreduce_hook, model, zero, divides))
    return train(model, None, steps), zero

def show(values):
    print(*(f"{each:.9g}" for value in values for each in value.flatten().tolist()))
"""
END = "\ndist.barrier()\ndist.destroy_process_group()\n"
WAYS = ("hook_with_zero_step", "hook_with_zero_step_interleaved")
# Where a gradient is divided by its size, its last bits, which differ by processor, would become the whole step without
# an eps
OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    "Adam": {"lr": 0.01, "eps": 1e-3},
    "AdamW": {"lr": 0.01, "eps": 1e-3},
    "Adagrad": {"lr": 0.05, "eps": 1e-3},
    "Adadelta": {"lr": 0.5},
    "RMSprop": {"lr": 0.01, "eps": 1e-3},
    "Rprop": {"lr": 0.01},
    "Adamax": {"lr": 0.01, "eps": 1e-3},
}


def numbers(texts):
    return [[float(each) for each in text.split()] for text in texts]


def lines_of_numbers(texts):
    return [numbers(text.splitlines()) for text in texts]


def test_steps_are_those_of_a_plain_optimizer(pytorch, outputs):
    program = f"for kind, options in {OPTIMIZERS}.items():\n    show(plain(kind, options, 6, 2))\n"
    expected = lines_of_numbers(outputs(PROGRAM + program + END, LIBRARY="torch"))
    assert expected[0] == expected[1]
    program = f"""
for kind, options in {OPTIMIZERS}.items():
    one = plain(kind, options, 6, 2)
    for way in {WAYS}:
        for divides in (False, True):
            other, zero = overlapped(kind, options, 6, way, divides)
            assert all(map(torch.equal, one, other)), (kind, way, divides)
            assert 0 < len(zero.optim.state) < len(one)
    show(one)
"""
    first, second = lines_of_numbers(outputs(PROGRAM + program + END, LIBRARY="rushlight"))
    assert first == second
    for kind, ours, theirs in zip(OPTIMIZERS, first, expected[0], strict=True):
        assert ours == pytest.approx(theirs, rel=2e-5, abs=2e-6), kind


def test_passes_without_a_step_are_those_of_pytorch(pytorch, outputs):
    allowed = "warnings.showwarning = lambda *details: None\n"  # of what PyTorch itself calls
    allowed += "dist.get_backend = lambda group=None: 'mpi'\n"  # it refuses gloo: with two processes it hangs
    program = """
for static in (False, True):
    for steps in range(1, 6):
        show(overlapped("SGD", {"lr": 0.1}, steps, "hook_with_zero_step", static_graph=static)[0])
"""
    expected = numbers(outputs(PROGRAM + allowed + program + END, 1, LIBRARY="torch"))
    ours = numbers(outputs(PROGRAM + program + END, 1, LIBRARY="rushlight"))
    assert ours[0] == pytest.approx(expected[0], rel=2e-5, abs=2e-6)


@pytest.mark.parametrize("way", WAYS)
def test_in_half_precision_with_unused_parameters_and_uneven_inputs(outputs, way):
    program = f"""
def reduced(model, hook, steps):
    model.register_comm_hook(None, hook(model))
    return train(model, None, steps)

model = wrapped(network())
model.register_comm_hook(None, default.fp16_compress_hook)
one = train(model, torch.optim.SGD(model.parameters(), lr=0.1), 5, 2)
model = wrapped(network(), gradient_as_bucket_view=True)
zero = optim.ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, overlap_with_ddp=True, lr=0.1)
model.register_comm_hook(None, hooks.{way}(default.fp16_compress_hook, model, zero))
print(all(map(torch.equal, one, train(model, None, 5))))

class Partly(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = network(), torch.nn.Linear(3, 3)
    def forward(self, x):
        return self.used(x)

def partly():
    torch.manual_seed(0)
    return wrapped(Partly(), find_unused_parameters=True)

one = partly()
one = train(one, torch.optim.SGD(one.parameters(), lr=0.1), 5, 2)
other = partly()
zero = optim.ZeroRedundancyOptimizer(other.parameters(), torch.optim.SGD, overlap_with_ddp=True, lr=0.1)
print(all(map(torch.equal, one, reduced(other, lambda m: hooks.{way}(default.allreduce_hook, m, zero), 5))))

model = wrapped(network())
zero = optim.ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, overlap_with_ddp=True, lr=0.01)
model.register_comm_hook(None, hooks.{way}(default.allreduce_hook, model, zero))
with importlib.import_module(name + ".distributed.algorithms.join").Join([model, zero]):
    train(model, None, 4 + 2 * rank)
values = torch.cat([p.detach().flatten() for p in model.parameters()])
every = [torch.empty_like(values) for _ in range(world)]
dist.all_gather(every, values)
print(torch.equal(*every), not torch.equal(values, torch.cat([p.detach().flatten() for p in network().parameters()])))
"""
    assert outputs(PROGRAM + program + END, LIBRARY="rushlight") == ["True\nTrue\nTrue True\n"] * 2


def test_three_processes_divide_buckets_and_save_one_state(outputs):
    program = """
for way in ("hook_with_zero_step", "hook_with_zero_step_interleaved"):
    one = plain("Adam", {"lr": 0.01}, 5, 2)
    other, zero = overlapped("Adam", {"lr": 0.01}, 5, way, True)
    zero.consolidate_state_dict(to=2)
    same = functools.partial(torch.allclose, atol=1e-6)  # a hook divides by 3, a plain model multiplies by 1 / 3
    print(all(map(same, one, other)), sorted(zero.state_dict()["state"]) if rank == 2 else "")
"""
    texts = outputs(PROGRAM + program + END, 3, LIBRARY="rushlight")
    assert texts == ["True \n" * 2] * 2 + ["True [0, 1, 2, 3, 4, 5, 6, 7]\n" * 2]


def test_mistakes(pytorch, outputs):
    program = """
import logging
logging.disable()
dist.get_backend = lambda group=None: 'mpi'
net = network()
ddp = wrapped(net)
zero = optim.ZeroRedundancyOptimizer(net.parameters(), torch.optim.SGD, overlap_with_ddp=True, lr=0.1)
print(zero.step())
for call in (
    lambda: optim.ZeroRedundancyOptimizer(net.parameters(), torch.optim.LBFGS, overlap_with_ddp=True),
    zero.state_dict, zero.consolidate_state_dict, lambda: zero.load_state_dict({}),
    lambda: zero.add_param_group({"params": [torch.nn.Parameter(torch.ones(1))]}),
    lambda: hooks.hook_with_zero_step(default.allreduce_hook, ddp,
        optim.ZeroRedundancyOptimizer(net.parameters(), torch.optim.SGD, lr=0.1)),
):
    print(of(call).splitlines()[0].replace("rushlight", "torch"))
"""
    ours = outputs(PROGRAM + program + END, 1, LIBRARY="rushlight")
    assert ours == outputs(PROGRAM + program + END, 1, LIBRARY="torch")

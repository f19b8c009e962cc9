"""Collectives and DistributedDataParallel on tensors of simulated GPUs, with backend "nccl" and "gloo"."""

import pytest

COLLECTIVES = """
import warnings
warnings.simplefilter("ignore", FutureWarning)  # older names
torch.cuda.simulate()
dist.init_process_group(os.environ["BACKEND"], init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
x = torch.full((3,), rank + 1.0, device="cuda")
dist.all_reduce(x)
print(x.tolist(), x.device)
half = (torch.ones(4, 2, dtype=torch.bfloat16, device="cuda") * (rank + 1)).t()
dist.all_reduce(half)
print(half.float().mean().item(), half.dtype)
dist.all_reduce(largest := torch.tensor([rank, 5], device="cuda"), dist.ReduceOp.MAX)
print(largest.tolist())
dist.broadcast(x + rank, 0)
slots = [torch.zeros(3, device="cuda") for _ in range(world)]
dist.all_gather(slots, x + rank)
print([slot[0].item() for slot in slots])
joined = torch.zeros(2 * world, device="cuda")
dist.all_gather_into_tensor(joined, torch.full((2,), float(rank), device="cuda"))
print(joined.tolist())
sums = torch.zeros(2, device="cuda")
dist.reduce_scatter_tensor(sums, torch.arange(2.0 * world, device="cuda"))
print(sums.tolist())
swapped = torch.zeros(world, device="cuda")
dist.all_to_all_single(swapped, torch.arange(float(world), device="cuda") + 10 * rank)
print(swapped.tolist())
part = torch.zeros(2, device="cuda")
dist.scatter(part, [torch.full((2,), float(k), device="cuda") for k in range(world)] if rank == 0 else None)
print(part.tolist())
if rank == 0:
    dist.send(x, 1)
else:
    dist.recv(came := torch.zeros(3, device="cuda"), 0)
    print(came.tolist())
objects = [None] * world
dist.all_gather_object(objects, {"rank": rank})
print(objects)
work = dist.all_reduce(x, async_op=True)
work.wait()
print(x.tolist(), dist.get_backend())
dist.barrier()
dist.destroy_process_group()
"""

TRAINING = """
if (place := os.environ["PLACE"]) != "cpu":
    torch.cuda.simulate()
dist.init_process_group(os.environ["BACKEND"], init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
torch.manual_seed(0)
layers = torch.nn.Linear(3, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 2)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers).to(place))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
for step in range(4):
    torch.manual_seed(10 * step + rank)
    x = torch.randn(4, 3).to(place)
    with model.no_sync() if step == 2 else torch.enable_grad():
        model(x).square().mean().backward()
    if step != 2:
        optimizer.step()
        optimizer.zero_grad()
print([f"{value:.4f}" for value in model.module[3].weight.detach().cpu().flatten().tolist()])
dist.destroy_process_group()
"""


def lines_of(outputs, program, **environment):
    return [[line for line in text.splitlines() if "simulated" not in line] for text in outputs(program, **environment)]


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
def test_collectives_take_tensors_of_gpus(outputs, backend):
    first, second = lines_of(outputs, COLLECTIVES, BACKEND=backend)
    assert first == [
        "[3.0, 3.0, 3.0] cuda:0", "3.0 torch.bfloat16", "[1, 5]", "[3.0, 4.0]", "[0.0, 0.0, 1.0, 1.0]", "[0.0, 2.0]",
        "[0.0, 10.0]", "[0.0, 0.0]", "[{'rank': 0}, {'rank': 1}]", f"[6.0, 6.0, 6.0] {backend}",
    ]  # fmt: skip
    assert second[5:9] == ["[4.0, 6.0]", "[1.0, 11.0]", "[1.0, 1.0]", "[3.0, 3.0, 3.0]"]


def test_training_on_gpus_is_that_on_the_cpu(outputs):
    on_gpus = lines_of(outputs, TRAINING, BACKEND="nccl", PLACE="cuda")
    assert on_gpus == lines_of(outputs, TRAINING, BACKEND="gloo", PLACE="cpu")
    assert on_gpus[0] == on_gpus[1]


def test_one_rank_alone_trains_by_nccl(outputs):
    (alone,) = lines_of(outputs, TRAINING, size=1, BACKEND="nccl", PLACE="cuda")
    assert alone == lines_of(outputs, TRAINING, size=1, BACKEND="gloo", PLACE="cpu")[0]

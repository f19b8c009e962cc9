"""Tensors of GPUs travel by NCCL, which here is a fake between simulated GPUs: numbers, order, streams, failures."""

import os
import textwrap

import pytest

from .test_gpus import COLLECTIVES, TRAINING

HERE = __file__.rpartition("/")[0]
NCCL = """
import fake_nccl
torch.cuda.simulate(devices=2)
fake_nccl.give_to_gpus()

def start(backend="nccl", **options):
    dist.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world, **options)
"""


@pytest.fixture
def by_nccl(outputs, ranks, tmp_path):
    """Runs a program on simulated GPUs that have a NCCL; returns what each rank prints, without announcements."""

    def run(program, size=2, fails=False, **more):
        path = os.pathsep.join([HERE, *filter(None, [os.environ.get("PYTHONPATH")])])
        more |= {"NCCL_FOLDER": str(tmp_path), "PYTHONPATH": path}
        if fails:
            return ranks(NCCL + program, size, **more)
        texts = outputs(NCCL + program, size, **more)
        return [[line for line in text.splitlines() if "simulated" not in line] for text in texts]

    return run


def with_nccl(program):
    return program.replace("torch.cuda.simulate()", "pass")


@pytest.mark.parametrize("backend", ["nccl", "cpu:gloo,cuda:nccl"])
def test_collectives_of_gpus_go_by_nccl(by_nccl, backend):
    name = "gloo" if ":" in backend else "nccl"  # that of the CPU
    first, second = by_nccl(with_nccl(COLLECTIVES) + "print(sorted(set(fake_nccl.CALLS)))", BACKEND=backend)
    assert first == [
        "[3.0, 3.0, 3.0] cuda:0", "3.0 torch.bfloat16", "[1, 5]", "[3.0, 4.0]", "[0.0, 0.0, 1.0, 1.0]", "[0.0, 2.0]",
        "[0.0, 10.0]", "[0.0, 0.0]", "[{'rank': 0}, {'rank': 1}]", f"[6.0, 6.0, 6.0] {name}",
        "['allGather', 'allReduce', 'broadcast', 'recv', 'reduceScatter', 'send']",
    ]  # fmt: skip
    assert second[5:9] == ["[4.0, 6.0]", "[1.0, 11.0]", "[1.0, 1.0]", "[3.0, 3.0, 3.0]"]


def test_training_by_nccl_is_that_on_the_cpu(by_nccl, outputs):
    on_gpus = by_nccl(with_nccl(TRAINING) + "print('allReduce' in fake_nccl.CALLS)", BACKEND="nccl", PLACE="cuda")
    on_cpu = outputs(TRAINING, BACKEND="gloo", PLACE="cpu")
    assert on_gpus == [[*text.splitlines(), "True"] for text in on_cpu]


NUMBERS = """
import warnings
warnings.simplefilter("ignore", FutureWarning)  # older names
start()
by_mpi = dist.new_group(backend="gloo")
generator = torch.Generator().manual_seed(rank)
R = dist.ReduceOp

def numbers(dtype, *shape):
    return torch.randint(0, 2 if dtype == torch.bool else 5, shape, generator=generator).to(dtype)

LAYOUTS = {
    "contiguous": lambda dtype: numbers(dtype, 2 * world, 3),
    "transposed": lambda dtype: numbers(dtype, 3, 2 * world).t(),
    "with gaps": lambda dtype: numbers(dtype, 2 * world, 6)[:, ::2],
    "empty": lambda dtype: numbers(dtype, 2 * world, 0),
}

def all_reduce(op):
    return lambda x, group: (dist.all_reduce(x, op, group), x)[1]

def reduce(op, root):
    return lambda x, group: (dist.reduce(x, root, op, group), x)[1]

def broadcast(x, group):
    dist.broadcast(x, world - 1, group)
    return x

def all_gather(x, group):
    dist.all_gather(slots := [torch.zeros_like(x) for _ in range(world)], x, group)
    return torch.stack(slots)

def all_gather_into_tensor(x, group):
    result = x.new_zeros(world * x.shape[0], *x.shape[1:])
    dist.all_gather_into_tensor(result, x, group)
    return result

def gather(x, group):
    slots = [torch.zeros_like(x) for _ in range(world)] if rank == 1 else None
    dist.gather(x, slots, 1, group)
    return torch.stack(slots) if slots else x

def scatter(x, group):
    result = torch.zeros_like(x)
    dist.scatter(result, [x + k for k in range(world)] if rank == 1 else None, 1, group)
    return result

def reduce_scatter(x, group):
    result = torch.zeros_like(x)
    dist.reduce_scatter(result, [x.roll(k) for k in range(world)], group=group)
    return result

def reduce_scatter_tensor(x, group):
    result = x.new_zeros(2, *x.shape[1:])
    dist.reduce_scatter_tensor(result, x, R.MAX, group)
    return result

def all_to_all(x, group):
    dist.all_to_all(slots := [torch.zeros_like(x) for _ in range(world)], [x.roll(k) for k in range(world)], group)
    return torch.stack(slots)

def all_to_all_single(x, group):
    rows = 2 * world
    sent = [rows if k == (rank + 1) % world else 0 for k in range(world)]
    came = [rows if k == (rank - 1) % world else 0 for k in range(world)]
    dist.all_to_all_single(result := torch.zeros_like(x), x, came, sent, group)
    return result

count = 0
for dtype in (torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16,
              torch.float32, torch.float64, torch.complex64, torch.complex128):
    of_numbers = [R.SUM]
    if not dtype.is_complex:
        of_numbers += [R.PRODUCT, R.MIN, R.MAX]
    if dtype.is_floating_point or dtype.is_complex:
        of_numbers += [R.AVG]
    calls = {f"all_reduce {op}": all_reduce(op) for op in of_numbers}
    calls |= {f"reduce {op}": reduce(op, root % world) for root, op in enumerate(of_numbers)}
    calls |= {call.__name__: call for call in (broadcast, all_gather, all_gather_into_tensor, gather, all_to_all,
                                               all_to_all_single)}
    if dtype != torch.bool:
        calls |= {call.__name__: call for call in (scatter, reduce_scatter)}
    if not dtype.is_complex:
        calls["reduce_scatter_tensor"] = reduce_scatter_tensor
    for name, call in calls.items():
        for layout, made in LAYOUTS.items():
            on_cpu = made(dtype)
            gaps = layout == "with gaps"
            on_gpu = torch.stack([on_cpu, on_cpu], -1).cuda()[..., 0] if gaps else on_cpu.clone().cuda()
            assert not (gaps and on_gpu.is_contiguous())
            expected, result = call(on_cpu.contiguous(), by_mpi), call(on_gpu, None)
            same = torch.allclose if dtype.is_complex else torch.equal
            assert result.is_cuda and same(result.cpu(), expected), (dtype, name, layout, result, expected)
            count += 1
print(count)
scalar = torch.tensor(rank + 1.0, device="cuda")
dist.all_reduce(scalar)
conjugate = torch.complex(torch.ones(2), torch.full((2,), float(rank))).cuda().conj()
dist.all_reduce(conjugate)
print(scalar.item(), conjugate.tolist())
second = torch.full((2,), rank + 1.0, device="cuda:1")
dist.all_reduce(second)
print(second.tolist(), second.device, len(dist.group.WORLD.between_gpus))
for dtype, op in ((torch.int32, R.BAND), (torch.int16, R.SUM), (torch.bool, R.AVG)):
    print(of(lambda: dist.all_reduce(torch.ones(2, device="cuda").to(dtype), op)))
on_cpu = torch.ones(2)
print(of(lambda: dist.all_gather([on_cpu] * world, on_cpu.cuda())))
moved = torch.full((2,), rank, dtype=torch.int16, device="cuda")
dist.broadcast(moved, 1)
print(moved.tolist())
dist.destroy_process_group()
"""


@pytest.mark.parametrize("size", [2, 3])
def test_every_collective_and_dtype_by_nccl_is_that_by_mpi(by_nccl, size):
    texts = by_nccl(NUMBERS, size=size)
    total = size * (size + 1) / 2
    for lines in texts:
        assert int(lines[0]) > 500
        assert lines[1:] == [
            f"{total} {[complex(size, -size * (size - 1) / 2)] * 2}", f"{[total] * 2} cuda:1 2",
            "ValueError: Cannot use ReduceOp.BAND with NCCL",
            "TypeError: Input tensor data type is not supported for NCCL process group: Short",
            "TypeError: Cannot use ReduceOp.AVG with boolean inputs", "ValueError: Tensors must be CUDA and dense",
            "[1, 1]",
        ]  # fmt: skip


STREAMS = """
import warnings
warnings.simplefilter("error")  # a stream that reads before another has written
start()
side = torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(side):
    x = torch.full((3,), rank + 1.0, device="cuda") * 2
    dist.all_reduce(x)
    y = x + 1
side.synchronize()
print(y.tolist())
work = dist.all_reduce(x, async_op=True)
asked = 0
while not work.is_completed():
    asked += 1
print(x.tolist(), asked > 0)
z = torch.full((2,), float(rank), device="cuda")
future = dist.all_reduce(z, async_op=True).get_future().then(lambda done: done.value()[0] * 10)
print(future.wait().tolist())
dist.destroy_process_group()
"""


def test_nccl_waits_for_the_programs_stream_and_the_program_for_nccl(by_nccl):
    assert by_nccl(STREAMS) == [["[7.0, 7.0, 7.0]", "[12.0, 12.0, 12.0] True", "[10.0, 10.0]"]] * 2


RING = """
start()
x, came = torch.full((4,), float(rank), device="cuda"), torch.zeros(4, 2, device="cuda")[:, 0]
calls = [dist.P2POp(dist.isend, x, (rank + 1) % world), dist.P2POp(dist.irecv, came, (rank - 1) % world)]
for work in dist.batch_isend_irecv(calls):
    work.wait()
print(came.tolist(), sorted(fake_nccl.CALLS))
single = torch.zeros(4, device="cuda")
if rank == 0:
    dist.send(x + 5, 1)
if rank == 1:
    dist.recv(single)
    print(single.tolist())
pair = dist.new_group([0, 2])
if rank != 1:
    dist.all_reduce(x, group=pair)
    print(x.tolist())
dist.barrier()
dist.destroy_process_group()
assert not dist.is_initialized() and dist.is_backend_available("nccl")
print(all(carrier.communicator.ended for carrier in pair.between_gpus.values()) if rank != 1 else True)
"""


def test_messages_around_a_ring_go_at_once(by_nccl):
    first, second, third = by_nccl(RING, size=3)
    assert [lines[0] for lines in (first, second, third)] == [f"{[float(k)] * 4} ['recv', 'send']" for k in (2, 0, 1)]
    assert first[1:] == third[1:] == [f"{[2.0] * 4}", "True"] and second[1:] == [f"{[5.0] * 4}", "True"]


FAILURES = {
    "a rank is killed": (
        """
        x = torch.ones(3, device="cuda")
        dist.all_reduce(x)
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        began = time.time()
        print(of(lambda: (dist.all_reduce(x), torch.cuda.synchronize())), time.time() - began < 2)
        print(dist.group.WORLD.between_gpus[0].communicator.ended, of(lambda: dist.all_reduce(x))[:60])
        """,
        ["DistBackendError: rank 1 (pid", "has ended", "True\nTrue DistBackendError: The process group has failed"],
    ),
    "shapes differ": (
        """
        dist.all_reduce(torch.ones(3, device="cuda"))
        print(of(lambda: (dist.all_reduce(x := torch.ones(3 + rank, device="cuda")), x.tolist())))
        """,
        ["Ranks have made different calls: rank 0 called all_reduce(float32 [3], SUM) at"],
    ),
    "a rank does not come": (
        """
        dist.all_reduce(torch.ones(3, device="cuda"))
        if rank == 0:
            print(of(lambda: dist.all_reduce(torch.ones(3, device="cuda"), async_op=True).wait(timedelta(seconds=1))))
        else:
            time.sleep(2)
        """,
        ["Timed out waiting 1000ms for all_reduce to complete: rank 1 (pid"],
    ),
    "a rank does not come to the start": (
        """
        dist.group.WORLD.timeout = timedelta(seconds=1)
        if rank == 0:
            print(of(lambda: dist.all_reduce(torch.ones(3, device="cuda"))))
        else:
            time.sleep(2)
        os._exit(0)  # NCCL's start waits for good
        """,
        ["Timed out waiting 1000ms for the start of NCCL to complete: rank 1 (pid"],
    ),
    "NCCL cannot start": (
        """
        def refuse(*arguments):
            raise fake_nccl.NcclError("NCCL_ERROR_INVALID_USAGE: invalid usage")

        if rank == 0:
            fake_nccl.NcclCommunicator = refuse
        try:
            dist.all_reduce(torch.ones(3, device="cuda"))
        except Exception as error:
            print(error, *getattr(error, "__notes__", ()))
        os._exit(0)
        """,
        ["NCCL error: NCCL_ERROR_INVALID_USAGE: invalid usage", 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))'],
    ),
    "NCCL fails later": (
        """
        dist.all_reduce(torch.ones(3, device="cuda"))

        def refuse(self):
            raise fake_nccl.NcclError("NCCL_ERROR_UNHANDLED_CUDA_ERROR: unhandled cuda error")

        if rank == 0:
            fake_nccl.NcclCommunicator.check_async_error = refuse
            print(of(lambda: (dist.all_reduce(torch.ones(3, device="cuda")), torch.cuda.synchronize())))
        else:
            time.sleep(1)
            print(of(lambda: (dist.all_reduce(torch.ones(3, device="cuda")), torch.cuda.synchronize())))
        """,
        ["DistBackendError: NCCL: NCCL_ERROR_UNHANDLED_CUDA_ERROR: unhandled cuda error"],
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_raise_and_end_the_communicator(by_nccl, name):
    program, expected = FAILURES[name]
    # The default stream of the fake works at once, and so would wait for a rank that does not come.
    program = "start()\ntorch.cuda.set_stream(torch.cuda.Stream())\n" + textwrap.dedent(program)
    first, *_ = by_nccl(program, fails=True)
    for words in expected:
        assert words in first.output


FOLLOWED = """
start()
dist.all_reduce(torch.ones(1, device="cuda"))  # makes the communicator
torch.cuda.synchronize()
torch.cuda.set_stream(torch.cuda.Stream())
x, slots = torch.full((3,), rank + 1.0, device="cuda"), [torch.zeros(2, 3, device="cuda").t() for _ in range(world)]
dist.barrier()
if rank == 1:
    time.sleep(1)
began = time.time()
work = dist.all_reduce(x, async_op=True)
work.wait()
y = x * 2
dist.all_gather(slots, torch.full((3, 2), float(rank), device="cuda"))
z = slots[1] + 1
print(time.time() - began < 0.5)
print(y.tolist(), z.tolist(), work.is_completed(), work.wait())
later = dist.all_reduce(x, async_op=True)
print(later.wait(timedelta(seconds=60)), later.is_completed())  # with a time the program waits
dist.all_reduce(x)
dist.destroy_process_group()  # after what is queued
print(x.tolist())
"""


def test_the_current_stream_waits_for_a_work_and_the_program_goes_on(by_nccl):
    expected = [
        "True",
        "[6.0, 6.0, 6.0] [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]] True True",
        "True True",
        "[12.0, 12.0, 12.0]",
    ]
    assert by_nccl(FOLLOWED) == [expected] * 2


SCALED = """
start()
by_mpi = dist.new_group(backend="gloo")
made = dist._make_nccl_premul_sum
print(made(2.0) == dist.ReduceOp.PREMUL_SUM)
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    for factor in (0.5, 0.3, torch.tensor([0.25 * (rank + 1)]).cuda()):
        x = (torch.arange(12.0).reshape(4, 3) * (rank + 1)).to(dtype).cuda()
        scaled = x * torch.as_tensor(factor, dtype=dtype).cuda()
        for layout in (lambda x: x.clone(), lambda x: x.t().contiguous().t()):
            dist.all_reduce(ours := layout(x), made(factor))
            dist.all_reduce(theirs := scaled.clone())
            assert torch.equal(ours, theirs)
            dist.reduce(ours := layout(x), 1, made(factor))
            dist.reduce(theirs := scaled.clone(), 1)
            assert torch.equal(ours, theirs if rank == 1 else x)
        dist.reduce_scatter_single(ours := torch.zeros(2, 3, dtype=dtype).cuda(), kept := x.clone(), made(factor))
        dist.reduce_scatter_single(theirs := torch.zeros(2, 3, dtype=dtype).cuda(), scaled)
        assert torch.equal(ours, theirs) and torch.equal(kept, x)
print(of(lambda: dist.all_reduce(torch.ones(2, dtype=torch.int32).cuda(), made(2))))
print(of(lambda: dist.all_reduce(torch.ones(2), made(2), by_mpi)))
dist.destroy_process_group()
"""


def test_a_sum_of_what_is_multiplied_first(by_nccl):
    for lines in by_nccl(SCALED):
        assert lines[:2] == ["True", "TypeError: PreMulSum Data type must be half, float, bfloat16 or double"]
        assert lines[2].startswith("TypeError: all_reduce(): incompatible function arguments")

"""Every collective in two processes: what each rank has afterwards follows from what all had before."""

DATA = """
import numpy as np

def data(of, dtype=torch.float32, shape=(3, 4), salt=0):
    numbers = np.random.default_rng(10 * of + salt).integers(1, 5, shape)
    return torch.from_numpy(numbers).to(dtype)

def same(actual, expected):
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, (actual, expected)
    assert torch.equal(actual, expected), (actual, expected)

start()
everyone = range(world)
"""


def test_reductions_of_every_dtype_and_operator(outputs):
    outputs(
        DATA
        + """
R = dist.ReduceOp
combine = {R.SUM: torch.add, R.PRODUCT: torch.mul, R.MIN: torch.minimum, R.MAX: torch.maximum,
           R.BAND: torch.bitwise_and, R.BOR: torch.bitwise_or, R.BXOR: torch.bitwise_xor}
floats = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
integers = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
for dtype in floats + integers:
    for op, function in combine.items():
        if dtype in floats and op in (R.BAND, R.BOR, R.BXOR):
            continue
        x = data(rank, dtype)
        assert dist.all_reduce(x, op) is None
        same(x, function(data(0, dtype), data(1, dtype)))
for dtype in (torch.complex64, torch.complex128):
    x = data(rank, dtype) * 1j
    dist.all_reduce(x)
    same(x, (data(0, dtype) + data(1, dtype)) * 1j)
for op, function in ((R.SUM, torch.logical_or), (R.MAX, torch.logical_or), (R.MIN, torch.logical_and)):
    x = data(rank) > 2
    dist.all_reduce(x, op)
    same(x, function(data(0) > 2, data(1) > 2))
x = data(rank)
dist.all_reduce(x, R.AVG)
same(x, (data(0) + data(1)) / 2)
for dst in everyone:
    x = data(rank)
    dist.reduce(x, dst)
    same(x, data(0) + data(1) if rank == dst else data(rank))
    out = torch.empty(3, 4)
    dist.reduce_scatter(out, [data(rank, salt=k) for k in everyone])
    same(out, data(0, salt=rank) + data(1, salt=rank))
    dist.reduce_scatter_single(out, torch.cat([data(rank, salt=k) for k in everyone]), R.MAX)
    same(out, torch.maximum(data(0, salt=rank), data(1, salt=rank)))
"""
    )


def test_data_that_moves_and_memory_that_is_not_contiguous(outputs):
    outputs(
        DATA
        + """
for dtype in (torch.float32, torch.bfloat16, torch.bool, torch.complex64, torch.int64):
    every = [data(k, dtype) for k in everyone]
    for root in everyone:
        x = data(rank, dtype)
        dist.broadcast(x, root)
        same(x, every[root])
        lists = [torch.empty_like(x) for _ in everyone] if rank == root else None
        dist.gather(data(rank, dtype), lists, dst=root)
        if rank == root:
            [same(*pair) for pair in zip(lists, every)]
        dist.scatter(x, [data(k, dtype, salt=7) for k in everyone] if rank == root else None, src=root)
        same(x, data(rank, dtype, salt=7))
    lists = [torch.empty_like(x) for _ in everyone]
    dist.all_gather(lists, data(rank, dtype))
    [same(*pair) for pair in zip(lists, every)]
    whole = torch.empty(world, 3, 4, dtype=dtype)
    dist.all_gather_single(whole, data(rank, dtype))
    same(whole, torch.stack(every))
    dist.all_to_all(lists, [data(rank, dtype, salt=k) for k in everyone])
    [same(a, data(k, dtype, salt=rank)) for k, a in enumerate(lists)]

y = torch.empty(3, 2)
sizes = [1, 2] if rank == 0 else [2, 1]
dist.all_to_all_single(y, data(rank, shape=(3, 2)), [1, 2] if rank == 0 else [2, 1], sizes)
parts = [data(0, shape=(3, 2)).split([1, 2])[rank], data(1, shape=(3, 2)).split([2, 1])[rank]]
same(y, torch.cat(parts))

for name, view in {
    "transposed": lambda x: x.t(), "a part": lambda x: x[1:],
}.items():
    x = data(rank)
    before = x._version
    dist.all_reduce(view(x))
    expected = data(rank)
    view(expected).copy_(view(data(0)) + view(data(1)))
    same(x, expected)
    assert x._version > before
for shape in ((), (0,), (3, 0, 2), (1,), (70_000,), (3_000_001,)):
    x = data(rank, shape=shape)
    dist.all_reduce(x)
    same(x, data(0, shape=shape) + data(1, shape=shape))
"""
    )


def test_works_that_are_waited_for_later(outputs):
    outputs(
        DATA
        + """
from rushlight.distributed.work import IN_FLIGHT, progress

tensors = [data(rank, salt=k) for k in range(20)]
works = [dist.all_reduce(x, async_op=True) for x in tensors]
for work in reversed(works):
    assert work.wait() is True and work.is_completed() and work.is_success()
[same(x, data(0, salt=k) + data(1, salt=k)) for k, x in enumerate(tensors)]
x = data(rank)
halved = dist.all_reduce(x, async_op=True).get_future().then(lambda future: future.value()[0] / 2)
same(halved.wait(), (data(0) + data(1)) / 2)
futures = [dist.all_reduce(data(rank), async_op=True).get_future() for _ in range(3)]
[same(each[0], data(0) + data(1)) for each in torch.futures.wait_all(futures)]
large = [data(rank, torch.float32, (1_000_003,), k) for k in range(3)]
works = [dist.all_reduce(x, async_op=True) for x in large]  # in pieces, between which others may not come
dist.all_reduce(x)
for k in (2, 0, 1) if rank else (0, 1, 2):
    works[k].wait()
    same(large[k], data(0, shape=(1_000_003,), salt=k) + data(1, shape=(1_000_003,), salt=k))
dist.all_reduce(data(rank), async_op=True)  # forgotten: its memory stays until it is done
while IN_FLIGHT:
    progress()
work = dist.barrier(async_op=True)
work.wait()
"""
    )


def test_a_work_that_many_threads_wait_for_ends_once(outputs):
    outputs(
        DATA
        + """
import sys
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-6)
with ThreadPoolExecutor(4) as threads:
    for _ in range(300):
        x = torch.full((3,), 8.0)
        work = dist.all_reduce(x, dist.ReduceOp.AVG, async_op=True)
        assert all(threads.map(lambda _: work.wait(), range(4)))
        same(x, torch.full((3,), 8.0))
"""
    )


def test_a_work_whose_end_is_interrupted_can_be_waited_for(outputs):
    outputs(
        DATA
        + """
x = data(rank)
work = dist.all_reduce(x, async_op=True)
finish, turns = work.finish, []

def interrupted(caller):
    turns.append(caller)
    if len(turns) == 1:
        raise KeyboardInterrupt
    finish(caller)

work.finish = interrupted
try:
    work.wait()
except KeyboardInterrupt:
    pass
assert work.wait() and work.is_completed() and len(turns) == 2
same(x, data(0) + data(1))
"""
    )


def test_the_line_of_the_call_is_the_one_that_has_written(outputs):
    outputs(
        DATA
        + """
x = torch.ones(2, requires_grad=True)
y = x * 2
loss = (y * y).sum()
with torch.no_grad():
    work = dist.all_reduce(y, async_op=True)  # this line
    work.wait()
try:
    loss.backward()
except RuntimeError as error:
    notes = "\\n".join(error.__notes__)
    assert "# this line" in notes and "work.wait()" not in notes, notes
else:
    raise AssertionError("no error")
"""
    )


def test_point_to_point_and_objects(outputs):
    outputs(
        DATA
        + """
other = 1 - rank
x, y = data(rank), torch.empty(3, 4)
works = [dist.isend(x, other), dist.irecv(y.t().contiguous().t(), other)]
[work.wait() for work in works]
works = dist.batch_isend_irecv([dist.P2POp(dist.isend, x, other), dist.P2POp(dist.irecv, y, other)])
[work.wait() for work in works]
same(y, data(other))
if rank == 0:
    dist.send(data(0, salt=1), 1, tag=1)
    dist.send(data(0, salt=2), 1, tag=2)
else:
    assert dist.recv(y, 0, tag=2) == 0
    same(y, data(0, salt=2))
    assert dist.recv(y, tag=1) == 0
    same(y, data(0, salt=1))
mine = {"rank": rank, "text": "x" * (100 * rank), "tensor": data(rank)}
lists = [None] * world
dist.all_gather_object(lists, mine)
assert [each["rank"] for each in lists] == [0, 1] and len(lists[1]["text"]) == 100
same(lists[other]["tensor"], data(other))
lists = [None] * world if rank == 1 else None
dist.gather_object(mine, lists, dst=1)
assert rank == 0 or [each["rank"] for each in lists] == [0, 1]
objects = ["a", {"b": 1}] if rank == 1 else [None, None]
dist.broadcast_object_list(objects, src=1)
assert objects == ["a", {"b": 1}]
out = [None]
dist.scatter_object_list(out, ["to 0", "to 1"] if rank == 0 else None, src=0)
assert out == [f"to {rank}"]
if rank == 0:
    dist.send_object_list([1, "two"], dst=1)
else:
    objects = [None, None]
    assert dist.recv_object_list(objects, src=0) == 0 and objects == [1, "two"]
words = of(lambda: dist.send(x, rank))
assert words.startswith("ValueError: Invalid destination rank"), words
"""
    )


def test_a_message_of_another_size_is_an_error_where_it_is_received(outputs):
    _, receiver = outputs("""
        start(timeout=timedelta(seconds=20))
        if rank == 0:
            dist.send(torch.ones(3), 1)
            time.sleep(0.5)
        else:
            print(of(lambda: dist.recv(torch.ones(5), 0)))
        os._exit(0)
    """)
    assert "DistBackendError: 12 bytes were sent, and the tensor of recv has 20" in receiver


def test_groups(outputs):
    outputs(
        DATA
        + """
alone = [dist.new_group([k]) for k in everyone]
x = data(rank)
dist.all_reduce(x, group=alone[rank])
same(x, data(rank))
assert alone[1 - rank] is dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(alone[1 - rank]) == -1
assert dist.get_process_group_ranks(alone[rank]) == [rank] and dist.get_global_rank(alone[rank], 0) == rank
first, second = dist.new_group(), dist.new_group()
x, y = data(rank), data(rank, salt=1)
works = [dist.all_reduce(x, group=first, async_op=True), dist.all_reduce(y, group=second, async_op=True)]
[work.wait() for work in reversed(works)]
same(x, data(0) + data(1))
same(y, data(0, salt=1) + data(1, salt=1))
dist.destroy_process_group(first)
assert "destroyed" in of(lambda: dist.barrier(group=first))
mine, every = dist.new_subgroups(group_size=1)
assert mine.size() == 1 and len(every) == 2
assert dist.group.WORLD.size() == 2 and dist.is_initialized()
members = torch.utils.data.DistributedSampler(range(5), shuffle=False)
assert list(members) == [[0, 2, 4], [1, 3, 0]][rank]
"""
    )


def test_gradients_go_through_collectives(outputs):
    outputs(
        DATA
        + """
import rushlight.distributed.nn.functional as F

def gradient(function):
    x = data(rank, torch.float64, (2, 3)).requires_grad_()
    y = function(x)
    y = torch.stack(list(y)) if isinstance(y, tuple) else y
    (y * weights(rank, y.shape)).sum().backward()
    return x.grad

def weights(of, shape):
    return data(of, torch.float64, tuple(shape), salt=3)

total = weights(0, (2, 3)) + weights(1, (2, 3))
same(gradient(F.all_reduce), total)
same(gradient(lambda x: F.broadcast(x, 1)), total if rank == 1 else torch.zeros_like(total))
same(gradient(lambda x: F.reduce(x, 0)), weights(0, (2, 3)))
both = weights(0, (2, 2, 3)) + weights(1, (2, 2, 3))
same(gradient(F.all_gather), both[rank])
same(gradient(lambda x: F.gather(x, 0)), weights(0, (2, 2, 3))[rank])
same(gradient(lambda x: F.reduce_scatter(torch.empty(3, dtype=x.dtype), list(x))),
     torch.stack([weights(k, (3,)) for k in everyone]))
same(gradient(lambda x: F.all_to_all_single(torch.empty_like(x), x)),
     torch.stack([weights(k, (2, 3))[rank] for k in everyone]))
"""
    )


def test_what_is_sent_may_lie_in_the_memory_of_the_result(outputs):
    outputs(
        DATA
        + """
whole = torch.zeros(world, 2)
whole[rank] = rank + 1
dist.all_gather_single(whole, whole[rank])
same(whole, torch.tensor([[1.0, 1], [2, 2]]))
dist.reduce_scatter_single(whole[rank], whole)
same(whole[rank], torch.full((2,), 2.0 * (rank + 1)))
x = torch.arange(4.0) + 10 * rank
dist.all_to_all_single(x, x)
same(x, torch.tensor([[0.0, 1, 10, 11], [2, 3, 12, 13]])[rank])
"""
    )

"""Large sums go through memory that the ranks of a machine share."""

import os

import pytest

from rushlight.distributed.calls import memory_for
from rushlight.distributed.shared_sums import CHUNK, SMALLEST, bytes_for

needs_it = pytest.mark.skipif(not bytes_for(2), reason="sums are left to MPI on processors other than x86")


@needs_it
@pytest.mark.parametrize("size", [2, 3])
def test_values_are_the_sums_of_all_ranks(outputs, size):
    program = f"""
start()
sums = dist.group.WORLD.sums
counts = [{SMALLEST} // 4, {SMALLEST} // 4 + 1, {CHUNK} // 4 - 1, {CHUNK} // 4 + 1, 3 * {CHUNK} // 4 + 5]
same = []
for dtype in (torch.float32, torch.float64, torch.int64, torch.complex64):
    for count in counts:
        for op in (dist.ReduceOp.SUM, *([dist.ReduceOp.AVG] if dtype.is_floating_point else [])):
            terms = []
            for each in range(world):
                torch.manual_seed(each)
                terms.append((torch.randn(count) * 1000).to(dtype))
            total = terms[0] + terms[1]
            for term in terms[2:]:
                total = total + term
            x = terms[rank].clone()
            before = sums.chunks
            dist.all_reduce(x, op)
            if op == dist.ReduceOp.AVG:
                total = total / world
            alike = torch.equal(x, total) if world == 2 else torch.allclose(x, total, 1e-5, 1e-3)  # in another order
            same.append(alike and sums.chunks > before)
print(len(same), all(same))
apart = torch.ones(2 * {SMALLEST} // 300, 300).t()
dist.all_reduce(apart)
print(apart.unique().tolist(), apart.is_contiguous())
half, before = torch.ones({SMALLEST}, dtype=torch.bfloat16), sums.chunks
dist.all_reduce(half)
print(half.unique().tolist(), sums.chunks > before)
before = sums.chunks
dist.all_reduce(torch.ones({SMALLEST}, dtype=torch.int8), dist.ReduceOp.PRODUCT)
dist.all_reduce(torch.ones({SMALLEST}), dist.ReduceOp.MAX)
dist.all_reduce(torch.ones(100))
dist.all_reduce(torch.ones({SMALLEST}), group=dist.new_group())
print(sums.chunks == before)
"""
    assert outputs(program, size) == [f"30 True\n[{float(size)}] False\n[{float(size)}] True\nTrue\n"] * size


@needs_it
def test_ranks_wait_in_another_order(outputs):
    program = f"""
start()
for _ in range(20):
    first, second = torch.full(({CHUNK},), 1.0 + rank), torch.full(({SMALLEST},), 3.0)
    other, sent = torch.ones(3), torch.tensor([7.0])
    works = [dist.all_reduce(first, async_op=True), dist.all_reduce(second, async_op=True)]
    if rank == 0:  # the other rank needs this one's part of the sums before it comes to the broadcast
        dist.broadcast(sent, 0)
        dist.all_reduce(other)
        [work.wait() for work in works]
    else:
        [work.wait() for work in reversed(works)]
        dist.broadcast(sent, 0)
        dist.all_reduce(other)
    assert (first.unique().tolist(), second.unique().tolist(), other.tolist()) == ([3.0], [6.0], [2.0] * 3)
dist.destroy_process_group()
start()
x = torch.ones({CHUNK})
dist.all_reduce(x)
print(x.sum().item() == 2 * {CHUNK}, dist.group.WORLD.sums.chunks)
"""
    assert outputs(program) == ["True 4\n"] * 2


@needs_it
def test_a_killed_rank_and_other_calls_are_reported(ranks):
    killed = f"""
start()
x = torch.ones({CHUNK})
for number in range(100):
    if rank == 1 and number == 50:
        os.kill(os.getpid(), signal.SIGKILL)
    began = time.monotonic()
    try:
        dist.all_reduce(x)
    except RuntimeError as error:
        print(str(error).splitlines()[0], time.monotonic() - began < 5)
        break
"""
    first, _ = ranks(killed)
    assert "rank 1" in first.output and "has ended" in first.output and "True" in first.output
    different = f"""
start()
print(of(lambda: dist.all_reduce(torch.ones({CHUNK} + rank))))
"""
    for each in ranks(different):
        assert "Ranks have made different calls" in each.output
        assert f"[{CHUNK}]" in each.output and f"[{CHUNK + 1}]" in each.output


def test_memory_that_does_not_fit_leaves_no_file():
    with pytest.raises(OSError, match=r"No space|too large|Cannot allocate|Invalid"):
        memory_for("rushlight-test", 1 << 60, create=True)
    assert not os.path.exists("/dev/shm/rushlight-test")

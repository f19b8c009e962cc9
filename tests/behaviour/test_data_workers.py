"""Worker processes: the same batches as in one process, their seeds, their errors, and their end."""

import functools
import gc
import importlib
import multiprocessing
import os
import random
import time

import numpy as np
import pytest

# Under `fork` a data set need not be picklable; the other start methods are tried in test_data_start_methods.py.
CONTEXT = "fork"
pytestmark = pytest.mark.skipif(CONTEXT not in multiprocessing.get_all_start_methods(), reason="there is no fork here")


@pytest.fixture
def data(torch):
    return importlib.import_module(f"{torch.__name__}.utils.data")


@pytest.fixture
def loader(data):
    return functools.partial(data.DataLoader, num_workers=2, multiprocessing_context=CONTEXT)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    def here():
        return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()

    gc.collect()  # iterators in the tracebacks of other tests
    before, processes = here(), set(multiprocessing.active_children())
    yield
    gc.collect()
    assert not set(multiprocessing.active_children()) - processes
    left = {name for name in here() - before if name.startswith(("torch_", "psm_", "rushlight"))}
    latest = time.monotonic() + 10
    while left and time.monotonic() < latest:  # other programs have memory there for a moment too
        time.sleep(0.01)
        left &= here()
    assert not left


class Samples:
    """As many samples as wanted, each what a function gives for its index."""

    def __init__(self, function, length=8):
        self.function, self.length = function, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.function(index)


def lists(batches):
    return [batch.tolist() for batch in batches]


@pytest.mark.parametrize("options", [{}, {"prefetch_factor": 1}, {"drop_last": True}, {"persistent_workers": True}])
def test_the_batches_are_those_of_one_process(data, loader, options):
    assert lists(loader(range(11), batch_size=2, **options)) == lists(
        data.DataLoader(range(11), batch_size=2, drop_last="drop_last" in options)
    )


@pytest.mark.parametrize("size", [3, 100_000], ids=["small", "large"])
def test_arrays_arrive_whole_and_can_be_written_to(torch, loader, size):
    samples = Samples(lambda index: {"x": torch.full((size,), index, dtype=torch.float32), "n": str(index)})
    held = []
    for number, batch in enumerate(loader(samples, batch_size=2)):
        assert batch["x"].shape == (2, size) and batch["x"].dtype is torch.float32
        assert batch["x"][:, [0, -1]].tolist() == [[2.0 * number] * 2, [2.0 * number + 1] * 2]
        batch["x"] += 1
        held.append(batch["x"])
    assert [each[1, -1].item() for each in held] == [2, 4, 6, 8]


def test_a_program_may_keep_all_batches(torch, loader):
    samples = Samples(lambda index: torch.full((20_000,), index), 60)
    batches = list(loader(samples, batch_size=1))
    assert [each.unique().tolist() for each in batches] == [[index] for index in range(60)]


def test_batches_of_changing_length(torch, loader):
    samples = Samples(lambda index: torch.full((1000 + 17_000 * (index % 5),), index), 40)
    for index, batch in enumerate(loader(samples)):
        assert batch.unique().tolist() == [index] and batch.shape == (1, 1000 + 17_000 * (index % 5))


def test_dtypes_and_requires_grad_arrive(torch, loader):
    kinds = [torch.bfloat16, torch.complex64, torch.bool, torch.uint8]
    samples = Samples(lambda index: torch.ones(3, 0 if index == 3 else 5000, dtype=kinds[index]), 4)
    for index, batch in enumerate(loader(samples, batch_size=None)):
        assert batch.dtype is kinds[index] and bool((batch == 1).all())
    (weight,) = loader(Samples(lambda index: torch.ones(3, requires_grad=True), 1), batch_size=None)
    assert weight.requires_grad and weight.is_leaf


def test_a_sample_that_is_part_of_a_large_tensor(torch, loader):
    whole = torch.arange(300_000).reshape(3, -1)
    for index, row in enumerate(loader(whole, batch_size=None)):
        assert row.equal(whole[index])


def test_seeds_are_those_of_pytorch(torch, loader):
    def draw(index):
        return torch.randint(1 << 30, (1,)).item(), random.getrandbits(30), int(np.random.randint(1 << 30)), index

    def run(torch, data):
        torch.manual_seed(4)
        made = data.DataLoader(Samples(draw), num_workers=2, multiprocessing_context=CONTEXT)
        return [[each.item() for each in batch] for batch in made], torch.rand(1).item()

    oracle = pytest.importorskip("torch")
    if torch is not oracle:
        draws = run(torch, importlib.import_module("rushlight.utils.data"))
        torch = oracle
        assert draws == run(oracle, importlib.import_module("torch.utils.data"))
    else:
        draws = run(torch, importlib.import_module("torch.utils.data"))
    assert len({tuple(each) for each in draws[0]}) == 8


def test_a_worker_knows_which_it_is(torch, data, loader):
    def described(index):
        info = data.get_worker_info()
        return (
            info.id,
            info.num_workers,
            info.seed == torch.initial_seed(),
            info.dataset.length,
            torch.get_num_threads(),
        )

    batches = [tuple(each.item() for each in batch) for batch in loader(Samples(described, 4))]
    assert batches == [(0, 2, True, 4, 1), (1, 2, True, 4, 1)] * 2


def test_workers_prepare_themselves(data, loader):
    def prepare(number):
        data.get_worker_info().dataset.length = 100 + number

    samples = Samples(lambda index: data.get_worker_info().dataset.length, 4)
    assert lists(loader(samples, worker_init_fn=prepare)) == [[100], [101]] * 2


def test_streams_of_different_length(data, loader):
    class Stream(data.IterableDataset):
        def __iter__(self):
            number = data.get_worker_info().id
            return iter(range(100 * number, 100 * number + (3, 8)[number]))

    assert lists(loader(Stream(), batch_size=2)) == [[0, 1], [100, 101], [2], [102, 103], [104, 105], [106, 107]]
    assert lists(loader(Stream(), batch_size=2, drop_last=True))[2:] == [[102, 103], [104, 105], [106, 107]]
    kept = loader(Stream(), batch_size=None, persistent_workers=True)
    assert list(kept) == list(kept) == [0, 100, 1, 101, 2, 102, 103, 104, 105, 106, 107]


def test_batches_may_come_as_they_are_ready(data, loader):
    def slow_first(index):
        time.sleep(0.5 if index == 0 else 0)
        return index

    first, *others = lists(loader(Samples(slow_first), in_order=False, prefetch_factor=1))
    assert first != [0] and sorted([first, *others]) == [[index] for index in range(8)]


def test_workers_can_be_kept(loader):
    kept = loader(Samples(lambda index: os.getpid()), persistent_workers=True)
    processes = [{batch.item() for batch in kept} for _ in range(2)]
    assert processes[0] == processes[1] and len(processes[0]) == 2
    fresh = loader(Samples(lambda index: os.getpid()))
    assert {batch.item() for batch in fresh}.isdisjoint({batch.item() for batch in fresh})


def test_a_pass_that_is_broken_off_does_not_show_in_the_next(loader):
    kept = loader(Samples(lambda index: index, 20), persistent_workers=True)
    for batch in kept:
        if batch.item() == 3:
            break
    assert lists(kept) == [[index] for index in range(20)]
    assert len(multiprocessing.active_children()) == 2


class Picky(Exception):
    """An error that needs more than a message."""

    def __init__(self, first, second):
        super().__init__(first, second)


@pytest.mark.parametrize("kind", [ValueError, KeyError, OSError])
def test_an_error_comes_with_its_type_and_traceback(loader, kind):
    def broken_in_the_middle(index):
        if index == 2:
            raise kind("what is wrong")
        return index

    batches = iter(loader(Samples(broken_in_the_middle)))
    assert [next(batches).item() for _ in range(2)] == [0, 1]
    with pytest.raises(kind) as caught:
        next(batches)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"Caught {kind.__name__} in DataLoader worker process 0."
    assert lines[1] == "Original Traceback (most recent call last):"
    assert any("in broken_in_the_middle" in line for line in lines) and "what is wrong" in lines[-1]
    assert lists(batches) == [[index] for index in range(3, 8)]


def test_an_error_that_needs_more_than_a_message(loader):
    def broken(index):
        raise Picky(1, 2)

    batches = iter(loader(Samples(broken, 1)))
    with pytest.raises(RuntimeError, match="Caught Picky in DataLoader worker process 0"):
        next(batches)
    assert not list(batches)


def test_an_error_while_a_worker_prepares(loader):
    def broken(number):
        raise ValueError("not today")

    batches = iter(loader(range(1), worker_init_fn=broken))
    with pytest.raises(ValueError, match="(?s)Caught ValueError in DataLoader worker process 0.*not today"):
        next(batches)
    assert not list(batches)


def test_a_batch_that_takes_too_long(loader):
    def slow(index):
        time.sleep(1)
        return index

    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0.2 seconds"):
        next(iter(loader(Samples(slow), num_workers=1, timeout=0.2)))


def test_large_tasks_and_large_answers_do_not_wait_for_each_other(loader):
    def as_text(indices):
        return str(indices)

    tasks = [list(range(60_000)) for _ in range(8)]
    loaded = loader(Samples(as_text), sampler=tasks, batch_size=None, num_workers=1, prefetch_factor=8)
    assert list(loaded) == list(map(as_text, tasks))


def test_a_forked_child_keeps_the_batch_that_it_has(torch, loader):
    batches = iter(loader(Samples(lambda index: torch.full((50_000,), index), 30), num_workers=1))
    held = next(batches)
    ready, go = os.pipe()
    child = os.fork()
    if not child:
        os.close(go)
        os.read(ready, 1)
        os._exit(int(held.unique().tolist() != [0]))
    del held
    assert [batch[0, 0].item() for batch in batches] == list(range(1, 30))
    os.close(go)  # now the child looks
    assert os.waitpid(child, 0)[1] == 0
    os.close(ready)


def test_the_processes_of_an_iterator_can_be_waited_for(loader):
    iterator = iter(loader(range(6), batch_size=None))
    workers = iterator._workers
    assert len(workers) == 2 and all(each.is_alive() for each in workers)
    assert [int(each) for each in iterator] == list(range(6))
    del iterator
    for each in workers:
        each.join(60)
        assert not each.is_alive() and each.exitcode == 0

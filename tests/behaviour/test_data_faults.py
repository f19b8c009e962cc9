"""What goes wrong between a worker and its program, where PyTorch waits for ever or says less: rushlight alone."""

import functools
import gc
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from itertools import islice

import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, IterableDataset

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
load = functools.partial(DataLoader, multiprocessing_context="fork")


class Samples:
    def __init__(self, function, length=8):
        self.function, self.length = function, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.function(index)


def test_a_batch_that_cannot_be_sent_is_an_error_and_not_a_wait():
    batches = iter(load(Samples(lambda index: (lambda: 1) if index == 1 else index), batch_size=None, num_workers=1))
    assert next(batches) == 0
    with pytest.raises((pickle.PicklingError, AttributeError), match="in DataLoader worker process 0"):
        next(batches)
    assert next(batches) == 2


class Stubborn:
    """An index that can be sent and not be received."""

    def __reduce__(self):
        return int, ("not a number",)


def test_an_index_that_cannot_be_sent_or_received_is_an_error_and_not_a_wait():
    batches = iter(load(range(3), sampler=[Stubborn(), 2], num_workers=1))
    with pytest.raises(ValueError, match="(?s)in DataLoader worker process 0.*not a number"):
        next(batches)
    assert [batch.item() for batch in batches] == [2]
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        iter(load(range(3), sampler=[lambda: 1], num_workers=1))


def test_a_result_with_a_history_is_refused_with_a_repair():
    weight = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor") as caught:
        next(iter(load(Samples(lambda index: weight * 2), num_workers=1)))
    assert "torch.no_grad()" in str(caught.value)


def test_an_error_of_a_type_that_only_the_worker_knows_is_one_of_its_base():
    class Local(LookupError):
        pass

    def broken(index):
        raise Local("nowhere")

    with pytest.raises(LookupError, match="(?s)in DataLoader worker process 0.*Local: nowhere"):
        next(iter(load(Samples(broken), num_workers=1)))


def killed(index):
    if index == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return index


def left(index):
    if index == 2:
        os._exit(3)
    return index


@pytest.mark.parametrize("end", [killed, left])
@pytest.mark.parametrize("options", [{}, {"persistent_workers": True}, {"in_order": False}])
def test_a_worker_that_dies(end, options):
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(load(Samples(end), num_workers=2, **options))
    assert time.monotonic() - start < 5


def test_the_death_of_a_worker_is_explained():
    batches = iter(load(Samples(lambda index: os.kill(os.getpid(), signal.SIGKILL)), num_workers=1))
    with pytest.raises(RuntimeError, match="exited unexpectedly") as caught:
        next(batches)
    shown = "".join(traceback.format_exception(caught.value))
    assert "was killed by SIGKILL" in shown and "num_workers=0" in shown
    with pytest.raises(RuntimeError, match="not there any more"):
        next(batches)


def test_a_loader_starts_new_workers_when_the_old_ones_have_died(tmp_path):
    once = tmp_path / "once"

    def dies_once(index):
        if index == 3 and not once.exists():
            once.touch()
            os._exit(1)
        return index

    kept = load(Samples(dies_once), num_workers=2, persistent_workers=True)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(kept)
    assert [batch.item() for batch in kept] == list(range(8))


def test_a_worker_that_dies_while_it_sends():
    def dies_soon(index):
        threading.Timer(0.3, os._exit, (1,)).start()
        return "x" * 50_000_000

    batches = iter(load(Samples(dies_soon), batch_size=None, num_workers=1))
    time.sleep(0.6)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        next(batches)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors in /proc")
def test_descriptors_do_not_run_out():
    before = descriptors()
    batches = iter(load(Samples(lambda index: torch.full((20_000,), index), 200), num_workers=2))
    held = list(islice(batches, 150))
    assert descriptors() - before < 40
    assert [batch[0, 0].item() for batch in held] == list(range(150))
    assert len(list(batches)) == 50
    del batches, held
    gc.collect()
    assert descriptors() <= before + 1


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="arrays go through the pipe here")
def test_memory_is_used_again():
    batches = iter(load(Samples(lambda index: torch.full((20_000,), index), 50), num_workers=1))
    positions = set()
    for batch in batches:
        positions.add(batch.data_ptr())
    assert len(positions) <= 5


def test_where_no_memory_can_be_shared_arrays_go_through_the_pipe(monkeypatch):
    monkeypatch.setattr("rushlight.utils.data.transport.SHARED", False)
    batches = list(load(Samples(lambda index: torch.full((200_000,), index)), batch_size=4, num_workers=2))
    assert [batch.unique().tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    batches[0] += 1


def test_any_view_keeps_the_memory():
    batches = iter(load(Samples(lambda index: torch.full((20_000,), index), 50), num_workers=1, batch_size=None))
    kept = [
        view for batch in islice(batches, 5) for view in (batch[3:5], batch.numpy()[-2:], memoryview(batch.numpy()))
    ]
    assert [batch[0].item() for batch in batches] == list(range(5, 50))
    assert [list(view[:1])[0] for view in kept] == [index for index in range(5) for _ in range(3)]


def test_a_forked_child_leaves_the_workers_alone():
    batches = iter(load(range(50), num_workers=1))
    assert next(batches).item() == 0
    child = os.fork()
    if not child:
        try:
            next(batches)
        except RuntimeError:
            del batches
            gc.collect()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert [batch.item() for batch in batches] == list(range(1, 50))


def test_threads_of_the_program_hold_no_worker_up():
    """A thread may be within a draw when the process forks; the worker has that lock too, and no such thread."""
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with torch.default_generator.lock:
            entered.set()
            leave.wait(20)

    loader = load(range(3), num_workers=1, timeout=10, generator=torch.Generator())
    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    try:
        assert [batch.item() for batch in loader] == [0, 1, 2]
    finally:
        leave.set()
        holder.join()


def test_a_stream_that_starts_again_after_its_end_is_not_asked_again():
    class Restarting(IterableDataset):
        def __iter__(self):
            return self

        def __next__(self):
            self.given = getattr(self, "given", 0) + 1
            if self.given % 3 == 0:
                raise StopIteration
            return self.given

    assert list(load(Restarting(), batch_size=None, num_workers=1)) == [1, 2]
    assert [batch.tolist() for batch in DataLoader(Restarting(), batch_size=5)] == [[1, 2]]


def test_persistent_workers_end_with_their_loader():
    gc.collect()  # iterators in the tracebacks of other tests
    before = set(multiprocessing.active_children())
    kept = load(range(4), num_workers=2, persistent_workers=True)
    assert len(list(kept)) == 4 and len(set(multiprocessing.active_children()) - before) == 2
    del kept
    assert not set(multiprocessing.active_children()) - before


def test_a_loader_with_workers_can_be_pickled():
    kept = load(range(4), num_workers=1, persistent_workers=True, multiprocessing_context=None)
    list(kept)
    assert [batch.item() for batch in pickle.loads(pickle.dumps(kept))] == [0, 1, 2, 3]

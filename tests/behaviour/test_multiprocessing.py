"""`torch.multiprocessing`: memory of tensors that several processes share, and functions that run in several."""

import importlib
import os
import pickle
import re
import signal
import sys
import time

import pytest

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="descriptors are sent on POSIX only"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"),
]


@pytest.fixture
def mp(torch):
    return importlib.import_module(f"{torch.nn.__name__.partition('.')[0]}.multiprocessing")


def descriptors():
    return len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0


def names_in_memory():
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


def add_one(tensor):
    tensor.add_(1)


def write_and_send_back(inbox, outbox):
    whole, part = inbox.get(), inbox.get()
    whole[0] = 99
    part[0] = 98
    outbox.put((whole.is_shared(), part.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr()))
    outbox.put(whole[1:])
    inbox.get()  # until the program has it


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_argument_of_a_process_is_the_same_memory_there(torch, mp, method):
    shared = torch.zeros(4).share_memory_()
    view = shared[1:3]
    process = mp.get_context(method).Process(target=add_one, args=(view,))
    process.start()
    process.join()
    assert process.exitcode == 0 and shared.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_what_goes_through_a_queue_is_shared_from_then_on(torch, mp, method):
    context = mp.get_context(method)
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=write_and_send_back, args=(inbox, outbox))
    process.start()
    x = torch.arange(4.0)
    inbox.put(x)
    inbox.put(x[2:])
    assert outbox.get() == (True, True)
    back = outbox.get()
    inbox.put("done")
    process.join()
    assert x.tolist() == [99, 1, 98, 3] and x.is_shared()
    assert back.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() and back.tolist() == [1, 98, 3]


def test_kinds_of_tensors_arrive_as_they_were(torch, mp):
    ours, theirs = mp.Pipe()
    leaf = torch.ones(2, requires_grad=True)
    sent = [
        leaf, torch.nn.Parameter(torch.ones(3), requires_grad=False), torch.arange(6).reshape(2, 3).t(), torch.ones(0),
        torch.tensor(2.5), torch.ones(2, dtype=torch.bfloat16),
    ]  # fmt: skip
    for each in sent:
        ours.send(each)
        got = theirs.recv()
        assert (type(got), got.dtype, got.shape, got.stride()) == (type(each), each.dtype, each.shape, each.stride())
        assert got.requires_grad is each.requires_grad and torch.equal(got, each)
    ours.send(leaf.untyped_storage())
    assert theirs.recv().data_ptr() == leaf.untyped_storage().data_ptr()


def test_a_result_of_an_operation_cannot_be_sent(torch, mp):
    ours, _ = mp.Pipe()
    result = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        ours.send(result)


def train(model, torch_name):
    torch = importlib.import_module(torch_name)
    # The gradient of (w + b - 3)^2 by hand: PyTorch's backward fails in a child that is forked after a backward
    with torch.no_grad():
        for _ in range(20):
            error = model(torch.ones(1, 1)) - 3
            for each in model.parameters():
                each -= 0.2 * error.reshape(each.shape)


def test_processes_train_one_model(torch, mp):
    model = torch.nn.Linear(1, 1)
    model.share_memory()
    assert all(each.is_shared() for each in model.parameters())
    context = mp.get_context("fork")
    arguments = (model, torch.nn.__name__.partition(".")[0])
    processes = [context.Process(target=train, args=arguments) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert abs(model(torch.ones(1, 1)).item() - 3) < 0.1


def holding(tensor, ready):
    tensor[0] = 7
    ready.send("ready")
    time.sleep(60)


def test_a_killed_process_leaves_nothing_behind(torch, mp):
    before = names_in_memory()
    context = mp.get_context("fork")
    ours, theirs = context.Pipe()
    shared = torch.zeros(1000).share_memory_()
    opened = descriptors()
    process = context.Process(target=holding, args=(shared, theirs))
    process.start()
    assert ours.recv() == "ready"
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    process.close()
    assert shared[0] == 7 and names_in_memory() == before and descriptors() <= opened


def test_memory_is_given_back_with_its_last_tensor(torch, mp):
    mp.Pipe()  # whatever is opened once
    torch.ones(1).share_memory_()
    opened = descriptors()
    for _ in range(20):
        ours, theirs = mp.Pipe()
        ours.send(torch.zeros(100))
        theirs.recv().add_(1)
        ours.close()
        theirs.close()
    latest = time.monotonic() + 10
    while descriptors() > opened + 1 and time.monotonic() < latest:
        time.sleep(0.01)  # a thread of `resource_sharer` closes what it has passed on
    assert descriptors() <= opened + 1


def put_number(i, queue, factor):
    queue.put(i * factor)


def fail(i, when):
    if i == when:
        raise ValueError(f"process {i} has had enough")
    time.sleep(60)


def leave(i, how):
    os.kill(os.getpid(), how) if how > 9 else os._exit(how)


def test_one_function_in_several_processes(mp):
    queue = mp.get_context("fork").SimpleQueue()
    assert mp.start_processes(put_number, args=(queue, 10), nprocs=3, start_method="fork") is None
    assert sorted(queue.get() for _ in range(3)) == [0, 10, 20]


def test_a_process_that_raises_ends_the_others_and_is_reported(mp):
    context = mp.start_processes(fail, args=(1,), nprocs=2, join=False, start_method="fork")
    assert len(context.pids()) == 2
    words = r"(?s)-- Process 1 terminated with the following error:\n.*ValueError: process 1 has had enough"
    with pytest.raises(mp.ProcessRaisedException, match=words) as caught:
        while not context.join():
            pass
    assert caught.value.error_index == 1 and caught.value.error_pid == context.pids()[1]
    assert not any(process.is_alive() for process in context.processes)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("how", "words", "code", "name"),
    [
        (3, "process 0 terminated with exit code 3", 3, None),
        (15, "process 0 terminated with signal SIGTERM", -15, "SIGTERM"),
    ],
)
def test_a_process_that_ends_itself(mp, how, words, code, name):
    with pytest.raises(mp.ProcessExitedException, match=words) as caught:
        mp.start_processes(leave, args=(how,), nprocs=1, start_method="fork")
    assert (caught.value.exit_code, caught.value.signal_name) == (code, name)


def test_spawn_uses_fresh_interpreters(mp):
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(put_number, args=(queue, 2), nprocs=2)
    assert sorted(queue.get() for _ in range(2)) == [0, 2]


def test_the_names_of_ways_of_sharing(mp):
    before = mp.get_sharing_strategy()
    assert before in mp.get_all_sharing_strategies()
    try:
        mp.set_sharing_strategy("file_system")
        assert mp.get_sharing_strategy() == "file_system"
        with pytest.raises(AssertionError):
            mp.set_sharing_strategy("carrier pigeon")
    finally:
        mp.set_sharing_strategy(before)


def test_the_names_of_python_s_module_are_there(mp):
    multiprocessing = importlib.import_module("multiprocessing")
    assert all(hasattr(mp, name) for name in multiprocessing.__all__)
    assert re.fullmatch("spawn|fork|forkserver", mp.get_start_method())


def test_a_model_is_shared_without_looking_at_every_object(monkeypatch):
    torch = importlib.import_module("rushlight")
    storages = importlib.import_module("rushlight.memory.untyped_storage")

    def search(*arguments):
        raise AssertionError("it takes milliseconds for each parameter")

    monkeypatch.setattr(storages, "tensors_on", search)
    monkeypatch.setattr(storages, "tensors_beside", search)
    model = torch.nn.Linear(3, 3).share_memory()
    assert all(each.is_shared() for each in model.parameters())

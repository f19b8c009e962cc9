"""`torch.futures`: results of other threads, what is called with them, and several at once."""

import importlib
import pickle
import threading

import pytest


@pytest.fixture
def futures(torch):
    return importlib.import_module(f"{torch.nn.__name__.partition('.')[0]}.futures")


def failing(done):
    raise ZeroDivisionError("division by zero")


def test_a_thread_waits_for_the_result_of_another(futures):
    future = futures.Future()
    assert not future.done()
    thread = threading.Timer(0.05, future.set_result, ["ready"])
    thread.start()
    assert future.wait() == "ready" and future.done() and future.value() == "ready"
    thread.join()


def test_a_result_can_be_set_once(futures):
    future = futures.Future()
    with pytest.raises(RuntimeError, match="completed"):
        future.value()
    future.set_result(1)
    with pytest.raises(RuntimeError, match="Attempting to mark a completed Future as complete again"):
        future.set_result(2)
    with pytest.raises(RuntimeError, match="Can not pickle"):
        pickle.dumps(future)


def test_a_chain_runs_when_the_result_comes_and_at_once_when_it_is_there(futures):
    future = futures.Future()
    doubled = future.then(lambda done: done.value() * 2).then(lambda done: done.wait() + 1)
    called = []
    future.add_done_callback(lambda done: called.append(done.value()))
    assert called == [] and not doubled.done()
    future.set_result(3)
    future.add_done_callback(lambda done: called.append("at once"))
    assert doubled.wait() == 7 and called == [3, "at once"]


def test_errors_arrive_where_the_program_waits(futures):
    future = futures.Future()
    with pytest.raises(AssertionError, match="3 is of type <class 'int'>, not an Exception"):
        future.set_exception(3)
    future.set_exception(ValueError("bad"))
    with pytest.raises(ValueError, match="bad"):
        future.wait()
    with pytest.raises(RuntimeError, match="Got the following error when running the callback: ValueError: bad"):
        future.then(lambda done: done.wait()).wait()


def test_errors_of_callbacks(futures):
    future = futures.Future()
    failed = future.then(failing)
    future.add_done_callback(failing)  # is told of on stderr
    future.set_result(1)
    assert future.wait() == 1
    with pytest.raises(RuntimeError, match="Got the following error when running the callback: ZeroDivisionError"):
        failed.wait()


def test_several_futures(futures):
    one, two = futures.Future(), futures.Future()
    both = futures.collect_all([one, two])
    one.set_result(1)
    assert not both.done()
    two.set_result(2)
    assert [each.wait() for each in both.wait()] == [1, 2] == futures.wait_all([one, two])
    assert futures.wait_all([]) == []


def test_several_futures_of_which_one_fails(futures):
    one, two = futures.Future(), futures.Future()
    one.set_result(1)
    two.set_exception(ValueError("bad"))
    for wait in (futures.collect_all([one, two]).wait, lambda: futures.wait_all([one, two])):
        with pytest.raises(ValueError, match="bad"):
            wait()


def test_devices_of_a_future_have_numbers(torch, futures):
    with pytest.raises(ValueError, match="Expected devices to have indices, got cpu"):
        futures.Future(devices=["cpu"])
    assert isinstance(futures.Future(), torch.Future)


@pytest.mark.filterwarnings("ignore:`torch.jit")
def test_a_fork_is_waited_for(torch):
    assert torch.jit.wait(torch.jit.fork(torch.add, torch.ones(2), 1)).tolist() == [2, 2]


@pytest.mark.filterwarnings("ignore:`torch.jit.wait` is deprecated")
def test_none_is_no_future(torch, futures):
    for call in (
        lambda: torch.jit.wait(None),
        lambda: futures.wait_all((None,)),
        lambda: futures.collect_all((futures.Future(), None)),
    ):
        with pytest.raises(RuntimeError, match="Future can't be None"):
            call()
    with pytest.raises(TypeError, match=r"^_collect_all\(\): incompatible function arguments"):
        futures.collect_all([1])

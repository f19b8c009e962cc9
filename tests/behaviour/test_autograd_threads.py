"""Several threads at once: shared leaves lose nothing, and one thread's trouble stays its own."""

import sys
import threading

import pytest

THREADS, ROUNDS = 8, 40


@pytest.fixture(autouse=True)
def nervous_interpreter():
    """The interpreter changes threads as often as it can, so that races show."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def together(program, count=THREADS):
    """Runs `program(number)` in `count` threads that start at the same moment; returns what they raised."""
    failures, barrier = [], threading.Barrier(count, timeout=30)

    def run(number):
        try:
            barrier.wait()
            program(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return failures


def test_concurrent_backwards_on_shared_leaves_lose_nothing(torch):
    w, b = leaf(torch, [1.0, 2.0]), leaf(torch, 1.0)

    def program(number):
        for _ in range(ROUNDS):
            (w * (number + 1) + b).sum().backward()

    assert together(program) == []
    assert w.grad.tolist() == [ROUNDS * sum(range(1, THREADS + 1))] * 2
    assert b.grad.item() == 2 * ROUNDS * THREADS


def test_the_very_first_gradients_of_a_leaf_may_come_at_the_same_time(torch):
    leaves = [torch.zeros(20_000, requires_grad=True) for _ in range(10)]

    def program(number):
        for x in leaves:
            (x * 2).sum().backward()

    assert together(program) == []
    assert all(bool((x.grad == 2.0 * THREADS).all()) for x in leaves)


def test_concurrent_backwards_through_one_shared_graph(torch):
    w = leaf(torch, [1.0, 2.0])
    loss = (w * w).exp().log().sum()

    def program(number):
        for _ in range(ROUNDS):
            loss.backward(retain_graph=True)

    assert together(program) == []
    assert torch.allclose(w.grad, torch.tensor([2.0, 4.0]) * ROUNDS * THREADS)


def test_concurrent_gradients_do_not_mix(torch):
    w = leaf(torch, [1.0, 2.0])
    results = {}

    def program(number):
        results[number] = [torch.autograd.grad((w * number).sum(), w)[0].tolist() for _ in range(ROUNDS)]

    assert together(program) == []
    assert results == {number: [[float(number)] * 2] * ROUNDS for number in range(THREADS)}
    assert w.grad is None


def test_concurrent_second_derivatives(torch):
    x = leaf(torch, 2.0)
    results = []

    def program(number):
        for _ in range(ROUNDS):
            (first,) = torch.autograd.grad(x**3, x, create_graph=True)
            results.append(torch.autograd.grad(first, x)[0].item())

    assert together(program) == []
    assert results == [12.0] * (ROUNDS * THREADS)


def test_hooks_run_in_the_thread_that_calls_backward(torch):
    x = leaf(torch, 2.0)
    seen = {}

    def program(number):
        y = x * number
        y.register_hook(lambda gradient: seen.update({number: threading.get_ident()}))
        y.backward()
        assert seen[number] == threading.get_ident()

    assert together(program) == []
    assert len(set(seen.values())) == THREADS


def test_an_error_in_one_thread_leaves_the_others_alone(torch):
    x = leaf(torch, 2.0)

    def program(number):
        for _ in range(ROUNDS):
            y = x * 3
            if number == 0:
                y.register_hook(lambda gradient: [][0])
            y.backward()

    (failure,) = together(program)
    assert isinstance(failure, IndexError)
    assert x.grad.item() == 3.0 * ROUNDS * (THREADS - 1)


def test_retained_gradients_and_post_accumulate_hooks_under_threads(torch):
    x = leaf(torch, 2.0)
    calls = []
    x.register_post_accumulate_grad_hook(lambda tensor: calls.append(1))

    def program(number):
        for _ in range(ROUNDS):
            y = x * 3
            y.retain_grad()
            (y * number).backward()
            assert y.grad.item() == number

    assert together(program) == []
    assert len(calls) == ROUNDS * THREADS
    assert x.grad.item() == 3.0 * ROUNDS * sum(range(THREADS))


def test_a_graph_made_in_one_thread_runs_backward_in_another(torch):
    x = leaf(torch, 2.0)
    made = []
    assert together(lambda number: made.append(x.exp() * number), 2) == []
    for result in made:
        result.backward()
    assert x.grad.item() == pytest.approx(7.389056, rel=1e-6)


def test_saved_tensor_hooks_do_not_disturb_other_threads(torch):
    x = leaf(torch, 2.0)
    packed = {}

    def program(number):
        names = packed[number] = []

        def pack(tensor):
            names.append(number)
            return tensor

        for _ in range(ROUNDS):
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
                y = x.exp()
            y.backward()

    assert together(program) == []
    assert packed == {number: [number] * ROUNDS for number in range(THREADS)}

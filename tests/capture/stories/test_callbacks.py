"""Stories of programs that give functions of theirs to functions of ours, inside a compiled function."""

import gc

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import checkpoint


@pytest.fixture(autouse=True)
def forget():
    torch.compiler.reset()


def test_a_function_that_is_allowed_is_called_in_replays():
    @torch.compiler.allow_in_graph
    def twice(x):
        return x * 2

    compiled = torch.compile(lambda x: twice(x) + 1)
    assert [compiled(torch.tensor([value])).item() for value in (1.0, 2.0, 3.0)] == [3.0, 5.0, 7.0]
    assert torch.compiler.report()["replays"] == 2


def test_a_checkpoint_is_replayed_with_the_weights_of_the_time():
    model = torch.nn.Linear(3, 3)
    compiled = torch.compile(lambda x: checkpoint(model, x, use_reentrant=False).sum())
    for scale in (1.0, 2.0, 3.0):
        with torch.no_grad():
            model.weight.fill_(scale)
        x = torch.ones(2, 3, requires_grad=True)
        compiled(x).backward()
        assert torch.equal(x.grad, torch.full((2, 3), 3 * scale))
    assert torch.compiler.report()["replays"] == 2


def test_a_hessian_is_one_program_for_the_closure_of_the_time():
    weight = torch.tensor(2.0)
    hessian = torch.func.hessian(lambda x: (weight * x**3).sum())
    compiled = torch.compile(lambda x: hessian(x))
    for value in (2.0, 5.0):
        weight.fill_(value)
        for _ in range(2):
            assert torch.equal(compiled(torch.ones(2)), torch.eye(2) * 6 * value)
    weight = torch.tensor(1.0)
    assert torch.equal(compiled(torch.ones(2)), torch.eye(2) * 6)
    assert torch.compiler.report()["replays"] >= 3


class Finalized:
    """Is freed by the garbage collector only, which then runs code of the program."""

    def __init__(self):
        self.me = self

    def __del__(self):
        self.done = True


@pytest.mark.parametrize("wanted", range(1, 400, 7))
def test_the_garbage_collector_does_not_disturb_a_watched_run(wanted):
    """It starts after `wanted` more objects, so at any place of the run."""
    model = torch.nn.Linear(3, 3)
    compiled = torch.compile(lambda x: checkpoint(model, x, use_reentrant=False).sum())
    inputs = [torch.ones(2, 3, requires_grad=True) for _ in range(3)]
    threshold = gc.get_threshold()
    gc.collect()
    gc.set_threshold(wanted + 30)
    try:
        for _ in range(30):
            Finalized()
        for x in inputs:
            compiled(x).backward()
        assert gc.get_threshold()[0] == wanted + 30
    finally:
        gc.set_threshold(*threshold)
    assert torch.compiler.report()["replays"] == 2

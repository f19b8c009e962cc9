"""Stories of programs that give functions of theirs to functions of ours, inside a compiled function."""

import gc

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import checkpoint, set_checkpoint_early_stop


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


SHIFT = [torch.tensor([2.0, 3.0])]


@pytest.mark.parametrize("change", [lambda: SHIFT.append(SHIFT.pop() + 1), lambda: SHIFT[0].mul_(2)])
def test_the_gradient_of_a_checkpoint_reads_the_tensors_of_the_time(agree, change):
    """The function is called again in the backward pass, where it reads a tensor that is not passed to it."""

    def story(compile):
        SHIFT[:] = [torch.tensor([2.0, 3.0])]

        def f(x):
            return checkpoint(lambda x: torch.tanh(x * SHIFT[0]), x * 1.5, use_reentrant=False).square().sum()

        f, seen = compile(f), []
        for number in range(5):
            if number == 3:
                change()
            x = torch.tensor([[0.5, -0.2], [0.1, 0.1 * number]], requires_grad=True)
            f(x).backward()
            seen.append(x.grad)
        return seen

    agree(story)


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_a_training_step_with_checkpoints_agrees(agree, reentrant, early):
    def story(compile):
        torch.manual_seed(0)
        blocks = [torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Dropout(0.3)) for _ in range(2)]
        net = torch.nn.ModuleList(blocks)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.05)

        def step(x):
            optimizer.zero_grad()
            for block in net:
                x = checkpoint(block, x, use_reentrant=reentrant)
            loss = x.square().sum()
            loss.backward()
            optimizer.step()
            return loss

        step = compile(step)
        with set_checkpoint_early_stop(early):
            seen = [step(torch.full((2, 3), 0.1 * number, requires_grad=reentrant)) for number in range(5)]
        return seen, list(net.parameters())

    agree(story)


def test_a_training_step_with_a_checkpoint_is_one_program():
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = checkpoint(net, x, use_reentrant=False).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    compiled = torch.compile(step, options={"trial": False})
    compiled(torch.ones(2, 3)), compiled(torch.ones(2, 3))
    (program,) = torch.compiler.explain(compiled)(torch.ones(2, 3)).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part

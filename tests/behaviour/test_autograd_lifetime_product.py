"""Nothing is left for the garbage collector, whatever meets in a backward pass.

Custom functions (what they save, whether they write in place, how many outputs they have, what they keep on `ctx`),
hooks on saved tensors, checkpoints and kinds of passes, all with all.
"""

import gc
import itertools
from contextlib import nullcontext

import pytest

import rushlight as torch

checkpoint = torch.utils.checkpoint.checkpoint
saved_tensors_hooks = torch.autograd.graph.saved_tensors_hooks


def function_of(saves, in_place, several, attribute):
    """A custom function of one kind."""

    class Kind(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.mul_(2) if in_place else x * 2
            z = x * 3 if several else None
            if in_place:
                ctx.mark_dirty(x)
            outputs = (y, z) if several else (y,)
            ctx.save_for_backward(*([x] if "input" in saves else []), *(outputs if "output" in saves else []))
            ctx.kept = {"number": 2, "input": x, "temporary": x * 5, "nothing": None}[attribute]
            return outputs if several else y

        @staticmethod
        def backward(ctx, *gradients):
            assert len(ctx.saved_tensors) == ("input" in saves) + ("output" in saves) * len(gradients)
            return sum(gradients)

    return Kind


ATTRIBUTES = itertools.cycle(("nothing", "number", "temporary", "input", "number"))
FUNCTIONS = [
    # What was written in place and is on `ctx` would be a cycle of the program's
    function_of(saves, in_place, several, "temporary" if in_place and attribute == "input" else attribute)
    for (saves, in_place, several), attribute in zip(
        itertools.product(
            ((), ("input",), ("output",), ("input", "output")),
            (False, True),
            (False, True),
        ),
        ATTRIBUTES,
        strict=False,
    )
]

HOOKS = {
    "no hooks": nullcontext,
    "as they are": lambda: saved_tensors_hooks(lambda x: x, lambda x: x),
    "copies": lambda: saved_tensors_hooks(lambda x: x.detach().clone(), lambda x: x),
    "on the CPU": torch.autograd.graph.save_on_cpu,
    "mutation": torch.autograd.graph.allow_mutation_on_saved_tensors,
}

CHECKPOINTS = {
    "no checkpoint": lambda f, x: f(x),
    "reentrant": lambda f, x: checkpoint(f, x, use_reentrant=True),
    "not reentrant": lambda f, x: checkpoint(f, x, use_reentrant=False),
    "not stopped early": lambda f, x: checkpoint(f, x, use_reentrant=False, early_stop=False),
    "logged": lambda f, x: checkpoint(f, x, use_reentrant=False, debug=True),
    "nested": lambda f, x: checkpoint(lambda x: checkpoint(f, x, use_reentrant=False), x, use_reentrant=False),
    "nested, reentrant": lambda f, x: checkpoint(
        lambda x: checkpoint(f, x, use_reentrant=False), x, use_reentrant=True
    ),
}


def failing(y, x):
    y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.backward()


def retained(y, x):
    y.backward(retain_graph=True)
    y.backward()


def with_graph(y, x):
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(g.sum(), x, allow_unused=True, materialize_grads=True) if g.requires_grad else None


PASSES = {
    "none": lambda y, x: None,
    "backward": lambda y, x: y.backward(),
    "retained": retained,
    "left retained": lambda y, x: y.backward(retain_graph=True),
    "grad": lambda y, x: torch.autograd.grad(y, x),
    "with a graph": with_graph,
    "graph kept": lambda y, x: torch.autograd.grad(y, x, create_graph=True),
    "failing": failing,
}


def run(function, hooks, checkpointed, backward):
    """One forward and one backward pass of one kind."""

    def steps(x):
        results = function.apply(x * 1)
        return sum((each * each).sum() for each in (results if type(results) is tuple else (results,)))

    x = torch.ones(3, requires_grad=True)
    with hooks():
        backward(checkpointed(steps, x), x)


@pytest.fixture
def garbage(without_collector):
    """A function: how many objects are unreachable since it was last called."""
    return gc.collect


@pytest.mark.parametrize("backward", PASSES)
@pytest.mark.parametrize("checkpointed", CHECKPOINTS)
@pytest.mark.parametrize("hooks", HOOKS)
def test_nothing_is_left(garbage, hooks, checkpointed, backward):
    inside = checkpointed in ("reentrant", "nested, reentrant")
    refused = inside and backward in ("grad", "with a graph", "graph kept")
    garbage()
    for _attempt in range(2):  # what is set up once in a process, at some call, leaves something the first time
        for function in FUNCTIONS:
            kind = function, HOOKS[hooks], CHECKPOINTS[checkpointed], PASSES[backward]
            if refused:
                with pytest.raises(RuntimeError, match="incompatible with .grad"):
                    run(*kind)
            else:
                run(*kind)
        del function
        result = garbage()
        if not result:
            break
    assert result == 0


def test_a_function_that_fails_after_it_has_saved_its_output_leaves_nothing(garbage):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, x * 2)
            raise ZeroDivisionError

    def scope():
        with pytest.raises(ZeroDivisionError):
            Fails.apply(torch.ones(3, requires_grad=True))

    garbage()
    scope()
    assert garbage() == 0


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_a_hook_on_saved_tensors_that_fails_leaves_nothing(garbage, fails_at):
    """Packing happens when the outputs already lead to the node that saves them."""
    function, packed = FUNCTIONS[-3], []

    def pack(x):
        packed.append(None)
        if len(packed) > fails_at:
            raise ZeroDivisionError
        return x

    def scope():
        x = torch.ones(3, requires_grad=True)
        with saved_tensors_hooks(pack, lambda x: x), pytest.raises(ZeroDivisionError):
            (function.apply(x * 1)[0] ** 2).sum()

    garbage()
    scope()
    assert garbage() == 0

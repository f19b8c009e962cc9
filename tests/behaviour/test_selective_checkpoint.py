"""Selective checkpoints: what a policy saves is not computed again in backward, and the gradients are the same."""

import importlib
import math
from functools import partial

import pytest


@pytest.fixture
def checkpointing(torch):
    return importlib.import_module(f"{torch.__name__}.utils.checkpoint")


def selective(checkpointing, function, x, policy, **options):
    contexts = partial(checkpointing.create_selective_checkpoint_contexts, policy, **options)
    return checkpointing.checkpoint(function, x, use_reentrant=False, context_fn=contexts)


@pytest.fixture
def counted_sine(torch):
    """An operator of the program, which counts its runs; removed again at the end."""
    with torch.library._scoped_library("selective_checkpoints", "FRAGMENT"):
        runs = []

        @torch.library.custom_op("selective_checkpoints::sine", mutates_args=())
        def sine(x: torch.Tensor) -> torch.Tensor:
            runs.append(len(x))
            return x.sin()

        sine.register_autograd(
            lambda ctx, gradient: gradient * ctx.saved_tensors[0].cos(),
            setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
        )
        yield torch.ops.selective_checkpoints.sine.default, runs


def test_layers_have_the_gradients_of_a_plain_call(torch, checkpointing):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    x = torch.randn(5, 3, requires_grad=True)
    model(x).sum().backward()
    expected = [tensor.grad.clone() for tensor in (x, *model.parameters())]
    for tensor in (x, *model.parameters()):
        tensor.grad = None
    aten = torch.ops.aten
    y = selective(checkpointing, model, x, [aten.addmm.default, aten.native_layer_norm.default, aten.relu.default])
    y.sum().backward()
    for tensor, gradient in zip((x, *model.parameters()), expected, strict=True):
        torch.testing.assert_close(tensor.grad, gradient)


def test_operators_of_a_list_run_once(torch, checkpointing, counted_sine):
    sine, runs = counted_sine
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = selective(checkpointing, lambda x: (sine(x) * x).exp().sin(), x, [sine])
    y.sum().backward()
    assert runs == [2]
    y = selective(checkpointing, lambda x: (sine(x) * x).exp().sin(), x, [torch.ops.aten.exp.default])
    y.sum().backward()
    assert runs == [2, 2, 2]


def test_a_policy_sees_operators_of_aten_and_their_results(torch, checkpointing):
    seen = []

    def policy(context, op, *args, **kwargs):
        seen.append((str(op), tuple(context.op_output.shape), context.is_recompute))
        return checkpointing.CheckpointPolicy.PREFER_RECOMPUTE

    layer = torch.nn.Linear(2, 3)
    x = torch.ones(4, 2, requires_grad=True)
    selective(checkpointing, lambda x: layer(x).mul(x.sum()).exp(), x, policy).sum().backward()
    names = [each for each in seen if each[0] != "aten.t.default"]
    assert names[0] == ("aten.addmm.default", (4, 3), False)
    assert names[2:] == [("aten.mul.Tensor", (4, 3), False), ("aten.exp.default", (4, 3), False)]


def test_results_that_were_written_since_are_refused(torch, checkpointing):
    def function(x):
        return x.sin().mul_(2).cos().exp()

    x = torch.tensor([0.5], requires_grad=True)
    y = selective(checkpointing, function, x, [torch.ops.aten.sin.default])
    with pytest.raises(RuntimeError, match="Tensor cached during selective activation checkpoint has been mutated"):
        y.sum().backward()


def test_a_written_result_is_taken_as_it_is_where_that_is_allowed(torch, checkpointing):
    x = torch.tensor([0.5], requires_grad=True)
    saved = [torch.ops.aten.sin.default]
    y = selective(checkpointing, lambda x: x.sin().mul_(2).cos(), x, saved, allow_cache_entry_mutation=True)
    y.sum().backward()  # the second run multiplies 2 sin(x) by 2 again
    expected = -math.sin(4 * math.sin(0.5)) * 2 * math.cos(0.5)
    assert x.grad.item() == pytest.approx(expected, rel=1e-5)


def test_a_second_backward_is_refused(torch, checkpointing):
    x = torch.tensor([0.5], requires_grad=True)
    y = selective(checkpointing, lambda x: x.sin().cos().exp(), x, [torch.ops.aten.sin.default])
    y.sum().backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.sum().backward(retain_graph=True)


def test_several_results_are_saved_together(torch, checkpointing):
    def policy(context, op, *args, **kwargs):
        return "var_mean" in str(op)

    def function(x):
        variance, mean = torch.var_mean(x)
        return (variance * mean).exp()

    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    (expected,) = torch.autograd.grad(function(x), x)
    (gradient,) = torch.autograd.grad(selective(checkpointing, function, x, policy), x)
    torch.testing.assert_close(gradient, expected)


def test_a_function_that_calls_something_else_the_second_time_is_reported(torch, checkpointing):
    runs = []

    def function(x):
        runs.append(1)
        return (x.sin() if len(runs) == 1 else x.tan()).cos().exp()

    x = torch.tensor([0.5], requires_grad=True)
    y = selective(checkpointing, function, x, [torch.ops.aten.sin.default])
    with pytest.raises(RuntimeError, match="encountered during backward but not found in storage"):
        y.sum().backward()


def test_lists_of_anything_but_overloads_are_refused(torch, checkpointing):
    create = checkpointing.create_selective_checkpoint_contexts
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload but got: 2 of type"):
        create([2])
    with pytest.raises(ValueError, match="Please update the OpOverloadPacket to a specific OpOverload"):
        create([torch.ops.aten.sin])
    with pytest.raises(TypeError, match="policy_fn_or_list must be either a function or a list of ops"):
        create(2)

"""What is saved through hooks, and then written to: by every operator in place, and by other writes."""

from contextlib import nullcontext

import pytest

NUMBERS = [0.3, 0.7]

# Every operator in place that has a gradient, with what it is given beside the tensor.
OPERANDS = {
    **dict.fromkeys(
        "abs_ acos_ asin_ atan_ ceil_ cos_ cosh_ deg2rad_ digamma_ erf_ erfc_ erfinv_ exp_ exp2_ expm1_ "
        "fix_ floor_ frac_ i0_ lgamma_ log_ log10_ log1p_ log2_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ "
        "round_ rsqrt_ sgn_ sigmoid_ sign_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ zero_".split(),
        lambda torch, a: (),
    ),
    **dict.fromkeys(
        "add_ arctan2_ atan2_ copysign_ hypot_ mul_ multiply_ sub_ subtract_ xlogy_".split(), lambda torch, a: (a * 2,)
    ),
    **dict.fromkeys("div_ divide_ true_divide_".split(), lambda torch, a: (a * 2 + 1,)),
    **dict.fromkeys("addcmul_ addcdiv_".split(), lambda torch, a: (a * 2, a * 3 + 1)),
    **dict.fromkeys("clamp_ clip_".split(), lambda torch, a: (0.0, 0.5)),
    **dict.fromkeys("pow_ float_power_".split(), lambda torch, a: (3,)),
    **dict.fromkeys("cumsum_ cumprod_".split(), lambda torch, a: (0,)),
    **dict.fromkeys("fmod_ remainder_".split(), lambda torch, a: (0.25,)),
    **dict.fromkeys("scatter_add_ index_add_ index_copy_".split(), lambda torch, a: (0, torch.tensor([0]), a[:1] * 2)),
    "clamp_min_": lambda torch, a: (0.4,),
    "clamp_max_": lambda torch, a: (0.4,),
    "fill_": lambda torch, a: (a[0] * 2,),
    "index_fill_": lambda torch, a: (0, torch.tensor([0]), a[1] * 2),
    "lerp_": lambda torch, a: (a * 2, 0.3),
    "logit_": lambda torch, a: (1e-6,),
    "masked_fill_": lambda torch, a: (a > 0.5, 2.0),
    "scatter_reduce_": lambda torch, a: (0, torch.tensor([0, 0]), a * 2, "prod"),
}


def gradient(torch, write, context):
    """The gradient of a leaf, a copy of which is written to in a context."""
    x = torch.tensor(NUMBERS, dtype=torch.float64, requires_grad=True)
    with context:
        y = x.clone()
        write(y)
        (y * torch.tensor([1.0, 2.0], dtype=torch.float64)).sum().backward()
    return x.grad


def same(torch):
    return torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, lambda packed: packed)


@pytest.mark.parametrize("name", OPERANDS)
@pytest.mark.parametrize("how", ["hooks", "on the CPU", "mutation", "view"])
def test_an_operator_in_place_hands_over_the_old_numbers(torch, name, how):
    """Not the tensor itself, which holds the new ones as soon as it has been written to."""
    context = {
        "hooks": same,
        "on the CPU": lambda torch: torch.autograd.graph.save_on_cpu(),
        "mutation": lambda torch: torch.autograd.graph.allow_mutation_on_saved_tensors(),
        "view": same,
    }[how](torch)

    def write(y):
        operands = OPERANDS[name](torch, y.clone())
        getattr(y.view(2) if how == "view" else y, name)(*operands)

    expected = gradient(torch, write, nullcontext())
    torch.testing.assert_close(gradient(torch, write, context), expected, rtol=0, atol=0)


@pytest.mark.parametrize("name", ["sin_", "pow_", "cumprod_", "div_"])
def test_so_does_one_inside_a_checkpoint(torch, name):
    def function(x):
        y = x.clone()
        getattr(y, name)(*OPERANDS[name](torch, y.clone()))
        return (y * y).sum()

    results = []
    for run in (function, lambda x: torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)):
        x = torch.tensor(NUMBERS, dtype=torch.float64, requires_grad=True)
        results.append(torch.autograd.grad(run(x), x)[0])
    torch.testing.assert_close(*results, rtol=0, atol=0)


# ---- writes to what was saved before


WRITES = {
    "number at an index": lambda torch, b: b.__setitem__(0, 5.0),
    "tensor at an index": lambda torch, b: b.__setitem__((0, slice(None)), torch.ones(3)),
    "zero_": lambda torch, b: b.zero_(),
    "copy_": lambda torch, b: b.copy_(torch.ones(2, 3)),
    "copy_ of another dtype": lambda torch, b: b.copy_(torch.ones(2, 3, dtype=torch.float64)),
    "add_": lambda torch, b: b.add_(1),
    "mul_ by itself": lambda torch, b: b.mul_(b),
    "masked_fill_": lambda torch, b: b.masked_fill_(b > 0, 1.0),
    "index_put_": lambda torch, b: b.index_put_((torch.tensor([0]),), torch.tensor(1.0)),
    "scatter_": lambda torch, b: b.scatter_(0, torch.tensor([[0, 0, 0]]), 1.0),
    "relu": lambda torch, b: torch.nn.functional.relu(b, inplace=True),
    "through a view": lambda torch, b: b[:1].add_(3),
    "through an alias": lambda torch, b: b.detach().zero_(),
    "through data": lambda torch, b: b.data.zero_(),
    "drawn": lambda torch, b: b.normal_(),
    "initialized": lambda torch, b: torch.nn.init.ones_(b),
    "another look": lambda torch, b: b.transpose_(0, 1),
    "several at once": lambda torch, b: torch._foreach_add_([b], 1.0),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("recording", [True, False])
def test_a_write_may_come_after_what_it_destroys_was_saved(torch, write, recording):
    x = torch.arange(6.0).view(2, 3).requires_grad_()
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        loss = (y**2).sum()
        with torch.set_grad_enabled(recording):
            WRITES[write](torch, y)
        loss.backward()
    assert x.grad.tolist() == (2 * x).tolist()


def test_out_is_such_a_write(torch):
    x, y = torch.tensor([1.0], requires_grad=True), torch.tensor([3.0])
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        loss = x * y
        torch.sin(torch.tensor([2.0]), out=y)
        loss.backward()
    assert x.grad.tolist() == [3.0]


def test_so_is_the_step_of_an_optimizer(torch):
    w = torch.nn.Parameter(torch.ones(2, 2))
    x = torch.ones(1, 2, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        loss = (x @ w @ w.t()).sum()
        w.grad = torch.ones(2, 2)
        torch.optim.SGD([w], lr=0.1).step()
        loss.backward()
    assert x.grad.tolist() == [[4.0, 4.0]]


@pytest.mark.parametrize("again", [False, True])
def test_backward_belongs_into_the_same_block(torch, again):
    mutation = torch.autograd.graph.allow_mutation_on_saved_tensors
    x = torch.ones(2, requires_grad=True)
    with mutation():
        loss = (x**2).sum()
    with mutation() if again else nullcontext():
        with pytest.raises(
            AssertionError, match="^Trying to backward outside of the 'allow_mutation_on_saved_tensors'"
        ):
            loss.backward()


def test_blocks_cannot_be_nested_and_decorate(torch):
    mutation = torch.autograd.graph.allow_mutation_on_saved_tensors
    x = torch.ones(2, requires_grad=True)

    @mutation()
    def step():
        y = x.clone()
        loss = (y**2).sum()
        y.zero_()
        loss.backward()
        with pytest.raises(RuntimeError, match="contexts cannot be nested"), mutation():
            pass

    step()
    step()
    assert x.grad.tolist() == [4.0, 4.0]


def test_nothing_is_copied_before_it_is_written_to_and_nothing_kept_longer_than_the_graph(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        y = torch.randn(2, 3, requires_grad=True).clone()
        first, second = y**2, y**2
        assert (len(context.tid_to_weakhandle), len(context.cloned)) == (1, 0)
        y.sin_()
        third = y**2
        y.sin_()
        assert len(context.cloned) == 2
        del first
        assert len(context.cloned) == 2
        del second
        assert len(context.cloned) == 1
        third.sum().backward()
        assert len(context.cloned) == 0


# ---- the stack of hooks


def test_hooks_that_are_left_once_too_often_inside_backward(torch):
    def unpack(x):
        first.__exit__()
        return x

    hooks = torch.autograd.graph.saved_tensors_hooks
    first, second = hooks(lambda x: x, unpack), hooks(lambda x: x, lambda x: x)
    for _ in range(3):
        with second:
            first.__enter__()
            torch.randn(3, requires_grad=True).sin().sum().backward()
    for _ in range(3):
        first.__exit__()
    y = torch.tensor(1.0, requires_grad=True).exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x)

"""torch.func on modules: stacked parameters, batch norm without statistics; functionalize and rearrange."""

import pytest

import rushlight


def values(torch, *shape):
    return torch.linspace(-1, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


def nets(torch, count=3):
    made = [torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).double() for _ in range(count)]
    with torch.no_grad():
        for number, net in enumerate(made):
            for parameter in net.parameters():
                parameter.copy_(values(torch, *parameter.shape) + number)
    return made


def test_an_ensemble_computes_what_its_nets_do(torch):
    made = [net.eval() for net in nets(torch)]
    parameters, buffers = torch.func.stack_module_state(made)
    x = values(torch, 5, 3)
    result = torch.vmap(lambda p, b: torch.func.functional_call(made[0], (p, b), (x,)))(parameters, buffers)
    for row, net in zip(result, made, strict=True):
        assert torch.allclose(row, net(x))


def test_stacked_parameters_are_leaves(torch):
    parameters, buffers = torch.func.stack_module_state(nets(torch))
    assert parameters["0.weight"].shape == (3, 2, 3)
    assert all(each.is_leaf and each.requires_grad for each in parameters.values())
    assert not any(each.requires_grad for each in buffers.values())
    assert list(buffers) == ["1.running_mean", "1.running_var", "1.num_batches_tracked"]


def some_frozen(torch):
    made = nets(torch)
    made[1][0].weight.requires_grad_(False)
    return made


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (lambda torch: [], "stack_module_state: Expected at least one model, got 0."),
        (lambda torch: [torch.nn.Linear(1, 1), torch.nn.Linear(1, 1).eval()], "to have the same training/eval mode"),
        (lambda torch: [torch.nn.Linear(1, 1), torch.nn.ReLU()], "Expected all models to be of the same class"),
        (some_frozen, "Expected 0.weight from each model to have the same .requires_grad"),
    ],
)
def test_modules_that_differ_are_not_stacked(torch, models, words):
    with pytest.raises(RuntimeError, match=words):
        torch.func.stack_module_state(models(torch))


def test_batch_norms_lose_their_statistics(torch):
    (net,) = nets(torch, 1)
    assert torch.func.replace_all_batch_norm_modules_(net) is net
    assert net[1].running_mean is None
    assert net[1].track_running_stats is False
    x = values(torch, 4, 5, 3)
    result = torch.vmap(net)(x)
    assert torch.allclose(result[2], net(x[2]))


def test_a_functionalized_function_returns_the_same(torch):
    def function(a):
        b = a.clone()
        b[0].mul_(2)
        b.view(-1).add_(1)
        return b

    x = values(torch, 2, 3)
    assert torch.equal(torch.func.functionalize(function)(x), function(x))
    gradient = torch.func.grad(torch.func.functionalize(lambda a: function(a).sum()))(x)
    assert torch.equal(gradient, torch.tensor([[2.0] * 3, [1.0] * 3], dtype=torch.float64))
    with pytest.raises(RuntimeError, match="received invalid argument for remove=views"):
        torch.func.functionalize(function, remove="views")


# ---- rearrange


@pytest.mark.parametrize(
    ("shape", "pattern", "lengths", "result"),
    [
        ((2, 6), "a (b c) -> c a b", {"b": 2}, (3, 2, 2)),
        ((2, 3, 4), "b h w -> b (h w)", {}, (2, 12)),
        ((2, 3, 4), "... w -> w ...", {}, (4, 2, 3)),
        ((2, 3, 4), "a ... -> ... a", {}, (3, 4, 2)),
        ((2, 3, 4), "a ... -> a (...)", {}, (2, 12)),
        ((2, 1, 3), "a 1 b -> a b", {}, (2, 3)),
        ((2, 3), "a b -> a 1 b", {}, (2, 1, 3)),
        ((4, 6), "(h a) (w b) -> h w (a b)", {"a": 2, "b": 3}, (2, 2, 6)),
        ((), "->", {}, ()),
    ],
)
def test_patterns_split_join_and_order(pytorch, shape, pattern, lengths, result):
    array = values(pytorch, *shape)
    expected = pytorch.func.rearrange(array, pattern, **lengths)
    made = rushlight.func.rearrange(rushlight.from_numpy(array.numpy()), pattern, **lengths)
    assert made.shape == result == expected.shape
    assert (made.numpy() == expected.numpy()).all()


def test_several_tensors_are_stacked_first(torch):
    x = values(torch, 2, 3)
    assert torch.equal(torch.func.rearrange([x, x], "n a b -> a (n b)"), torch.cat([x, x], 1))


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("a b", "Pattern must contain a single '->' separator"),
        ("a b -> a c", "Identifiers only on one side of rearrange expression"),
        ("a a -> a", "Indexing expression contains duplicate dimension 'a'"),
        ("a -> a", "Number of dimensions in pattern"),
        ("a b c ... -> a b c ...", "must be less than or equal to the number of dimensions in the tensor"),
        ("a (b -> a b", "Imbalanced parentheses in expression"),
        ("a b) -> a b", "Brackets are not balanced"),
        ("a (b (c)) -> a b c", "Axis composition is one-level"),
        ("a b -> a ... b", "Ellipsis found in right side, but not left side"),
        ("a .. -> a", r"Expression may contain dots only inside ellipsis \(...\)"),
        ("a 2 -> 2 a", "rearrange only supports unnamed axes of size 1"),
        ("a _b -> _b a", "Invalid axis identifier: _b"),
        ("a & -> & a", "Unknown character '&'"),
    ],
)
def test_patterns_that_say_nothing_are_refused(torch, pattern, words):
    with pytest.raises(ValueError, match=words):
        torch.func.rearrange(values(torch, 2, 3), pattern)


def test_lengths_must_be_of_names_and_whole(torch):
    with pytest.raises(ValueError, match="Identifiers not found in rearrange expression: {'c'}"):
        torch.func.rearrange(values(torch, 2, 3), "a b -> b a", c=1)
    with pytest.raises(TypeError, match="rearrange axis lengths must be integers, got: <class 'float'>"):
        torch.func.rearrange(values(torch, 2, 3), "a b -> b a", a=2.0)

"""torch.vmap: which dimension is the batch, in trees of inputs and outputs, and what is refused."""

import functools

import pytest


def values(torch, *shape):
    return torch.linspace(-1, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


def test_in_dims_may_be_one_number_or_a_tuple(torch):
    x, y = values(torch, 3, 4), values(torch, 4, 3)
    expected = (x * y.T).sum(1)
    assert torch.allclose(torch.vmap(torch.dot, in_dims=(0, 1))(x, y), expected)
    assert torch.allclose(torch.vmap(torch.dot, in_dims=(0, -1))(x, y), expected)
    assert torch.allclose(torch.vmap(torch.dot, in_dims=1)(y, x.T.contiguous()), (x * y.T).sum(1))


def test_an_input_may_be_shared_by_all_samples(torch):
    x, w = values(torch, 3, 4), values(torch, 4)
    assert torch.allclose(torch.vmap(torch.dot, in_dims=(0, None))(x, w), x @ w)


def test_in_dims_are_a_tree_or_the_beginning_of_one(torch):
    def function(tree, pair):
        return tree["a"] * pair[0] + pair[1]

    a, b, c = values(torch, 3, 2), values(torch, 2, 3), values(torch, 2)
    result = torch.vmap(function, in_dims=({"a": 0}, (1, None)))({"a": a}, (b, c))
    assert torch.allclose(result, a * b.T + c)
    result = torch.vmap(lambda tree: tree["a"] * tree["b"][0], in_dims=(1,))({"a": b, "b": [b]})
    assert torch.allclose(result, (b * b).T)


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2])
def test_out_dims_place_the_batch(torch, dim):
    x = values(torch, 3, 2, 4)
    assert torch.equal(torch.vmap(lambda a: a * 2, out_dims=dim)(x), (x * 2).movedim(0, dim))


def test_out_dims_of_several_outputs(torch):
    x = values(torch, 3, 4)
    first, second = torch.vmap(lambda a: (a, a.sum()), out_dims=(1, 0))(x)
    assert torch.equal(first, x.T)
    assert torch.allclose(second, x.sum(1))
    result = torch.vmap(lambda a: {"s": a.sin(), "c": a.cos()}, out_dims={"s": 0, "c": 1})(x)
    assert torch.allclose(result["c"], x.cos().T)


def test_an_output_may_be_the_same_for_all_samples(torch):
    y = values(torch, 2)
    _, same = torch.vmap(lambda a: (a, y + 1), out_dims=(0, None))(values(torch, 3, 2))
    assert torch.equal(same, y + 1)
    assert torch.vmap(lambda a: torch.ones(2))(values(torch, 3)).shape == (3, 2)


def test_keyword_arguments_are_shared(torch):
    x = values(torch, 3, 4)
    assert torch.vmap(lambda a, y: (a * y).sum())(x, y=x).shape == (3,)


def test_other_values_pass_through(torch):
    x = values(torch, 3)
    result = torch.vmap(lambda a, n, word: a * n if word == "times" else a, in_dims=(0, None, None))(x, 2, "times")
    assert torch.equal(result, x * 2)


def test_vmaps_nest(torch):
    x, y = values(torch, 3, 5), values(torch, 4, 5)
    outer = torch.vmap(torch.vmap(torch.dot, (None, 0)), (0, None))
    assert torch.allclose(outer(x, y), x @ y.T)
    assert torch.allclose(torch.vmap(lambda a: torch.vmap(lambda b: a + b)(a))(x), x[:, None] + x[:, :, None])


@pytest.mark.parametrize(("chunk_size", "calls"), [(None, 1), (1, 5), (2, 3), (3, 2), (5, 1), (7, 1)])
def test_chunks_are_joined(torch, chunk_size, calls):
    seen = []

    def function(a):
        seen.append(a)
        return a.sin().sum(), a

    x = values(torch, 2, 5)
    total, same = torch.vmap(function, in_dims=1, out_dims=(0, 1), chunk_size=chunk_size)(x)
    assert len(seen) == calls
    assert torch.allclose(total, x.sin().sum(0))
    assert torch.equal(same, x)


def test_gradients_flow_through(torch):
    x, w = values(torch, 3, 4).requires_grad_(), values(torch, 4).requires_grad_()
    y = torch.vmap(lambda a, b: (a * b).sin().sum(), (0, None))(x, w)
    result = torch.autograd.grad(y.sum(), [x, w])
    expected = torch.autograd.grad((x * w).sin().sum(), [x, w])
    for each, other in zip(result, expected, strict=True):
        assert torch.allclose(each, other)


def test_gradients_of_each_sample(torch):
    x, w = values(torch, 5, 3), values(torch, 3)
    result = torch.vmap(torch.func.grad(lambda w, x: (w @ x) ** 3), (None, 0))(w, x)
    assert torch.allclose(result, 3 * (x @ w)[:, None] ** 2 * x)


def test_a_gradient_of_a_batch(torch):
    x, w = values(torch, 5, 3), values(torch, 3)
    result = torch.func.grad(lambda w: torch.vmap(lambda x: (x * w).sin().sum())(x).sum())(w)
    assert torch.allclose(result, (x * (x * w).cos()).sum(0))


REFUSED = [
    (ValueError, lambda t: t.vmap(lambda: 1)(), r"vmap\(<lambda>\)\(<inputs>\): got no inputs"),
    (ValueError, lambda t: t.vmap(t.sin, in_dims=2)(t.ones(3)), "Got in_dim=2 for some input, but that input is"),
    (ValueError, lambda t: t.vmap(t.sin, in_dims=-2)(t.ones(3)), "dimensionality 1 so expected in_dim to satisfy"),
    (ValueError, lambda t: t.vmap(t.add)(t.ones(3), t.ones(4)), r"got sizes \[3, 4\] for the mapped dimension"),
    (ValueError, lambda t: t.vmap(t.add, in_dims=(0,))(t.ones(3), t.ones(3)), "in_dims is not compatible with the"),
    (ValueError, lambda t: t.vmap(t.sin, in_dims="a")(t.ones(3)), "expected `in_dims` to be int or a"),
    (ValueError, lambda t: t.vmap(t.sin, in_dims=(None,))(t.ones(3)), "Expected at least one Tensor to vmap over"),
    (ValueError, lambda t: t.vmap(t.sin, in_dims=("a",))(t.ones(3)), "Got in_dim=a for an input but in_dim must be"),
    (ValueError, lambda t: t.vmap(t.mul)(t.ones(3), 2), "type <class 'int'>. We cannot vmap over non-Tensor"),
    (ValueError, lambda t: t.vmap(lambda x: (x, x), out_dims=(0, 0, 0))(t.ones(3)), "out_dims is not compatible"),
    (ValueError, lambda t: t.vmap(lambda x: x, out_dims=(0, 0))(t.ones(3)), "out_dims is not compatible"),
    (ValueError, lambda t: t.vmap(lambda x: x, out_dims="a")(t.ones(3)), "`out_dims` must be an int, None or a python"),
    (ValueError, lambda t: t.vmap(lambda x: 3)(t.ones(3)), "must only return Tensors, got type <class 'int'>"),
    (ValueError, lambda t: t.vmap(lambda x: x, out_dims=None)(t.ones(3)), "can not return a BatchedTensor when"),
    (RuntimeError, lambda t: t.vmap(t.sin, randomness="other")(t.ones(3)), "Only allowed values for randomness are"),
    (ValueError, lambda t: t.vmap(t.sin, chunk_size=0)(t.ones(3)), "chunk_size should be None or greater than 0"),
]


@pytest.mark.parametrize(("error", "call", "words"), REFUSED)
def test_what_does_not_fit_is_refused(torch, error, call, words):
    with pytest.raises(error, match=words):
        call(torch)


def test_errors_name_the_function(torch):
    with pytest.raises(ValueError, match=r"vmap\(functools.partial\(mul, ...\)\)\(<inputs>\): got no inputs"):
        torch.vmap(functools.partial(torch.mul, other=2))()


def test_a_sample_looks_like_one(torch):
    seen = []

    def function(a):
        seen.append((tuple(a.shape), a.dim(), len(a), a.dtype is torch.float64, isinstance(a, torch.Tensor)))
        return a

    torch.vmap(function, in_dims=1)(values(torch, 4, 3, 2))
    assert seen == [((4, 2), 2, 4, True, True)]


def test_what_is_inside_of_a_sample(torch):
    shapes = []

    def function(a):
        shapes.extend((tuple(torch.func.debug_unwrap(a).shape), tuple(torch.func.debug_unwrap(a, recurse=False).shape)))
        return a

    torch.vmap(torch.vmap(function))(values(torch, 3, 2, 4))
    assert shapes[0] == (3, 2, 4)
    x = values(torch, 3)
    assert torch.func.debug_unwrap(x) is x

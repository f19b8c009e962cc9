"""Random draws under vmap: the numbers of one call for the whole batch, the same for all samples, or refused."""

import pytest

SIZE = 3
REFUSED = "vmap: called random operation while in randomness error mode"
SAME_OF_BATCH = "Vmap does not currently support same randomness with a batched tensor input"

# A function that draws like a sample of shape (4, 2), and the same for one with the batch in front.
OF_SHAPE = {
    "rand": lambda t, x, shape: t.rand(shape),
    "rand float64": lambda t, x, shape: t.rand(shape, dtype=t.float64),
    "randn": lambda t, x, shape: t.randn(*shape),
    "randint": lambda t, x, shape: t.randint(2, 90, shape),
    "normal": lambda t, x, shape: t.normal(1.0, 2.0, shape),
    "rand_like": lambda t, x, shape: t.rand_like(x),
    "randn_like": lambda t, x, shape: t.randn_like(x),
    "randint_like": lambda t, x, shape: t.randint_like(x, 90),
    "normal_": lambda t, x, shape: x.clone().normal_(),
    "uniform_": lambda t, x, shape: x.clone().uniform_(-1, 1),
    "random_": lambda t, x, shape: x.clone().random_(90),
    "exponential_": lambda t, x, shape: x.clone().exponential_(),
    "bernoulli_": lambda t, x, shape: x.clone().bernoulli_(0.5),
    "bernoulli_ of a tensor": lambda t, x, shape: x.clone().bernoulli_(t.full((2,), 0.5)),
    "dropout": lambda t, x, shape: t.nn.functional.dropout(x, 0.5),
    "rand of a generator": lambda t, x, shape: t.rand(shape, generator=t.Generator().manual_seed(3)),
}
# These depend on the elements of their inputs.
OF_ELEMENTS = {
    "bernoulli": lambda t, x: t.bernoulli(x),
    "bernoulli of a number": lambda t, x: t.bernoulli(x, 0.5),
    "poisson": lambda t, x: t.poisson(x * 9),
    "binomial": lambda t, x: t.binomial(x.round() * 9, x),
    "normal": lambda t, x: t.normal(x, 2.0),
    "normal of a deviation": lambda t, x: t.normal(1.0, x),
    "normal of both": lambda t, x: t.normal(x, x),
    "gamma": lambda t, x: t._standard_gamma(x),
    "dirichlet": lambda t, x: t._sample_dirichlet(x),
    "multinomial": lambda t, x: t.multinomial(x, 2),
    "Normal": lambda t, x: t.distributions.Normal(x, 1.0).sample(),
    "Bernoulli": lambda t, x: t.distributions.Bernoulli(x).sample(),
}


def values(torch, *shape):
    return torch.linspace(0.1, 0.9, torch.Size(shape).numel()).reshape(shape)


@pytest.fixture(autouse=True)
def seed(torch):
    torch.manual_seed(5)


@pytest.mark.parametrize("name", OF_SHAPE)
def test_different_numbers_are_those_of_one_call_for_the_batch(torch, name):
    x, draw = values(torch, SIZE, 4, 2), OF_SHAPE[name]
    drawn = torch.vmap(lambda x: draw(torch, x, (4, 2)), randomness="different")(x)
    torch.manual_seed(5)
    assert torch.equal(drawn, draw(torch, x, (SIZE, 4, 2)))


@pytest.mark.parametrize("name", OF_SHAPE)
def test_the_same_numbers_are_those_of_one_sample(torch, name):
    x, draw = values(torch, 4, 2).expand(SIZE, 4, 2), OF_SHAPE[name]
    drawn = torch.vmap(lambda x: draw(torch, x, (4, 2)), randomness="same")(x)
    torch.manual_seed(5)
    one = draw(torch, x[0], (4, 2))
    assert torch.equal(drawn, one.expand(SIZE, 4, 2))


@pytest.mark.parametrize("name", OF_SHAPE)
def test_draws_are_refused_by_default(torch, name):
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.vmap(lambda x: OF_SHAPE[name](torch, x, (4, 2)))(values(torch, SIZE, 4, 2))


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_draws_from_elements_differ_or_are_refused(torch, name):
    x, draw = values(torch, SIZE, 4, 2), OF_ELEMENTS[name]
    drawn = torch.vmap(lambda x: draw(torch, x), randomness="different")(x)
    torch.manual_seed(5)
    flat = name == "multinomial"
    assert torch.equal(drawn, draw(torch, x.reshape(-1, 2) if flat else x).reshape(drawn.shape))
    with pytest.raises(RuntimeError, match=SAME_OF_BATCH):
        torch.vmap(lambda x: draw(torch, x), randomness="same")(x)
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.vmap(lambda x: draw(torch, x))(x)


def test_permutations_differ(torch):
    drawn = torch.vmap(lambda x: torch.randperm(9), randomness="different")(torch.zeros(SIZE))
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.stack([torch.randperm(9) for _ in range(SIZE)]))


def test_a_dropped_channel_is_dropped_whole(torch):
    drop = torch.nn.functional.dropout2d
    drawn = torch.vmap(drop, randomness="different")(torch.ones(2, 3, 4, 5, 5))
    torch.manual_seed(5)
    assert torch.equal(drawn, drop(torch.ones(6, 4, 5, 5)).reshape(drawn.shape))


def test_shared_tensors_cannot_get_different_numbers_in_place(torch):
    shared = torch.zeros(2)
    for fill in (shared.normal_, shared.exponential_):
        with pytest.raises(RuntimeError, match="Cannot ask for different inplace randomness on an unbatched tensor"):
            torch.vmap(lambda x, fill=fill: x + fill(), randomness="different")(torch.zeros(SIZE, 2))
    with pytest.raises(RuntimeError, match="inplace bernoulli"):
        torch.vmap(lambda x: shared.bernoulli_(x), randomness="different")(torch.zeros(SIZE, 2))
    with pytest.raises(RuntimeError, match="calling out variants of random operations"):
        torch.vmap(lambda x: torch.rand(2, out=shared), randomness="different")(torch.zeros(SIZE))


def test_levels_draw_from_within(torch):
    inner = lambda how: torch.vmap(lambda y: torch.rand(2), randomness=how)  # noqa: E731
    x = torch.zeros(2, 3)
    differ = torch.vmap(inner("different"), randomness="different")(x)
    torch.manual_seed(5)
    assert torch.equal(differ, torch.rand(2, 3, 2))
    torch.manual_seed(5)
    same_inside = torch.vmap(inner("same"), randomness="different")(x)
    torch.manual_seed(5)
    assert torch.equal(same_inside, torch.rand(2, 1, 2).expand(2, 3, 2))
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.vmap(inner("same"))(x)


def test_gradients_go_through_draws(torch):
    def loss(w):
        return (torch.nn.functional.dropout(w, 0.5) * torch.rand(2)).sum()

    w = torch.ones(SIZE, 2)
    gradients = torch.vmap(torch.func.grad(loss), randomness="different")(w)
    torch.manual_seed(5)
    mask = torch.nn.functional.dropout(w, 0.5)
    assert torch.equal(gradients, mask * torch.rand(SIZE, 2))


@pytest.mark.parametrize("outer", ["same", "different"])
@pytest.mark.parametrize("inner", ["same", "different"])
def test_masks_are_drawn_by_every_level(torch, outer, inner):
    def function(x):
        return torch.nn.functional.dropout(torch.ones(4), 0.5)

    drawn = torch.vmap(torch.vmap(function, randomness=inner), randomness=outer)(torch.zeros(2, 3))
    torch.manual_seed(5)
    sizes = (2 if outer == "different" else 1, 3 if inner == "different" else 1)
    assert torch.equal(drawn, torch.nn.functional.dropout(torch.ones(*sizes, 4), 0.5).expand(2, 3, 4))


def test_random_directions_are_draws(torch):
    x = torch.eye(4).expand(3, 4, 4)
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.vmap(lambda x: torch.svd_lowrank(x, 2)[1])(x)
    same = torch.vmap(lambda x: torch.svd_lowrank(x, 2)[1], randomness="same")(x)
    assert torch.equal(same[0], same[2])


def test_one_draw_does_not_depend_on_how_the_samples_lie_in_memory(torch):
    torch.manual_seed(3)
    along_the_last = torch.vmap(lambda x: x.normal_(), in_dims=-1, randomness="same")(torch.zeros(4, 5, 6))
    torch.manual_seed(3)
    expected = torch.zeros(4, 5).normal_()
    assert all(torch.equal(sample, expected) for sample in along_the_last)

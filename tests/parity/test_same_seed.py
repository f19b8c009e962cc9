"""The same seed gives PyTorch's numbers: every public draw, and so a whole training run with shuffling and dropout."""

import math

import numpy as np
import pytest

import rushlight

SEEDS = [0, 1, 123456789]
SIZES = [1, 5, 15, 16, 17, 100, 1000]

DRAWS = {
    "rand": lambda t, n: t.rand(n),
    "rand in float64": lambda t, n: t.rand(n, dtype=t.float64),
    "randn": lambda t, n: t.randn(n),
    "randn in float64": lambda t, n: t.randn(n, dtype=t.float64),
    "randint": lambda t, n: t.randint(0, 1000, (n,)),
    "randint of many": lambda t, n: t.randint(-(2**40), 2**50, (n,)),
    "randperm": lambda t, n: t.randperm(n),
    "normal": lambda t, n: t.normal(1.0, 2.0, (n,)),
    "normal of tensors": lambda t, n: t.normal(t.zeros(n), t.full((n,), 2.0)),
    "bernoulli": lambda t, n: t.bernoulli(t.full((n,), 0.3)),
    "bernoulli_ of a number": lambda t, n: t.empty(n).bernoulli_(0.3),
    "multinomial": lambda t, n: t.multinomial(t.arange(1.0, n + 1), max(1, n // 2)),
    "multinomial with replacement": lambda t, n: t.multinomial(t.arange(1.0, n + 1), n, replacement=True),
    "poisson": lambda t, n: t.poisson(t.full((n,), 4.0)),
    "binomial": lambda t, n: t.binomial(t.full((n,), 10.0), t.full((n,), 0.4)),
    "uniform_": lambda t, n: t.empty(n).uniform_(-3, 5),
    "normal_": lambda t, n: t.empty(n).normal_(1, 3),
    "exponential_": lambda t, n: t.empty(n).exponential_(2.0),
    "cauchy_": lambda t, n: t.empty(n).cauchy_(),
    "log_normal_": lambda t, n: t.empty(n).log_normal_(),
    "geometric_": lambda t, n: t.empty(n).geometric_(0.3),
    "random_": lambda t, n: t.empty(n).random_(0, 50),
    "dropout of what is expanded": lambda t, n: t.nn.functional.dropout(t.ones(1, n).expand(3, n), 0.4),
    "dropout of what is turned": lambda t, n: t.nn.functional.dropout(t.ones(n, 3).t(), 0.4),
    "dropout of what is turned and expanded": lambda t, n: t.nn.functional.dropout(t.ones(n, 1).expand(n, 3).t(), 0.4),
    "bernoulli_ of tensors, turned": lambda t, n: t.empty(n, 3).t().bernoulli_(t.linspace(0.2, 0.8, n)),
    "gumbel_softmax of what is turned": lambda t, n: t.nn.functional.gumbel_softmax(t.zeros(n, 3).t(), hard=True),
    "init.trunc_normal_": lambda t, n: t.nn.init.trunc_normal_(t.empty(n, 4)),
    "init.xavier_uniform_": lambda t, n: t.nn.init.xavier_uniform_(t.empty(n, 4)),
    "init.xavier_normal_": lambda t, n: t.nn.init.xavier_normal_(t.empty(n, 4)),
    "init.kaiming_uniform_": lambda t, n: t.nn.init.kaiming_uniform_(t.empty(n, 4)),
    "init.kaiming_normal_": lambda t, n: t.nn.init.kaiming_normal_(t.empty(n, 4)),
    "init.sparse_": lambda t, n: t.nn.init.sparse_(t.empty(n, 4), 0.3),
    "the weights of a layer": lambda t, n: t.nn.Linear(n, 3).weight.detach(),
    "the weights of an LSTM": lambda t, n: t.nn.LSTM(n, 2).weight_ih_l0.detach(),
    "dropout": lambda t, n: t.nn.functional.dropout(t.ones(n), 0.4),
    "alpha_dropout": lambda t, n: t.nn.functional.alpha_dropout(t.ones(n), 0.4),
    "gamma": lambda t, n: t.distributions.Gamma(t.full((n,), 2.0), t.ones(n)).sample(),
    "a shuffling loader": lambda t, n: t.cat(list(t.utils.data.DataLoader(range(n), shuffle=True))),
    "random_split": lambda t, n: t.tensor(t.utils.data.random_split(range(n + 1), [n, 1])[0].indices),
}
# LAPACK decides the last digits of the first, and the second is a product that PyTorch rounds once less.
NEARLY = {
    "init.orthogonal_": lambda t, n: t.nn.init.orthogonal_(t.empty(n, 4)),
    "rrelu": lambda t, n: t.nn.functional.rrelu(-t.ones(n), training=True),
}


def drawn(torch, draw, seed, size):
    torch.manual_seed(seed)
    return draw(torch, size).numpy()


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_those_of_pytorch_bit_for_bit(pytorch, name):
    for seed in SEEDS:
        for size in SIZES:
            result, expected = (drawn(each, DRAWS[name], seed, size) for each in (rushlight, pytorch))
            np.testing.assert_array_equal(result, expected, strict=True, err_msg=f"seed {seed}, size {size}")


@pytest.mark.parametrize("name", NEARLY)
def test_what_is_computed_from_draws_is_that_of_pytorch(pytorch, name):
    for seed in SEEDS:
        for size in SIZES:
            result, expected = (drawn(each, NEARLY[name], seed, size) for each in (rushlight, pytorch))
            # What `assert_close` of either library allows float32.
            np.testing.assert_allclose(result, expected, rtol=1.3e-6, atol=1e-5, strict=True)


def losses_of_a_run(torch):
    """What a small network loses on the way from its first weights, with dropout, in shuffled batches of a split."""
    torch.manual_seed(7)
    nn, data = torch.nn, torch.utils.data
    inputs = torch.rand(240, 6) * 2 - 1
    targets = (inputs[:, :3].sum(1, keepdim=True) * math.pi).sin()
    train, _ = data.random_split(data.TensorDataset(inputs, targets), [0.8, 0.2])
    model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Dropout(0.2), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        for x, y in data.DataLoader(train, batch_size=16, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def test_a_training_run_with_dropout_and_shuffling_repeats_the_losses_of_pytorch(pytorch):
    result, expected = losses_of_a_run(rushlight), losses_of_a_run(pytorch)
    assert len(result) == 60
    assert result == pytest.approx(expected, rel=0, abs=1e-5)

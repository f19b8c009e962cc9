"""Draws take the numbers of the same streams, as calls or in layers."""

import itertools

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def ones():
    return torch.ones(2)


def draws(compile):
    def f(x):
        return (
            torch.rand(2) + x, F.dropout(x, 0.5), torch.randn_like(x), torch.randperm(3), torch.bernoulli(x * 0.5),
            torch.multinomial(x, 1), torch.normal(x, x), F.rrelu(x - 2, training=True), x.clone().uniform_(),
            F.gumbel_softmax(x), torch.randint(5, (2,)), torch.poisson(x * 3), x.clone().normal_(),
            nn.init.xavier_uniform_(torch.empty(2, 2)),
            torch.nn.init.trunc_normal_(torch.empty(2)), torch.empty(2).exponential_(),
        )  # fmt: skip

    f = compile(f)
    seen = [f(ones()), f(ones()), f(ones())]
    torch.manual_seed(3)
    return [*seen, f(ones()), torch.initial_seed(), torch.rand(2)]


def draws_of_attention(compile):
    f = compile(lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=0.5) + 1)
    q = torch.arange(16.0).reshape(1, 4, 4) / 16
    return [f(q), f(q), f(q), torch.rand(2)]


def draws_of_layers(compile):
    torch.manual_seed(0)
    lstm = nn.LSTM(3, 4, num_layers=2, dropout=0.5)
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5)
    attention = nn.MultiheadAttention(4, 2, dropout=0.5)
    f = compile(lambda x, y: (lstm(x)[0] + 1, layer(y) + 1, attention(y, y, y)[0] + 1))
    x, y = torch.ones(2, 1, 3), torch.arange(8.0).reshape(2, 1, 4)
    return [f(x, y), f(x, y), f(x, y), torch.rand(2)]


def draws_between_layers(compile):
    """Draws that wait for other operators, and draws that do not."""
    torch.manual_seed(0)
    lstm, x = nn.LSTM(3, 3, num_layers=2, dropout=0.5), torch.ones(2, 1, 3)
    steps = {
        "lstm": lambda x: lstm(x)[0],
        "dropout": lambda x: F.dropout(x * 2 + 1, 0.5),
        "sorted": lambda x: F.dropout(torch.sort(x.sin() + x, 0)[0].exp() * x, 0.5),
        "noise": lambda x: x + torch.rand(2, 1, 3) * 2,
    }
    seen = []
    for names in itertools.permutations(steps, 3):
        f = compile(lambda x, names=names: [steps[name](x) for name in names])
        seen += [[f(x), f(x), f(x)], torch.rand(2)]
    return seen


def draws_of_distributions(compile):
    d = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
    f = compile(
        lambda x: (
            d.sample() + torch.distributions.Normal(x, x).rsample() + torch.distributions.Categorical(logits=x).sample()
        )
    )
    return [f(ones()), f(ones()), f(ones()), torch.rand(2)]


def low_rank(compile):
    f = compile(lambda x: torch.svd_lowrank(x, q=2)[1] + 1)
    x = torch.arange(12.0).reshape(4, 3).sin()
    return [f(x), f(x), f(x), torch.rand(2)]


def generators_of_ones_own(compile):
    g = torch.Generator().manual_seed(1)
    f = compile(lambda x: x + torch.rand(2, generator=g))
    seen = [f(ones()), f(ones()), f(ones())]
    g.manual_seed(1)
    return [*seen, f(ones())]


def seeds_inside(compile):
    def f(x):
        torch.manual_seed(5)
        return x + torch.rand(2)

    f = compile(f)
    return [f(ones()), f(ones()), torch.rand(1), f(ones())]


def test_draws_are_those_of_the_program(agree, story):
    agree(story)

"""Loops that append a row to a sequence and compute all rows again: only new rows are computed, with equal results."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.core.tensor import wrap
from rushlight.graph.growing import Growing, with_rows_reused
from rushlight.graph.program import Program
from rushlight.graph.recording import record
from rushlight.graph.simplify import simplify

WIDTH, STEPS = 4, 4
F = torch.nn.functional


def draw(*shape, seed=0):
    return wrap(np.random.default_rng([seed, *shape]).standard_normal(shape))


SQUARE, TALL, BIAS, TABLE, COSINES = (
    draw(WIDTH, WIDTH),
    draw(2 * WIDTH, WIDTH),
    draw(WIDTH),
    draw(9, WIDTH),
    draw(1, 16, WIDTH),
)
MASK = torch.ones(16, 16, dtype=torch.bool).tril()


def heads(x):
    return x.view(*x.shape[:2], 2, -1).transpose(1, 2)


def causal(x):
    mixed = F.scaled_dot_product_attention(heads(x @ SQUARE), heads(x * 2), heads(torch.tanh(x)), is_causal=True)
    return mixed.transpose(1, 2).reshape(x.shape)


def several(x):
    one, other = F.linear(x, TALL).split(WIDTH, dim=-1)
    return torch.sigmoid(one) * other


def rotated(x):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x + turned * COSINES[:, : x.shape[1]]


# Each row of the result depends on the same row, or on rows before it in attention.
BY_ROWS = {
    "linear": lambda x: F.linear(x, SQUARE, BIAS),
    "product": lambda x: x @ SQUARE,
    "layer norm": lambda x: F.layer_norm(x, (WIDTH,), BIAS, BIAS),
    "softmax": lambda x: x.softmax(-1) + x.log_softmax(2),
    "sums": lambda x: x / (1 + x.square().sum(-1, keepdim=True)) + x.mean((2,), True),
    "sum without its dimension": lambda x: x * x.transpose(1, 2).sum(1)[..., None].tanh(),
    "positions": lambda x: x + F.embedding(torch.arange(x.shape[1]), TABLE),
    "chosen": lambda x: F.embedding(x.argmax(-1), TABLE),
    "rotated": rotated,
    "causal attention": causal,
    "parts": several,
    "transposed": lambda x: x.transpose(1, 2).mul(2).permute(0, 2, 1).contiguous(),
    "reshaped": lambda x: (x.reshape(-1, WIDTH) * 2).reshape(x.shape[0], -1, 2, 2).flatten(2),
    "expanded": lambda x: x + BIAS.expand(*x.shape[:2], WIDTH) + x[..., :1].expand(-1, -1, WIDTH),
    "other dimensions": lambda x: (
        x + (x.narrow(2, 0, 2) * x.narrow(2, 2, 2)).select(2, 0)[..., None] * x[:, :, 1, None]
    ),
    "last rows": lambda x: x[:, -16:] + 1,
}
# Rows depend on rows behind them, on their number, or on their place.
TOGETHER = {
    "attention": lambda x: (
        F.scaled_dot_product_attention(heads(x), heads(x), heads(x)).transpose(1, 2).reshape(x.shape)
    ),
    "mean": lambda x: x - x.mean(1, keepdim=True),
    "softmax": lambda x: x.softmax(1),
    "sums": lambda x: x + x.flip(1).cumsum(1),
    "prepended": lambda x: torch.cat([x[:, -1:], x[:, 1:]], dim=1),
    "length": lambda x: x / x.shape[1],
    "last positions": lambda x: x + F.embedding(torch.arange(x.shape[1]).flip(0), TABLE),
    "window": lambda x: x + x[:, -2:].sum(1, keepdim=True),
    "swapped": lambda x: x @ (x.transpose(1, 2) @ x) / 9,
    "mask": lambda x: (x @ x.transpose(1, 2)).masked_fill(~MASK[: x.shape[1], : x.shape[1]], -9.0).softmax(-1) @ x,
    "reshaped": lambda x: x + x.reshape(x.shape[0], WIDTH, -1).transpose(1, 2).tanh(),
}


def loop_of(functions, dim=1):
    """Returns a program that appends the last row of what functions make of a sequence, several times."""

    def loop(x):
        for _ in range(STEPS):
            y = x
            for function in functions:
                y = function(y)
            x = torch.cat([x, y[:, -1:].tanh()], dim=dim)
        return [x]

    return loop


def compared(loop, x, others=()):
    """Compares a program with and without the rows of before; returns how many steps were computed for new rows."""
    trace = record(loop, [x])
    made = with_rows_reused(trace, [x])
    for seed in range(2):
        array = draw(*x.shape, seed=seed)._array
        (one,), (other,) = Program(made)(array), Program(trace)(array)
        assert (one.shape, one.strides) == (other.shape, other.strides)
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    growing = Growing(simplify(trace))
    record(growing.run, [x])
    return growing.reused, trace, made


@pytest.mark.parametrize("name", BY_ROWS)
@pytest.mark.parametrize("shape", [(1, 1, WIDTH), (2, 3, WIDTH)])
def test_rows_of_before_are_not_computed_again(name, shape):
    reused, before, after = compared(loop_of([BY_ROWS[name]]), draw(*shape))
    assert reused >= STEPS - 1
    assert elements(after) < elements(before)


@pytest.mark.parametrize("name", TOGETHER)
def test_rows_that_depend_on_later_ones_are_computed_again(name):
    compared(loop_of([TOGETHER[name]]), draw(2, 2, WIDTH))


NAMES = [("rows", name) for name in BY_ROWS] + [("together", name) for name in TOGETHER]


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), st.integers(1, 2), st.integers(1, 3))
def test_programs_of_several_functions_agree(names, batch, length):
    functions = [(BY_ROWS if kind == "rows" else TOGETHER)[name] for kind, name in names]
    compared(loop_of(functions), draw(batch, length, WIDTH))


def elements(trace):
    """Returns how many elements steps compute: those that make no views, and do not only join tensors."""
    computing = [step for step in trace.steps if not step.op.view and step.op.name != "joined"]
    numbers = [number for step in computing for number in step.results]
    return sum([int(np.prod(trace.metas[number].shape)) for number in numbers])


def test_programs_without_rows_of_before_stay_as_they_are():
    x = draw(2, 3)
    for function in (
        lambda x: [x * 2],
        lambda x: [torch.cat([x, x * 2]).tanh()],
        lambda x: [torch.cat([x, x]).add_(1)],
    ):
        trace = record(function, [x])
        assert with_rows_reused(trace, [x]) is trace


def test_a_compiled_loop_of_a_causal_model_computes_each_token_once():
    """A GPT that writes greedily, with a limit of tokens that it looks at."""
    torch.manual_seed(0)
    letters, positions, head = torch.nn.Embedding(11, 8), torch.nn.Embedding(16, 8), torch.nn.Linear(8, 11)
    inputs, norm = torch.nn.Linear(8, 24), torch.nn.LayerNorm(8)

    def model(ids):
        x = letters(ids) + positions(torch.arange(ids.shape[1]))
        query, key, value = [part.view(*ids.shape, 2, 4).transpose(1, 2) for part in inputs(norm(x)).split(8, dim=2)]
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return head(x + mixed.transpose(1, 2).reshape(x.shape))

    @torch.no_grad()
    def write(ids):
        for _ in range(9):
            scores = model(ids if ids.shape[1] <= 16 else ids[:, -16:])[:, -1, :]
            ids = torch.cat((ids, scores.argmax(dim=-1, keepdim=True)), dim=1)
        return ids

    compiled = torch.compile(write, fullgraph=True)
    for start in ([[3, 1]], [[5, 0]], [[10, 10]]):
        ids = torch.tensor(start)
        assert compiled(ids).tolist() == write(ids).tolist()
    reused, _, after = compared_ids(write, torch.tensor([[3, 1]]))
    assert reused > 100
    rows = [after.metas[step.results[0]].shape[0] for step in after.steps if step.op.name == "affine"]
    assert max(rows[2:]) == 1


def compared_ids(write, ids):
    trace = record(lambda ids: [write(ids)], [ids])
    growing = Growing(simplify(trace))
    record(growing.run, [ids])
    return growing.reused, trace, with_rows_reused(trace, [ids])

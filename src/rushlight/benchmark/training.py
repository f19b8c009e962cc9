"""Whole training steps, and text generation."""

from __future__ import annotations

import numpy as np

from rushlight.benchmark.case import Floor, case
from rushlight.benchmark.models import CONTEXT, LAYERS, LETTERS, WIDTH, cnn, gpt, mlp, tagger
from rushlight.benchmark.pointwise import backward_of, normal

WEIGHTS_OF_GPT = LAYERS * 12 * WIDTH * WIDTH + LETTERS * WIDTH
WEIGHTS_OF_MLP = 784 * 512 + 512 * 512 + 512 * 10
MULTIPLIED_IN_CNN = 1024 * 32 * 27 + 256 * 64 * 288 + 64 * 128 * 576


def whole_numbers(torch, end: int, *shape: int):
    """Returns integers below `end`, the same in both libraries."""
    return torch.tensor(np.random.default_rng(2).integers(0, end, shape))


def training_step(torch, model, make_optimizer, x, target):
    """Returns a step of training by cross-entropy; its result is the loss."""
    optimizer = make_optimizer(model.parameters())

    def step():
        optimizer.zero_grad()
        scores = model(x)
        loss = torch.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), target.reshape(-1))
        loss.backward()
        optimizer.step()
        return loss

    return step


@case(0.9, Floor(flops=6 * 128 * WEIGHTS_OF_MLP - 2 * 128 * 784 * 512))
def mlp_step(torch):
    """MLP 784-512-512-10, batch 128, a step of Adam."""
    torch.manual_seed(0)
    return training_step(torch, mlp(torch), torch.optim.Adam, normal(torch, 128, 784), whole_numbers(torch, 10, 128))


@case(0.9, Floor(flops=6 * 12 * CONTEXT * (WEIGHTS_OF_GPT + LAYERS * 2 * CONTEXT * WIDTH)), 1e-3)
def gpt_step(torch):
    """GPT of 4 layers (width 128, 4 heads, context 64, batch 12), a step of AdamW."""
    torch.manual_seed(0)
    ids = whole_numbers(torch, LETTERS, 12, CONTEXT + 1)
    return training_step(torch, gpt(torch), torch.optim.AdamW, ids[:, :-1], ids[:, 1:])


@case(0.9, Floor(bytes=4 * 64 * WEIGHTS_OF_GPT))
def gpt_generation(torch):
    """The same GPT writes 64 letters, batch 1, each from all before it."""
    torch.manual_seed(0)
    model = gpt(torch).eval()

    @torch.no_grad()
    def step():
        ids = torch.zeros((1, 1), dtype=torch.int64)
        for _ in range(CONTEXT):
            following = model(ids)[:, -1].argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, following], dim=1)
        return ids

    return step


@case(1.0, Floor(flops=6 * 32 * 50 * 4 * 128 * (64 + 128)), 1e-3)
def lstm_step(torch):
    """LSTM(64, 128), batch 32, 50 steps of time, a step of Adam."""
    torch.manual_seed(0)
    return training_step(
        torch, tagger(torch), torch.optim.Adam, normal(torch, 32, 50, 64), whole_numbers(torch, 10, 32)
    )


@case(1.0, Floor(flops=6 * 32 * 50 * 3 * 128 * (64 + 128)))
def gru(torch):
    """GRU(64, 128), batch 32, 50 steps of time, fwd+bwd."""
    torch.manual_seed(0)
    layer, x = torch.nn.GRU(64, 128), normal(torch, 50, 32, 64, requires_grad=True)
    return backward_of(lambda: layer(x)[0], normal(torch, 50, 32, 128), x, *layer.parameters())


@case(1.0, Floor(flops=6 * 64 * MULTIPLIED_IN_CNN - 2 * 64 * 1024 * 32 * 27), 1e-3)
def cnn_step(torch):
    """CNN of 3 x (conv, batch norm, ReLU, pool), 3-32-64-128, on 64 x 3 x 32 x 32, a step of SGD."""
    torch.manual_seed(0)

    def momentum(parameters):
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)

    return training_step(torch, cnn(torch), momentum, normal(torch, 64, 3, 32, 32), whole_numbers(torch, 10, 64))


CASES = [mlp_step, gpt_step, gpt_generation, lstm_step, gru, cnn_step]

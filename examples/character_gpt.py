"""A GPT that writes character by character, trained on the manual that ships with Python.

    python -m rushlight examples/character_gpt.py      # without PyTorch
    python examples/character_gpt.py                   # with it

It needs `tqdm`. The text is what `help()` shows about the language (`pydoc_data.topics`).
"""

import argparse
import math
from pathlib import Path
from pydoc_data.topics import topics

import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

CONTEXT = 64
BATCH_SIZE = 16
SIZE = 64
HEADS = 4
LAYERS = 2


def load_text():
    """The manual as numbers of characters, and the characters in the order of their numbers."""
    text = "\n".join(topics[name] for name in sorted(topics)).encode("ascii", "ignore").decode()
    alphabet = sorted(set(text))
    number_of = {character: number for number, character in enumerate(alphabet)}
    return torch.tensor([number_of[character] for character in text]), alphabet


class Attention(nn.Module):
    """Each character looks back at those before it, in several heads."""

    def __init__(self):
        super().__init__()
        self.queries_keys_values = nn.Linear(SIZE, 3 * SIZE)
        self.output = nn.Linear(SIZE, SIZE)

    def forward(self, x):
        batch, time, size = x.shape
        heads = self.queries_keys_values(x).reshape(batch, time, 3, HEADS, size // HEADS)
        queries, keys, values = heads.permute(2, 0, 3, 1, 4)  # (batch, head, time, size / heads) each
        seen = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.output(seen.transpose(1, 2).reshape(batch, time, size))


class Layer(nn.Module):
    """Attention, then a perceptron for each character; both add to what is there."""

    def __init__(self):
        super().__init__()
        self.attention = nn.Sequential(nn.LayerNorm(SIZE), Attention())
        self.perceptron = nn.Sequential(
            nn.LayerNorm(SIZE), nn.Linear(SIZE, 4 * SIZE), nn.GELU(approximate="tanh"), nn.Linear(4 * SIZE, SIZE)
        )

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.perceptron(x)


class GPT(nn.Module):
    """From characters, (batch, time), to scores of the character that follows each, (batch, time, alphabet)."""

    def __init__(self, alphabet_size):
        super().__init__()
        self.character = nn.Embedding(alphabet_size, SIZE)
        self.position = nn.Embedding(CONTEXT, SIZE)
        self.layers = nn.Sequential(*[Layer() for _ in range(LAYERS)])
        self.output = nn.Sequential(nn.LayerNorm(SIZE), nn.Linear(SIZE, alphabet_size))
        self.apply(self._small)

    @staticmethod
    def _small(module):
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.05)

    def forward(self, characters):
        positions = torch.arange(characters.shape[1])
        return self.output(self.layers(self.character(characters) + self.position(positions)))


def passages(text):
    """Random passages, and the characters that follow each of theirs; each is (batch, time)."""
    starts = torch.randint(len(text) - CONTEXT, (BATCH_SIZE, 1))
    windows = text[starts + torch.arange(CONTEXT + 1)]
    return windows[:, :-1], windows[:, 1:]


def loss_of(model, text):
    characters, following = passages(text)
    return F.cross_entropy(model(characters).flatten(0, 1), following.flatten())


def train(model, text, steps):
    """Learn from random passages, with a learning rate that warms up and then falls; the loss of every step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.004, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 20) * (0.55 + 0.45 * math.cos(math.pi * step / steps))
    )
    losses = []
    progress = tqdm(range(steps), desc="training", unit="step")
    for _ in progress:
        optimizer.zero_grad()
        loss = loss_of(model, text)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    return losses


@torch.no_grad()
def write(model, start, length):
    """`length` characters after those of `start`, each drawn by the model's scores."""
    characters = start[None]  # (1, time)
    for _ in tqdm(range(length), desc="writing", unit="character"):
        scores = model(characters[:, -CONTEXT:])[:, -1]
        drawn = torch.multinomial(F.softmax(scores / 0.7, dim=-1), 1)
        characters = torch.cat([characters, drawn], dim=1)
    return characters[0]


def main():
    parser = argparse.ArgumentParser(description="Train a small GPT on Python's manual, and let it write.")
    parser.add_argument("--quick", action="store_true", help="a fifteenth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    text, alphabet = load_text()
    train_text, test_text = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
    model = GPT(len(alphabet))
    losses = train(model, train_text, steps=100 if options.quick else 1500)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    with torch.no_grad():
        bits = torch.stack([loss_of(model, test_text) for _ in range(20)]).mean().item() / math.log(2)
    written = write(model, test_text[:CONTEXT], 100 if options.quick else 400)
    print("".join(alphabet[number] for number in written.tolist()))
    print(f"bits per character of unseen text: {bits:.2f}, where guessing costs {math.log2(len(alphabet)):.2f}")


if __name__ == "__main__":
    main()

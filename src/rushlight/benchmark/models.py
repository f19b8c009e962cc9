"""The models of the benchmark, written as for PyTorch; `torch` is the measured library."""

from __future__ import annotations

LETTERS, WIDTH, HEADS, LAYERS, CONTEXT = 65, 128, 4, 4, 64


def mlp(torch):
    """Returns three linear layers for images of 28 x 28."""
    nn = torch.nn
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def gpt(torch):
    """Returns a GPT of 4 layers in the style of nanoGPT, without dropout."""
    nn = torch.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.inputs = nn.Linear(WIDTH, 3 * WIDTH)
            self.outputs = nn.Linear(WIDTH, WIDTH)

        def forward(self, x):  # (batch, time, width)
            batch, time, _ = x.shape
            heads = [part.view(batch, time, HEADS, -1).transpose(1, 2) for part in self.inputs(x).split(WIDTH, dim=2)]
            mixed = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)  # (batch, heads, time, size)
            return self.outputs(mixed.transpose(1, 2).reshape(batch, time, WIDTH))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first_norm, self.attention = nn.LayerNorm(WIDTH), Attention()
            self.second_norm = nn.LayerNorm(WIDTH)
            self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x):
            x = x + self.attention(self.first_norm(x))
            return x + self.feed_forward(self.second_norm(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters, self.places = nn.Embedding(LETTERS, WIDTH), nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS, bias=False)

        def forward(self, ids):  # (batch, time)
            x = self.letters(ids) + self.places(torch.arange(ids.shape[1]))
            return self.head(self.norm(self.blocks(x)))  # (batch, time, letters)

    return GPT()


def tagger(torch):
    """Returns an LSTM of 64 to 128 and a linear layer over its last state."""
    nn = torch.nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(64, 128, batch_first=True), nn.Linear(128, 10)

        def forward(self, x):  # (batch, time, 64)
            return self.head(self.lstm(x)[0][:, -1])

    return Tagger()


def cnn(torch):
    """Returns three stages of convolution, batch norm, ReLU and pooling, 3-32-64-128, for images of 32 x 32."""
    nn = torch.nn

    def stage(before, after):
        return [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]

    return nn.Sequential(*stage(3, 32), *stage(32, 64), *stage(64, 128), nn.Flatten(), nn.Linear(128 * 16, 10))


def residual(torch):
    """Returns a residual block of 128 channels."""
    nn = torch.nn

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.first_norm = nn.Conv2d(128, 128, 3, padding=1, bias=False), nn.BatchNorm2d(128)
            self.second, self.second_norm = nn.Conv2d(128, 128, 3, padding=1, bias=False), nn.BatchNorm2d(128)

        def forward(self, x):  # (batch, 128, height, width)
            y = torch.relu(self.first_norm(self.first(x)))
            return torch.relu(x + self.second_norm(self.second(y)))

    return Residual()

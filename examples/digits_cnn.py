"""Recognise handwritten digits with a convolutional network: batch normalisation, and images bent anew every time.

    python -m rushlight examples/digits_cnn.py      # without PyTorch
    python examples/digits_cnn.py                   # with it

It needs `scikit-learn` and `tqdm`. Each image is turned, scaled and shifted a little before the network sees it, so
that it never sees the same one twice.
"""

import argparse
import math
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

BATCH_SIZE = 64
TEST_SIZE = 360


def load_data():
    """Images of pixels from 0 to 1, and digits, of the training and of the test set, in random order."""
    data = load_digits()
    images = torch.from_numpy(data.images).float().unsqueeze(1) / 16  # (1797, 1, 8, 8)
    digits = torch.from_numpy(data.target).long()  # (1797,)
    order = torch.randperm(len(images))
    test, train = order[:TEST_SIZE], order[TEST_SIZE:]
    return images[train], digits[train], images[test], digits[test]


def augment(images):
    """Each image turned by up to 12 degrees, scaled by up to a tenth, shifted by up to three quarters of a pixel."""
    count = len(images)
    angle = torch.empty(count).uniform_(-math.pi / 15, math.pi / 15)
    scale = torch.empty(count).uniform_(0.9, 1.1)
    shift = torch.empty(count, 2, 1).uniform_(-0.1875, 0.1875)
    cos, sin = scale * angle.cos(), scale * angle.sin()
    turn = torch.stack([cos, -sin, sin, cos], dim=1).reshape(count, 2, 2)
    grid = F.affine_grid(torch.cat([turn, shift], dim=2), images.shape, align_corners=False)  # (batch, 8, 8, 2)
    return F.grid_sample(images, grid, align_corners=False)


class Block(nn.Module):
    """Convolution, batch normalisation (which makes a bias of the convolution useless) and a smooth rectifier."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False)
        self.normalisation = nn.BatchNorm2d(outputs)

    def forward(self, images):
        return F.silu(self.normalisation(self.convolution(images)))


def make_model():
    return nn.Sequential(
        Block(1, 16),
        nn.MaxPool2d(2),  # (batch, 16, 4, 4)
        Block(16, 32),
        nn.AvgPool2d(2),  # (batch, 32, 2, 2)
        nn.Flatten(),
        nn.Linear(128, 10),
    )


def train(model, images, digits, epochs):
    """Go through the images `epochs` times with a learning rate that rises and falls; the loss of every step."""
    steps = epochs * math.ceil(len(images) / BATCH_SIZE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=steps)
    losses = []
    model.train()
    with tqdm(total=steps, desc="training", unit="step") as progress:
        for _ in range(epochs):
            for batch in torch.randperm(len(images)).split(BATCH_SIZE):
                optimizer.zero_grad()
                loss = F.cross_entropy(model(augment(images[batch])), digits[batch])
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
                progress.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
                progress.update()
    return losses


def accuracy(model, images, digits):
    """The share of the images that the model takes for what they are."""
    model.eval()
    with torch.no_grad():
        guesses = model(images).argmax(dim=1)
    return (guesses == digits).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description="Train a convolutional network on handwritten digits.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    images, digits, test_images, test_digits = load_data()
    model = make_model()
    losses = train(model, images, digits, epochs=6 if options.quick else 30)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    print(f"test accuracy: {100 * accuracy(model, test_images, test_digits):.2f} %")


if __name__ == "__main__":
    main()

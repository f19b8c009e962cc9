"""Learn to draw handwritten digits with a variational autoencoder.

    python -m rushlight examples/digits_vae.py      # without PyTorch
    python examples/digits_vae.py                   # with it

It needs `scikit-learn` and `tqdm`. Kingma and Welling, "Auto-Encoding Variational Bayes" (2013): an encoder describes
an image by the mean and the spread of a few hidden numbers, a decoder draws it from one sample of them.
"""

import argparse
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

BATCH_SIZE = 64
TEST_SIZE = 360
PIXELS = 64
HIDDEN = 128
CODE = 8


def load_data():
    """Pixels from 0 to 1 of the training and of the test images, in random order."""
    images = torch.from_numpy(load_digits().data).float() / 16  # (1797, 64)
    order = torch.randperm(len(images))
    return images[order[TEST_SIZE:]], images[order[:TEST_SIZE]]


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(PIXELS, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, 2 * CODE))
        self.decoder = nn.Sequential(nn.Linear(CODE, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, PIXELS))

    def forward(self, images):
        """The scores of the redrawn pixels, and mean and logarithm of the variance of the code."""
        mean, log_variance = self.encoder(images).chunk(2, dim=-1)  # (batch, CODE) each
        code = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        return self.decoder(code), mean, log_variance

    def draw(self, count):
        return torch.sigmoid(self.decoder(torch.randn(count, CODE)))


def loss_of(model, images):
    """The negative evidence lower bound per image, in nats: what redrawing costs, and what the code costs."""
    scores, mean, log_variance = model(images)
    redrawing = F.binary_cross_entropy_with_logits(scores, images, reduction="sum")
    divergence = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum()  # from the standard normal distribution
    return (redrawing + divergence) / len(images)


def train(model, images, epochs):
    """Go through the images `epochs` times, in a new order each time; the loss of every step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    losses = []
    progress = tqdm(range(epochs), desc="training", unit="epoch")
    for _ in progress:
        for batch in torch.randperm(len(images)).split(BATCH_SIZE):
            optimizer.zero_grad()
            loss = loss_of(model, images[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.4f}")
    return losses


def show(images):
    """The images side by side, in characters that get darker."""
    for row in (images.reshape(-1, 8, 8) * 4.999).long().transpose(0, 1).tolist():
        print("  ".join("".join(2 * " .+#@"[pixel] for pixel in image) for image in row))


def main():
    parser = argparse.ArgumentParser(description="Train a variational autoencoder on handwritten digits.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    images, test_images = load_data()
    model = VAE()
    losses = train(model, images, epochs=20 if options.quick else 100)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    with torch.no_grad():
        show(model.draw(6))
        bound = loss_of(model, test_images).item()
    average = F.binary_cross_entropy(images.mean(dim=0).expand_as(test_images), test_images, reduction="sum").item()
    print(f"nats per unseen image: {bound:.2f}, where the average image costs {average / len(test_images):.2f}")


if __name__ == "__main__":
    main()

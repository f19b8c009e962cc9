"""Learn to draw handwritten digits by a contest: a painter that deceives, and a critic that finds out.

    python -m rushlight examples/digits_gan.py      # without PyTorch
    python examples/digits_gan.py                   # with it

It needs `scikit-learn` and `tqdm`. Goodfellow and others, "Generative Adversarial Nets" (2014), with the loss for the
painter that does not saturate.
"""

import argparse
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

BATCH_SIZE = 64
PIXELS = 64
CODE = 16


def load_data():
    """Pixels from -1 to 1, and digits."""
    data = load_digits()
    return torch.from_numpy(data.data).float() / 8 - 1, torch.from_numpy(data.target).long()


def make_painter():
    return nn.Sequential(
        nn.Linear(CODE, 128, bias=False),
        nn.BatchNorm1d(128),
        nn.ReLU(),
        nn.Linear(128, 128, bias=False),
        nn.BatchNorm1d(128),
        nn.ReLU(),
        nn.Linear(128, PIXELS),
        nn.Tanh(),
    )


def make_critic():
    return nn.Sequential(
        nn.Linear(PIXELS, 128),
        nn.LeakyReLU(0.2),
        nn.Dropout(0.3),
        nn.Linear(128, 128),
        nn.LeakyReLU(0.2),
        nn.Dropout(0.3),
        nn.Linear(128, 1),
    )


def belief(critic, images, real):
    """What the critic pays for its scores when the images are real, or are not."""
    scores = critic(images)
    return F.binary_cross_entropy_with_logits(scores, torch.full_like(scores, float(real)))


def follow(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def train(painter, critic, images, epochs):
    """Critic and painter in turns; the loss of the critic and then that of the painter, for every step."""
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=0.0005, betas=(0.5, 0.999))
    painter_optimizer = torch.optim.Adam(painter.parameters(), lr=0.001, betas=(0.5, 0.999))
    losses = []
    progress = tqdm(range(epochs), desc="training", unit="epoch")
    for _ in progress:
        for batch in torch.randperm(len(images)).split(BATCH_SIZE):
            painted = painter(torch.randn(len(batch), CODE))
            doubt = belief(critic, images[batch], real=True) + belief(critic, painted.detach(), real=False)
            losses.append(follow(critic_optimizer, doubt))
            losses.append(follow(painter_optimizer, belief(critic, painted, real=True)))
        progress.set_postfix(critic=f"{losses[-2]:.3f}", painter=f"{losses[-1]:.3f}")
    return losses


def show(images):
    """The images side by side, in characters that get darker."""
    for row in ((images.reshape(-1, 8, 8) + 1) * 2.499).long().transpose(0, 1).tolist():
        print("  ".join("".join(2 * " .+#@"[pixel] for pixel in image) for image in row))


def main():
    parser = argparse.ArgumentParser(description="Train a generative adversarial network on handwritten digits.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the losses of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    images, digits = load_data()
    painter, critic = make_painter(), make_critic()
    losses = train(painter, critic, images, epochs=15 if options.quick else 150)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    painter.eval()
    with torch.no_grad():
        painted = painter(torch.randn(500, CODE))
    show(painted[:6])
    distances, nearest = torch.cdist(painted, images).min(dim=1)
    noise = torch.cdist(images[torch.randperm(len(images))[:500]] + torch.randn(500, PIXELS), images).min(dim=1).values
    print(f"different digits among 500 paintings: {len(digits[nearest].unique())}")
    print(f"distance to the nearest real image: {distances.mean():.2f}, of noisy images {noise.mean():.2f}")


if __name__ == "__main__":
    main()

"""Teach a network new digits with few examples: load a network that PyTorch trained, freeze it, train a new last layer.

    python -m rushlight examples/transfer_digits.py      # without PyTorch
    python examples/transfer_digits.py                   # with it

It needs `scikit-learn` and `tqdm`. The checkpoint next to it, `digits_0_to_4.pt`, was written by PyTorch, with
`--pretrain`: a network that distinguishes the digits 0 to 4. Here it learns 5 to 9 from forty images each.
"""

import argparse
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

CHECKPOINT = Path(__file__).with_name("digits_0_to_4.pt")
BATCH_SIZE = 50
FEW = 200


def load_data(lowest):
    """Images of pixels from 0 to 1, in random order, of five digits from `lowest` on, which are counted from 0."""
    data = load_digits()
    images = torch.from_numpy(data.images).float().unsqueeze(1) / 16  # (1797, 1, 8, 8)
    digits = torch.from_numpy(data.target).long() - lowest  # (1797,)
    chosen = ((digits >= 0) & (digits < 5)).nonzero().flatten()
    order = chosen[torch.randperm(len(chosen))]
    return images[order], digits[order]


def make_model():
    features = nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.SiLU(),
        nn.MaxPool2d(2),  # (batch, 16, 4, 4)
        nn.Conv2d(16, 32, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.SiLU(),
        nn.AvgPool2d(2),  # (batch, 32, 2, 2)
        nn.Flatten(),
    )
    return nn.Sequential(features, nn.Linear(128, 5))


def train(model, images, digits, epochs, lr):
    """Go through the images `epochs` times and change what requires grad; the loss of every step."""
    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=lr)
    losses = []
    with tqdm(total=epochs * -(-len(images) // BATCH_SIZE), desc="training", unit="step") as progress:
        for _ in range(epochs):
            for batch in torch.randperm(len(images)).split(BATCH_SIZE):
                optimizer.zero_grad()
                loss = F.cross_entropy(model(images[batch]), digits[batch])
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                progress.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
                progress.update()
    return losses


def pretrain():
    """Learn the digits 0 to 4, and write down what was learned."""
    images, digits = load_data(0)
    model = make_model()
    train(model, images, digits, epochs=10, lr=0.01)
    torch.save({"features": model[0].state_dict()}, CHECKPOINT)


def fine_tune(images, digits, epochs):
    """A network with the features of the checkpoint, which stay as they are, and a new end; and the losses."""
    model = make_model()
    features = model[0]
    features.load_state_dict(torch.load(CHECKPOINT)["features"])
    features.requires_grad_(False)
    features.eval()  # the statistics of the normalisations stay, too
    return model, train(model, images, digits, epochs, lr=0.02)


def accuracy(model, images, digits):
    """The share of the images that the model takes for what they are."""
    model.eval()
    with torch.no_grad():
        guesses = model(images).argmax(dim=1)
    return (guesses == digits).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description="Teach a network that knows some digits the others.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    parser.add_argument("--pretrain", action="store_true", help="write the checkpoint instead")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    if options.pretrain:
        pretrain()
        return
    images, digits = load_data(5)
    model, losses = fine_tune(images[:FEW], digits[:FEW], epochs=20 if options.quick else 100)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    rest, answers = images[FEW:], digits[FEW:]
    commonest = answers.bincount().max().item() / len(answers)
    print(f"always the same digit: {100 * commonest:.2f} %")
    print(f"test accuracy: {100 * accuracy(model, rest, answers):.2f} %")


if __name__ == "__main__":
    main()

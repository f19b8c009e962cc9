"""Recognise handwritten digits: a small network trained on the 1,797 scans that ship with scikit-learn.

    python -m rushlight examples/digits.py      # without PyTorch
    python examples/digits.py                   # with it

It needs `scikit-learn` and `tqdm`. The same seed gives the same accuracy under both, within a point.
"""

import argparse

import torch
from sklearn.datasets import load_digits
from torch import nn
from tqdm import tqdm

BATCH_SIZE = 64
TEST_SIZE = 360


def load_data():
    """Pixels from 0 to 1, and digits, of the training and of the test images, in random order."""
    data = load_digits()
    images = torch.from_numpy(data.data).float() / 16  # (1797, 64)
    digits = torch.from_numpy(data.target).long()  # (1797,)
    order = torch.randperm(len(images))
    test, train = order[:TEST_SIZE], order[TEST_SIZE:]
    return images[train], digits[train], images[test], digits[test]


def make_model():
    return nn.Sequential(
        nn.Linear(64, 128),
        nn.BatchNorm1d(128),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(128, 64),
        nn.BatchNorm1d(64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def train(model, images, digits, epochs):
    """Go through the images `epochs` times, in a new order each time, and follow the loss downhill."""
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=0.01)
    model.train()
    progress = tqdm(range(epochs), desc="training", unit="epoch")
    for _ in progress:
        total = 0.0
        for batch in torch.randperm(len(images)).split(BATCH_SIZE):
            optimizer.zero_grad()
            loss = loss_of(model(images[batch]), digits[batch])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        progress.set_postfix(loss=f"{total / len(images):.4f}")


def accuracy(model, images, digits):
    """The share of the images that the model takes for what they are."""
    model.eval()
    with torch.no_grad():
        guesses = model(images).argmax(dim=1)
    return (guesses == digits).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description="Train a small network on handwritten digits.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    images, digits, test_images, test_digits = load_data()
    model = make_model()
    train(model, images, digits, epochs=5 if options.quick else 25)
    print(f"test accuracy: {100 * accuracy(model, test_images, test_digits):.2f} %")


if __name__ == "__main__":
    main()

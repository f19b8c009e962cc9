"""Recognise handwritten digits with several processes: each computes its share of every batch, and all have one model.

    python -m rushlight torchrun --nproc-per-node 2 examples/digits_distributed.py     # without PyTorch
    torchrun --nproc-per-node 2 examples/digits_distributed.py                         # with it
    python -m rushlight examples/digits_distributed.py                                 # one process

It needs `scikit-learn` and `tqdm`. The losses do not depend on the number of processes, but for rounding: the average
of the processes' gradients is the gradient of the whole batch. With `--checkpoint FILE` the state is written after each
epoch, and a run that was cut off goes on from there.
"""

import argparse
import os

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm

BATCH_SIZE = 64  # of all processes together
TEST_SIZE = 360


def load_data():
    """Pixels from 0 to 1, and digits, of the training and of the test images, in an order that all processes share."""
    data = load_digits()
    images = torch.from_numpy(data.data).float() / 16  # (1797, 64)
    digits = torch.from_numpy(data.target).long()  # (1797,)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(1))
    test, train = order[:TEST_SIZE], order[TEST_SIZE : TEST_SIZE + 22 * BATCH_SIZE]
    return TensorDataset(images[train], digits[train]), TensorDataset(images[test], digits[test])


def make_model():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))


def resume(path, model, optimizer):
    """Takes up the state of a run that was cut off; returns how many epochs it had made."""
    if not path or not os.path.exists(path):
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epochs"]


def save(path, model, optimizer, epochs, rank):
    """Rank 0 writes the checkpoint, and the others wait for it."""
    if path and rank == 0:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epochs}
        torch.save(state, path + ".new")
        os.replace(path + ".new", path)
    if path and dist.is_initialized():
        dist.barrier()


def mean_over_processes(value, processes):
    """The average of what the processes have."""
    total = torch.tensor(value, dtype=torch.float64)
    if processes > 1:
        dist.all_reduce(total)
    return total.item() / processes


def train(model, optimizer, data, options, rank, processes):
    """Go through the images, each process through its share, and return the loss of every step."""
    sampler = DistributedSampler(data, processes, rank, seed=options.seed)
    loader = DataLoader(data, batch_size=BATCH_SIZE // processes, sampler=sampler)
    loss_of = nn.CrossEntropyLoss()
    losses = []
    begin, epochs = resume(options.checkpoint, model, optimizer), 5 if options.quick else 25
    for epoch in tqdm(range(begin, epochs), desc="training", unit="epoch", disable=rank != 0):
        sampler.set_epoch(epoch)
        for images, digits in loader:
            optimizer.zero_grad()
            loss = loss_of(model(images), digits)
            loss.backward()
            optimizer.step()
            losses.append(mean_over_processes(loss.item(), processes))
        save(options.checkpoint, model, optimizer, epoch + 1, rank)
    return losses


def accuracy(model, data):
    """The share of the images that the model takes for what they are."""
    images, digits = data.tensors
    with torch.no_grad():
        guesses = model(images).argmax(dim=1)
    return (guesses == digits).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description="Train a network on handwritten digits with several processes.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", metavar="FILE", help="write the loss of every step there, one per line")
    parser.add_argument(
        "--checkpoint", metavar="FILE", help="write the state there after each epoch, and go on from it"
    )
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    if "WORLD_SIZE" in os.environ:
        dist.init_process_group("gloo")
    rank, processes = (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)
    data, test_data = load_data()
    model = make_model()
    if processes > 1:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=0.01)
    losses = train(model, optimizer, data, options, rank, processes)
    if rank == 0:
        if options.losses:
            with open(options.losses, "w") as file:
                file.writelines(f"{loss:.7f}\n" for loss in losses)
        print(f"processes: {processes}")
        print(f"test accuracy: {100 * accuracy(model, test_data):.2f} %")
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""Train the GPT of `character_gpt.py` with several processes, in the style of scripts that pretrain language models.

    python -m rushlight torchrun --nproc-per-node 2 examples/character_gpt_distributed.py     # without PyTorch
    torchrun --nproc-per-node 2 examples/character_gpt_distributed.py                         # with it
    python -m rushlight examples/character_gpt_distributed.py                                 # one process

A step accumulates the gradients of several batches, which the processes share out; only the last batch of each process
reduces. So the losses do not depend on the number of processes, but for rounding. The first process writes checkpoints
to `--out DIR`, and `--resume` goes on from there.
"""

import argparse
import contextlib
import math
import os
from pathlib import Path

import torch
import torch.distributed as dist
from character_gpt import CONTEXT, GPT, load_text
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

BATCHES = 4  # of one step, of all processes together
BATCH_SIZE = 8
RATE, LEAST_RATE, WARM_UP = 4e-3, 4e-4, 10


def passages(text, number):
    """The passages of batch `number` and the characters that follow each of theirs; every process draws the same."""
    generator = torch.Generator().manual_seed(1000 + number)
    starts = torch.randint(len(text) - CONTEXT, (BATCH_SIZE, 1), generator=generator)
    windows = text[starts + torch.arange(CONTEXT + 1)]
    return windows[:, :-1], windows[:, 1:]


def rate_of(step, steps):
    """The learning rate: it warms up, then falls along a cosine."""
    if step < WARM_UP:
        return RATE * (step + 1) / WARM_UP
    done = min((step - WARM_UP) / max(steps - WARM_UP, 1), 1)
    return LEAST_RATE + (RATE - LEAST_RATE) * (1 + math.cos(math.pi * done)) / 2


def make_optimizer(model):
    """AdamW; weights of matrices decay, biases and norms do not."""
    parameters = [each for each in model.parameters() if each.requires_grad]
    groups = [
        {"params": [each for each in parameters if each.ndim >= 2], "weight_decay": 0.1},
        {"params": [each for each in parameters if each.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.95))


def loss_of(model, characters, following):
    return F.cross_entropy(model(characters).flatten(0, 1), following.flatten())


@torch.no_grad()
def estimate(model, text, batches=8):
    """The mean loss over some passages."""
    model.eval()
    losses = [loss_of(model, *passages(text, -1 - number)) for number in range(batches)]
    model.train()
    return torch.stack(losses).mean().item()


def train_step(model, optimizer, text, step, precision, rank, processes):
    """One step of the optimizer; returns the mean loss of all processes."""
    share, total = BATCHES // processes, torch.zeros(())
    for micro in range(share):
        if processes > 1:
            model.require_backward_grad_sync = micro == share - 1
        with precision:
            loss = loss_of(model, *passages(text, step * BATCHES + rank * share + micro)) / share
        loss.backward()
        total += loss.detach().float()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if processes > 1:
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
    return total.item()


def save(folder, model, optimizer, step):
    """Writes a checkpoint, which replaces the one before once it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, folder / "checkpoint.new")
    os.replace(folder / "checkpoint.new", folder / "checkpoint.pt")


def main():
    parser = argparse.ArgumentParser(description="Train a small GPT on Python's manual with several processes.")
    parser.add_argument("--quick", action="store_true", help="a sixth of the training, for a first look")
    parser.add_argument("--steps", type=int, default=300, help="of the optimizer (default: %(default)s)")
    parser.add_argument("--stop", type=int, help="stop after so many steps, as if the run were cut off")
    parser.add_argument("--bfloat16", action="store_true", help="compute forward passes in bfloat16")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write checkpoints there")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in DIR")
    parser.add_argument("--losses", type=Path, metavar="FILE", help="write the loss of every step there, one per line")
    options = parser.parse_args()

    steps = options.steps // 6 if options.quick else options.steps
    several = int(os.environ.get("RANK", "-1")) != -1
    if several:
        dist.init_process_group("gloo")
    rank, processes = (dist.get_rank(), dist.get_world_size()) if several else (0, 1)
    if BATCHES % processes:
        raise SystemExit(f"{BATCHES} batches cannot be shared out to {processes} processes")
    torch.manual_seed(1337)
    text, alphabet = load_text()
    train_text, test_text = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
    network, begin = GPT(len(alphabet)), 0
    optimizer = make_optimizer(network)
    if options.resume:
        state = torch.load(options.out / "checkpoint.pt", map_location="cpu", weights_only=True)
        network.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        begin = state["step"]
    model = DistributedDataParallel(network) if processes > 1 else network
    precision = torch.autocast("cpu", torch.bfloat16) if options.bfloat16 else contextlib.nullcontext()
    losses = []
    for step in range(begin, min(steps, options.stop or steps)):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step, steps)
        losses.append(train_step(model, optimizer, train_text, step, precision, rank, processes))
        if rank == 0 and step % 50 == 0:
            print(f"step {step}: loss {losses[-1]:.4f}", flush=True)
    if rank == 0:
        if options.out:
            save(options.out, network, optimizer, step + 1)
        if options.losses:
            options.losses.write_text("\n".join(f"{loss:.7f}" for loss in losses))
        bits = estimate(network, test_text) / math.log(2)
        print(f"processes: {processes}, bits per character of unseen text: {bits:.2f}")
    if several:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

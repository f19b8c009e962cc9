"""GPT-2 of 124 million random weights by transformers: time and peak memory on rushlight and on PyTorch.

    python benchmarks/gpt2_124m.py RUSHLIGHT TORCH [--turns 3] [--only forward,step,generate]

The two arguments are the Pythons of two environments with the same transformers: one with rushlight and without
PyTorch (`python -m rushlight provide-torch`), one with PyTorch. Each task runs in a process of its own, on one thread,
and the two sides take turns. Reported are the best times of a task in all its processes: by the clock; of the
processor, which other programs on the machine disturb less; of the processor in the first call. The peak is that of the
memory that the process held (`ru_maxrss`), with what importing and making the model take.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time

TASKS = ("forward", "step", "generate")
REPEATS = {"forward": 4, "step": 3, "generate": 1}


def measure(task: str) -> dict:
    """Runs in either environment."""
    import torch  # noqa: PLC0415 - of the environment that runs this
    from transformers import GPT2Config, GPT2LMHeadModel, logging  # noqa: PLC0415

    logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config())
    model.eval()
    tokens = torch.randint(0, 50257, (1, 128))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5) if task == "step" else None

    def forward():
        with torch.no_grad():
            return model(tokens).logits.double().mean().item()

    def step():
        optimizer.zero_grad()
        loss = model(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        return loss.item()

    def generate():
        made = model.generate(tokens[:, :16], max_new_tokens=64, min_new_tokens=64, do_sample=False, pad_token_id=0)
        return int(made.sum())

    run = {"forward": forward, "step": step, "generate": generate}[task]
    seconds, processor, results = [], [], []
    for _ in range(REPEATS[task] + 1):  # of which the first warms up
        began, busy = time.perf_counter(), time.process_time()
        results.append(run())
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - busy)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = {"clock": min(seconds[1:]), "processor": min(processor[1:]), "first": processor[0]}
    return {**times, "peak": peak, "results": results}


def run(python: str, task: str, with_rushlight: bool) -> dict:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "GPT2_TASK": task}
    command = [python, *(["-m", "rushlight"] if with_rushlight else []), __file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rushlight")
    parser.add_argument("torch")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default=",".join(TASKS))
    options = parser.parse_args()
    for task in options.only.split(","):
        turns = [
            (run(options.rushlight, task, True), run(options.torch, task, False))  # fmt: skip
            for _ in range(options.turns)
        ]
        ours, theirs = zip(*turns, strict=True)
        report(task, ours, theirs)


def report(task: str, ours: tuple, theirs: tuple) -> None:
    for name, unit in (("clock", "s"), ("processor", "s"), ("first", "s"), ("peak", "MiB")):
        one, other = (min(each[name] for each in side) for side in (ours, theirs))
        print(
            f"{task:9} {name:9} {one:9.3f} {unit:4} PyTorch {other:9.3f} {unit:4} ratio {one / other:5.2f}", flush=True
        )
    print(f"{task:9} results   {ours[0]['results'][-1]!r}, PyTorch {theirs[0]['results'][-1]!r}", flush=True)


if __name__ == "__main__":
    if task := os.environ.get("GPT2_TASK"):
        print(json.dumps(measure(task)))
    else:
        main()

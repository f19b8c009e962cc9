"""`torch.distributed` against PyTorch's gloo: all_reduce and steps of DistributedDataParallel, two processes, in turns.

    python benchmarks/distributed_in_turns.py            # needs the extra `distributed`, and torch
    python benchmarks/distributed_in_turns.py --check    # exit status 1 if a ratio is over its bound

The processes of both libraries are there all the time, and wait for their turn. Of the turns, the best one counts for
all_reduce and the median for steps: a small message takes less time than the scheduler of a busy machine.
"""

import argparse
import importlib
import json
import os
import socket
import subprocess
import sys
import time

LIBRARIES = ("rushlight", "torch")
BYTES = {4: 0.3, 1 << 10: 0.3, 16 << 10: 0.3, 256 << 10: 0.3, 1 << 20: 0.3, 16 << 20: 0.7, 64 << 20: 0.95}
STEPS = {(64, 64, 10): 0.7, (64, 128, 64, 10): 0.7, (784, 512, 10): 0.7}
BATCH, CALLS = 32, 30
LARGE = 4 << 20  # bytes, of which a turn has few calls


def median(values):
    return sorted(values)[len(values) // 2]


# ---- one process


def rank_of(library, rank, port):
    """Does what the lines of its input say, and prints seconds."""
    torch = importlib.import_module(library)
    dist = importlib.import_module(f"{library}.distributed")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    models = {}
    print("ready", flush=True)
    for line in sys.stdin:
        kind, argument = json.loads(line)
        if kind == "all_reduce":
            times = reductions(torch, dist, argument)
        else:
            times = steps(torch, models, tuple(argument))
        print(json.dumps(times), flush=True)
    dist.destroy_process_group()


def reductions(torch, dist, size):
    x = torch.zeros(size // 4)
    dist.all_reduce(x)
    return [seconds(lambda: dist.all_reduce(x)) for _ in range(3 if size > LARGE else CALLS)]


def steps(torch, models, widths):
    nn = torch.nn
    if widths not in models:
        torch.manual_seed(0)
        layers = [part for sizes in zip(widths, widths[1:], strict=False) for part in (nn.Linear(*sizes), nn.ReLU())]
        model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers[:-1]))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        models[widths] = model, optimizer, torch.randn(BATCH, widths[0]), torch.randint(0, 10, (BATCH,))
    model, optimizer, x, target = models[widths]

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return [seconds(step) for _ in range(CALLS)]


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


# ---- both libraries


def pair(library):
    """Starts the two processes of a library."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--rank", library, str(rank), str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env,
        )
        for rank in range(2)
    ]  # fmt: skip
    for process in processes:
        process.stdout.readline()
    return processes


def turn(processes, kind, argument):
    """The seconds of each call: those of the slower process."""
    for process in processes:
        process.stdin.write(json.dumps((kind, argument)) + "\n")
        process.stdin.flush()
    return [max(both) for both in zip(*[json.loads(process.stdout.readline()) for process in processes], strict=True)]


def compared(pairs, kind, argument, turns, of):
    """The time of each library: `of` its turns."""
    times = {library: [] for library in LIBRARIES}
    for _ in range(turns):
        for library, processes in pairs.items():
            times[library].append(of(turn(processes, kind, argument)))
    return {library: of(each) for library, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=20, help="of each row (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="exit status 1 if a ratio is over its bound")
    parser.add_argument("--rank", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank:
        library, rank, port = options.rank
        rank_of(library, int(rank), int(port))
        return 0
    pairs = {library: pair(library) for library in LIBRARIES}
    print(f"load {os.getloadavg()[0]:.1f}; milliseconds of rushlight and of PyTorch with gloo, their ratio, its bound")
    over = 0
    for kind, rows, of in (("all_reduce", BYTES, min), ("step", STEPS, median)):
        for argument, bound in rows.items():
            ours, theirs = (1e3 * each for each in compared(pairs, kind, argument, options.turns, of).values())
            words = f"{argument} bytes" if kind == "all_reduce" else "-".join(map(str, argument))
            print(f"{kind:10} {words:>15} {ours:9.3f} {theirs:9.3f}  {ours / theirs:5.2f}  {bound}", flush=True)
            over += ours > bound * theirs
    for processes in pairs.values():
        for process in processes:
            process.stdin.close()
            process.wait()
    return int(options.check and over > 0)


if __name__ == "__main__":
    sys.exit(main())

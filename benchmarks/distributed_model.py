"""The time of an all_reduce by a model of two numbers: against what ranks take on this machine, and for 1,000 ranks.

    python benchmarks/distributed_model.py                   # needs the extra `distributed`
    python benchmarks/distributed_model.py --network         # the ranks use TCP instead of shared memory

A message takes `a + bytes / b`. An all_reduce of n ranks has log2(n) messages of the whole if it is short, else
2 log2(n) messages of 2 (n - 1) / n of it together. `a` and `b` are those with which the model gives the times of two
ranks. If there are more ranks than cores, they compute in turns: the model's time is multiplied by ranks / cores.
"""

import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import time

SHORT = 2048  # bytes up to which MPICH sends the whole
SIZES = (4, 1 << 10, 64 << 10, 1 << 20, 16 << 20)  # the first gives `a`, the last `b`
NETWORKS = {  # seconds for a message, bytes per second in each direction
    "10 Gb/s Ethernet, TCP": (30e-6, 1.1e9),
    "100 Gb/s, RDMA": (3e-6, 11e9),
    "400 Gb/s, RDMA": (3e-6, 44e9),
}
BUCKET = 25 << 20  # bytes of a bucket of DistributedDataParallel
REPEATS = 30
BY_TCP = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}


def predicted(ranks, size, a, b):
    """The seconds of an all_reduce by the model, with a core for each rank."""
    steps = math.log2(ranks)
    if size <= SHORT:
        return steps * (a + size / b)
    return 2 * steps * a + 2 * (ranks - 1) / ranks * size / b


def ring(ranks, size, a, b):
    """The seconds of an all_reduce in a ring."""
    return 2 * (ranks - 1) * a + 2 * (ranks - 1) / ranks * size / b


def fitted(times):
    """The numbers `a` and `b` by the times of two ranks, which are by size."""
    short, long = SIZES[0], SIZES[-1]
    a = times[short]
    return a, long / (times[long] - 2 * a)


# ---- what ranks take


def rank():
    """Measures in one rank; rank 0 prints the seconds by size: the best repeat, in which the slowest rank counts."""
    import rushlight as torch
    from rushlight import distributed as dist

    dist.init_process_group()
    best = {}
    for size in SIZES:
        x, times = torch.zeros(size // 4), torch.zeros(REPEATS, dtype=torch.float64)
        for k in range(REPEATS):
            dist.barrier()
            start = time.perf_counter()
            dist.all_reduce(x)
            times[k] = time.perf_counter() - start
        dist.all_reduce(times, op=dist.ReduceOp.MAX)
        best[size] = times.min().item()
    if dist.get_rank() == 0:
        print(json.dumps(best))
    dist.destroy_process_group()


def measured(ranks, network):
    """The seconds by size that so many ranks take here."""
    command = [sys.executable, "-m", "rushlight", "torchrun", f"--nproc-per-node={ranks}", __file__, "--rank"]
    env = {**os.environ, "OMP_NUM_THREADS": "1", **(BY_TCP if network else {})}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(done.stderr)
    return {int(size): seconds for size, seconds in json.loads(done.stdout).items()}


# ---- the tables


def check(counts, network):
    """Prints measured times next to the model's."""
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    first = measured(2, network)
    a, b = fitted(first)
    means = "TCP" if network else "shared memory"
    print(f"{datetime.date.today()}, {cores} cores, load {load:.1f} before the start, {means}")
    print(f"a = {1e6 * a:.1f} us, b = {b / 1e9:.2f} GB/s by two ranks")
    print(f"{'ranks':>5} {'bytes':>10} {'measured':>12} {'model':>12} {'ratio':>6}")
    for count in counts:
        times = first if count == 2 else measured(count, network)
        for size, seconds in times.items():
            model = predicted(count, size, a, b) * max(1, count / cores)
            print(
                f"{count:5} {size:10,} {1e3 * seconds:9.3f} ms {1e3 * model:9.3f} ms {seconds / model:6.2f}", flush=True
            )


def on_paper():
    """Prints the model's time of a bucket on networks, with one rank on each machine."""
    print(f"\n{BUCKET >> 20} MB, one rank on each machine, milliseconds: by halves, in a ring")
    for name, (a, b) in NETWORKS.items():
        cells = [
            f"{count:5} ranks {1e3 * predicted(count, BUCKET, a, b):6.1f} {1e3 * ring(count, BUCKET, a, b):6.1f}"
            for count in (2, 64, 1000)
        ]
        print(f"{name:22}", *cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ranks", default="2,4,8,16", help="numbers of ranks that are measured (default: %(default)s)")
    parser.add_argument("--network", action="store_true", help="without shared memory")
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank:
        rank()
        return
    check([int(count) for count in options.ranks.split(",")], options.network)
    on_paper()


if __name__ == "__main__":
    main()

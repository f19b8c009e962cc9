"""How much longer calls take under `torch.profiler.profile`: small operators, with it and without, in turns."""

import argparse
import os
import sys
import time

import rushlight as torch
from rushlight.profiler.details import Wanted, details_of
from rushlight.profiler.observed import Observed

BOUND = 1.0  # microseconds of a call with times, and with lines
CALLS = 5000
SETTINGS = {
    "times": Wanted(),
    "times, lines": Wanted(line=True),
    "times, lines, bytes": Wanted(line=True, moved=True),
    "times, shapes": Wanted(shapes=True),
    "times, memory": Wanted(memory=True),
    "times, stacks": Wanted(stack=True),
}
BOUNDED = ("times", "times, lines")


def addition():
    """Additions of which nothing is recorded."""
    x, y = torch.ones(4), torch.ones(4)

    def run():
        for _ in range(CALLS):
            x + y

    return run


def method():
    """Calls of a method."""
    x = torch.ones(4)

    def run():
        for _ in range(CALLS):
            x.exp()

    return run


PROGRAMS = (addition, method)


def microseconds(run):
    start = time.thread_time()  # without the time in which others had the core
    run()
    return 1e6 * (time.thread_time() - start) / CALLS


def costs(run, rounds):
    """The best times of a call: without a profile and under one, by the name of its settings."""
    plain, observed = {name: [] for name in SETTINGS}, {name: [] for name in SETTINGS}
    for _ in range(rounds):
        for name, wanted in SETTINGS.items():
            plain[name].append(microseconds(run))
            notes = []
            profile = Observed(notes.extend, lambda kind, wanted=wanted: details_of(wanted))
            profile.begin()
            observed[name].append(microseconds(run))
            profile.end()
    return {name: (min(plain[name]), min(observed[name])) for name in SETTINGS}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--check", action="store_true", help=f"fail if times and lines cost over {BOUND} us a call")
    options = parser.parse_args()
    worst = 0.0
    print(f"load average {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores; microseconds of a call")
    for make in PROGRAMS:
        run = make()
        run()
        print(make.__name__)
        for name, (plain, observed) in costs(run, options.rounds).items():
            print(f"  {name:<20}{plain:6.2f}{observed:6.2f}  +{observed - plain:.2f}")
            worst = max(worst, observed - plain) if name in BOUNDED else worst
    print(f"bound {BOUND}")
    if options.check and worst > BOUND:
        sys.exit(f"{worst:.2f} us is over the bound")


if __name__ == "__main__":
    main()

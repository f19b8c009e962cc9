"""How long `import rushlight` takes beside `import numpy`: fresh processes in turn, the best of many."""

import argparse
import os
import subprocess
import sys
import tempfile

BOUND = 2.0
TIMED_IMPORT = "import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"


def import_seconds(module, environment):
    """Seconds that one `import module` takes in a process of its own, the interpreter's start not counted."""
    command = [sys.executable, "-c", TIMED_IMPORT.format(module=module)]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def with_byte_code(folder):
    """The environment in which every module is compiled once, into a folder, as it is where a package was installed."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def best_import_seconds(modules, rounds):
    """The best of `rounds` for each module, the modules taking turns so that a busy machine slows all of them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = with_byte_code(folder)
        for module in modules:
            import_seconds(module, environment)  # compiles
        turns = [[import_seconds(module, environment) for module in modules] for _ in range(rounds)]
    return {module: min(times) for module, times in zip(modules, zip(*turns, strict=True), strict=True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--check", action="store_true", help=f"fail if the ratio to numpy is over {BOUND}")
    options = parser.parse_args()
    seconds = best_import_seconds(["rushlight", "numpy"], options.rounds)
    ratio = seconds["rushlight"] / seconds["numpy"]
    for module, best in seconds.items():
        print(f"import {module:<10}{1000 * best:8.1f} ms")
    print(f"ratio{ratio:18.2f}   bound {BOUND}")
    return int(options.check and ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())

"""`torchrun`: starts a program in several processes, on one machine or many. `python -m torch.distributed.run`.

https://docs.pytorch.org/docs/stable/elastic/run.html
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from rushlight.distributed.agent import Agent, Interrupted
from rushlight.distributed.errors import DistStoreError
from rushlight.distributed.meeting import JobOver, is_this_machine
from rushlight.distributed.workers import ChildFailedError, Settings

__all__ = ["get_args_parser", "main", "parse_args", "run"]

JOIN, LAST_CALL = 600.0, 30.0  # seconds, as in PyTorch
PORT = 29500  # where machines meet if no port is given
EPILOG = """Each process has RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in its environment, which
init_process_group() reads. `import torch` gives rushlight in the program. On several machines, run the same command on
each, with --nnodes and the same --master-addr (or --rdzv-endpoint), and --node-rank 0, 1, ...; or with --rdzv-backend
c10d and no --node-rank, or with --nnodes MIN:MAX: then the ranks start with the machines that have come, and start
again when one is lost (--max-restarts) or comes."""


def get_args_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line. Options may be written with - or _."""
    parser = argparse.ArgumentParser(
        prog="torchrun", description="Start a program in several processes.", epilog=EPILOG
    )

    def option(name: str, **keywords: object) -> None:
        parser.add_argument(*dict.fromkeys((f"--{name}", f"--{name.replace('-', '_')}")), **keywords)  # type: ignore[arg-type]

    option("nnodes", default="1", help="number of machines, or MIN:MAX")
    option("nproc-per-node", default="1", help="processes on this machine: a number, auto, cpu or gpu")
    option("node-rank", type=int, default=0, help="number of this machine, from 0 (static)")
    option("master-addr", default=None, help="the first machine (default: this one)")
    option("master-port", type=int, default=None, help=f"its port (default: {PORT}, or a free one for one machine)")
    option("standalone", action="store_true", help="one machine, on a free port")
    option("max-restarts", type=int, default=0, help="how often all processes are started again after a failure")
    option("rdzv-backend", choices=("static", "c10d", ""), default="static", help="c10d: no --node-rank")
    option("rdzv-endpoint", default="", help="HOST:PORT, another way to say --master-addr and --master-port")
    option("rdzv-conf", default="", help="join_timeout=SECONDS,last_call_timeout=SECONDS for machines that come late")
    option("rdzv-id", default="", help="name of the job")
    option("role", default="default", help="a name for the processes")
    option("log-dir", default=None, help="folder for the output of the processes")
    option("redirects", default="0", help="what goes to --log-dir: 1 output, 2 errors, 3 both")
    parser.add_argument("-m", "--module", action="store_true", help="run a module, as python -m")
    option("no-python", action="store_true", help="run a program that is not Python")
    parser.add_argument("training_script", help="the program")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """Returns the options of a command line."""
    return get_args_parser().parse_args(args)


def settings_of(options: argparse.Namespace) -> Settings:
    """Returns what options mean. Raises ValueError if they contradict each other."""
    least, machines = (1, 1) if options.standalone else machines_of(str(options.nnodes))
    host, port = options.master_addr, options.master_port
    if options.rdzv_endpoint and not options.standalone:
        host, _, said = options.rdzv_endpoint.rpartition(":")
        port = int(said) if host else PORT
        host = host or said
    if options.standalone or (machines == 1 and port is None):
        host, port = host if host and not options.standalone else "127.0.0.1", 0
    machine: int | None = 0 if machines == 1 else int(options.node_rank)
    if least < machines or (machines > 1 and options.rdzv_backend == "c10d"):
        machine = None
    elif machine is not None and not 0 <= machine < machines:
        raise ValueError(f"--node-rank {options.node_rank} is not less than --nnodes {machines}")
    if machines > 1 and not host:
        raise ValueError("several machines need --master-addr, the name of the first")
    if machine == 0 and host and not is_this_machine(host):
        raise ValueError(f"--node-rank 0 must run on {host}, where the processes meet; this is another machine")
    times = seconds_of(options.rdzv_conf)
    if str(options.redirects) != "0" and not options.log_dir:
        raise ValueError("--redirects needs --log-dir, where the output goes")
    return Settings(
        command=command_of(options),
        processes=processes_of(str(options.nproc_per_node)),
        machines=machines,
        least=least,
        machine=machine,
        host=host or "127.0.0.1",
        port=PORT if port is None else port,
        restarts=int(options.max_restarts),
        job=options.rdzv_id,
        role=options.role,
        logs=options.log_dir,
        redirects=int(options.redirects),
        join=times.get("join", JOIN),
        last_call=times.get("last_call", LAST_CALL),
    )


def machines_of(text: str) -> tuple[int, int]:
    """Returns the least and the greatest number of machines. Raises ValueError if there are no such numbers."""
    least, colon, most = text.partition(":")
    if not least.isdecimal() or not (most.isdecimal() if colon else True):
        raise ValueError(f'nnodes={text} is not in "MIN:MAX" format')
    numbers = int(least), int(most if colon else least)
    if not 0 < numbers[0] <= numbers[1]:
        raise ValueError(f"--nnodes {text}: at least one machine, and MIN at most MAX")
    return numbers


def seconds_of(text: str) -> dict[str, float]:
    """Returns the times that --rdzv-conf sets. Raises ValueError if it has another form. Further keys of PyTorch, for
    how it hears of machines, change nothing.
    """
    times = {"join_timeout": "join", "timeout": "join", "last_call_timeout": "last_call"}
    result = {}
    for pair in filter(None, text.strip().split(",")):
        key, _, value = (part.strip() for part in pair.partition("="))
        if not key:
            raise ValueError(
                "The rendezvous configuration string must be in format <key1>=<value1>,...,<keyN>=<valueN>."
            )
        if not value:
            raise ValueError(f"The rendezvous configuration option '{key}' must have a value specified.")
        if key in times:
            result[times[key]] = float(value)
    return result


def processes_of(text: str) -> int:
    """Returns the number of processes: `auto` and `cpu` mean one for each core, `gpu` one for each GPU."""
    if text in ("auto", "cpu"):
        return os.cpu_count() or 1
    if text == "gpu":
        raise ValueError("--nproc-per-node gpu: there is no GPU")
    if not text.isdecimal() or not int(text):
        raise ValueError(f"Unsupported nproc_per_node value: {text}")
    return int(text)


def command_of(options: argparse.Namespace) -> list[str]:
    """Returns the command line of one process: the program under rushlight's runner."""
    python = [] if options.no_python else [sys.executable, "-u", "-m", "rushlight", *(["-m"] if options.module else [])]
    return [*python, options.training_script, *options.training_script_args]


def run(options: argparse.Namespace) -> None:
    """Runs the program in its processes. Raises ChildFailedError if one has failed."""
    Agent(settings_of(options)).run()


def main(
    args: Sequence[str] | None = None,
    parser: argparse.ArgumentParser | None = None,
    run: Callable[[argparse.Namespace], None] = run,
) -> int:
    """Runs a command line, which may have more options than ours, by `run`; returns the exit status."""
    parser = parser or get_args_parser()
    options = parser.parse_args(args)
    try:
        run(options)
    except ValueError as error:
        parser.error(str(error))
    except (ChildFailedError, DistStoreError) as error:
        print(f"torchrun: {error}", file=sys.stderr, flush=True)
        return 1
    except JobOver as error:
        print(f"torchrun: the job has ended without this machine{f': {error}' if str(error) else ''}", file=sys.stderr)
        return 1 if str(error) else 0
    except Interrupted as error:
        print(f"torchrun: ended by signal {error.number}; all processes were ended", file=sys.stderr, flush=True)
        return 128 + error.number
    return 0


if __name__ == "__main__":
    sys.exit(main())

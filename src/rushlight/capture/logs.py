"""What compiled functions do, as messages of `logging`: breaks, programs made again, guards, calls, code.

Each kind has a logger. It is silent until `torch._logging.set_logs`, `TORCH_LOGS` or `RUSHLIGHT_LOGS` switch it on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from rushlight._logging import artifact
from rushlight.capture import words


def is_on(logger: logging.Logger) -> bool:
    """Whether messages of a logger go anywhere."""
    return logger.isEnabledFor(logging.DEBUG)


def log_break(each: Any) -> None:
    """Logs a run that cannot be replayed."""
    if is_on(logger := artifact("graph_breaks")):
        logger.debug("%s", each)


def log_recompile(each: Any) -> None:
    """Logs that a call needs another program, with the guard that failed and both values."""
    for name in ("recompiles", "recompiles_verbose"):
        if is_on(logger := artifact(name)):
            logger.debug("Recompiling function %s in %s:%s", each.function, each.filename, each.line)
            if each.guard is not None:
                logger.debug("    failed guard: %s %s, and was %s", each.place, each.wanted, each.actual)


def log_guards(name: str, guards: list, function: Callable) -> None:
    """Logs the guards of a new program."""
    if is_on(logger := artifact("guards")):
        lines = [words.guard(each, function) for each in guards]
        logger.debug("%s", "\n".join([f"GUARDS of {name}:", *[f"    {line}" for line in lines]]))


def log_graph(name: str, program: Any) -> None:
    """Logs the calls of a new program, and the code that replays them."""
    for kind in ("graph", "graph_code"):
        if is_on(logger := artifact(kind)):
            items = [repr(item) for item in program.watched.items]
            logger.debug("%s", "\n".join([f"TRACED GRAPH of {name}:", *[f"    {item}" for item in items]]))
    if is_on(logger := artifact("output_code")):
        logger.debug("%s", f"Output code of {name}:\n{program.source}")

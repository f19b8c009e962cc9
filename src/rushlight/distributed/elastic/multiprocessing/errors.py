"""`record`, which gives the launcher the exception that ends a program.

https://docs.pytorch.org/docs/stable/elastic/errors.html
"""

from __future__ import annotations

import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from rushlight.distributed.workers import ChildFailedError, Failure

__all__ = ["ChildFailedError", "Failure", "record"]

P = ParamSpec("P")
T = TypeVar("T")


def record(fn: Callable[P, T], error_handler: object = None) -> Callable[P, T]:
    """Decorates the main function of a program: its exception is written to the file that torchrun names.

    >>> @record
    ... def main():
    ...     return 3
    >>> main()
    3
    """

    @functools.wraps(fn)
    def recorded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return fn(*args, **kwargs)
        except SystemExit as error:
            if error.code not in (0, None):
                write(error)
            raise
        except Exception as error:
            write(error)
            raise

    return recorded


def write(error: BaseException) -> None:
    """Writes an exception to the file that the environment names, if it names one."""
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if path is None:
        return
    details = {"py_callstack": "".join(traceback.format_exception(error)), "timestamp": str(time.time())}
    report = {"message": {"message": f"{type(error).__name__}: {error}", "extraInfo": details}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file)

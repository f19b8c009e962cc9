"""Backward passes that run inside other backward passes, in this thread."""

from __future__ import annotations

import contextvars
import threading

from rushlight.core.source_lines import NOTING, freed_at

# Each level of nesting costs several Python frames; beyond this many a fresh thread gives a fresh stack, as PyTorch
# does.
DEPTH_PER_THREAD = 40


class Nesting(threading.local):
    """The passes under way in a thread, outermost first, as far as they have entered."""

    def __init__(self):
        self.tasks = []


NESTING = Nesting()


def run(task) -> None:
    """Runs a backward pass, in a fresh thread if too many are nested already."""
    tasks = NESTING.tasks
    if NOTING and not (task.keep or task.freed):
        task.freed = freed_at(1)
    if len(tasks) < DEPTH_PER_THREAD:
        task.run(tasks)
        return
    context, failures = contextvars.copy_context(), []

    def work():
        try:
            context.run(task.run, NESTING.tasks)
        except BaseException as error:  # raised again in the waiting thread
            failures.append(error)

    thread = threading.Thread(target=work, name="rushlight nested backward")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]

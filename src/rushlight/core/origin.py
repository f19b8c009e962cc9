"""Where in the program something was done: the stack without our own frames."""

from __future__ import annotations

import os
import traceback

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def call_site() -> list[str]:
    """The stack of the program's own frames, formatted, innermost last."""
    stack = traceback.extract_stack()
    while len(stack) > 1 and stack[-1].filename.startswith(PACKAGE):
        stack.pop()
    return traceback.format_list(stack)

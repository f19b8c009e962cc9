"""How notebooks show things: as their `repr`, and below it what a reader of a notebook would look up next.

The views stand high above this file and are imported when a notebook first asks for one.
"""

from __future__ import annotations

from importlib import import_module

VIEWS = "rushlight.explain.notebook"


def tensor_view(tensor) -> str:
    """HTML for a tensor; `repr`, which programs print, is as it was."""
    return import_module(VIEWS).tensor_html(tensor)


def module_view(module) -> str:
    """HTML for a module."""
    return import_module(VIEWS).module_html(module)

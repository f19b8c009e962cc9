"""Which functions are watched, which are one call, and which belong to libraries."""

from __future__ import annotations

import os
from types import CodeType
from typing import Any

import numpy as np

from rushlight.amp.autocast_mode import autocast
from rushlight.autograd.grad_mode import no_grad
from rushlight.capture import frames
from rushlight.core.origin import PACKAGE
from rushlight.core.origin import is_ours as is_package_file
from rushlight.nn.modules.failure import note_module

WATCHED_PARTS = """
    nn/modules/ nn/parallel/ nn/utils/fusion nn/utils/parametrize nn/utils/parametrizations nn/utils/weight_norm
    nn/utils/spectral_norm distributions/ amp/grad_scaler
""".split()
WATCHED = tuple([f"{PACKAGE}{part}" for part in WATCHED_PARTS])
DRAWING = "_draws.py"  # the end of files whose functions draw until samples are accepted: one call each
WRITTEN = ("<program>", "<replay>", "<segment>")  # text that capture and graph have written
TRANSPARENT = f"{PACKAGE}nn/modules/module.py"
SITE = os.path.dirname(os.path.dirname(np.__file__))
LIBRARY = (  # code that no program has written, and that functions of ours call
    os.path.dirname(os.__file__), f"{SITE}{os.sep}numpy", f"{SITE}{os.sep}llvmlite", f"{SITE}{os.sep}scipy", "<frozen",
    "<annotation>",
)  # fmt: skip
IMPORT_SYSTEM = "<frozen importlib"
MUTATING = frozenset(
    """
    append extend insert pop remove reverse sort clear update popitem setdefault add discard move_to_end appendleft
    extendleft popleft rotate difference_update intersection_update symmetric_difference_update setattr delattr
    __setattr__ __delattr__ __setitem__ __delitem__ globals vars exec eval heappush heappop heapify insort insort_left
    insort_right register_buffer register_parameter register_module add_module train eval requires_grad_ set_
    """.split()
)
STORES = frozenset(
    """
    STORE_ATTR STORE_GLOBAL STORE_SUBSCR STORE_SLICE STORE_DEREF DELETE_ATTR DELETE_SUBSCR DELETE_GLOBAL DELETE_DEREF
    IMPORT_NAME
    """.split()
)


def wrapper_code(decorator: Any) -> CodeType:
    """Returns the code of the functions that a decorator of ours makes."""
    return decorator(lambda: None).__code__


WRAPPERS = frozenset(map(wrapper_code, (no_grad(), autocast("cpu"))))  # `@torch.no_grad()`: watched
UNWATCHED = frozenset((note_module.__code__,))  # of modules, and changes nothing but an error


def is_ours(code: CodeType) -> bool:
    """Whether a function is one call: it is ours, and no module of a network, nor a distribution."""
    file = code.co_filename
    if code in WRAPPERS or code in UNWATCHED:
        return code in UNWATCHED
    return (file in WRITTEN or is_package_file(file)) and not (file.startswith(WATCHED) and not file.endswith(DRAWING))


def is_library(code: CodeType) -> bool:
    """Whether a function belongs to Python, or to a library that ours call, or is a module that is imported.

    Python's `__new__` of named tuples has no file, nor has what makes the methods of a data class.
    """
    file = code.co_filename
    if code.co_name == "<module>":
        return True
    if file.startswith(LIBRARY[0]) and "site-packages" in file:
        return file.startswith(LIBRARY[1:])
    made = file == "<string>" and (code.co_varnames[:1] == ("_cls",) or code.co_name == "__create_fn__")
    return file.startswith(LIBRARY) or made


def changes_objects(code: CodeType) -> bool:
    """Whether a function may change objects that are not its own."""
    names = {instruction.opname for instruction in frames.info_of(code).at.values()}
    return bool(names & STORES) or not MUTATING.isdisjoint(code.co_names)


HARMLESS = frozenset(
    ("__hash__", "__eq__", "__ne__", "__instancecheck__", "__new__", "__init__", "__len__", "__repr__")
)

"""Whether a module, such as one given as `pickle_module`, is recent enough."""

from __future__ import annotations

import warnings
from types import ModuleType


def check_module_version_greater_or_equal(
    module: ModuleType, req_version_tuple: tuple, error_if_malformed: bool = True
) -> bool:
    """Whether a module's version is at least the required one, by as many parts as that has.

    Where a part cannot be read as the required one's type, it raises RuntimeError, or warns and returns True.
    """
    parts = module.__version__.split(".")
    try:
        version = tuple([type(required)(part) for required, part in zip(req_version_tuple, parts, strict=False)])
    except ValueError as error:
        return _malformed(module, req_version_tuple, error_if_malformed, error)
    if len(version) < len(req_version_tuple):
        return _malformed(module, req_version_tuple, error_if_malformed, None)
    return version >= req_version_tuple


def _malformed(module: ModuleType, required: tuple, is_error: bool, cause: ValueError | None) -> bool:
    words = (
        f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared with "
        f"tuple {required}"
    )
    if is_error:
        raise RuntimeError(words) from cause
    warnings.warn(f"{words}, but continuing assuming that requirement is met", stacklevel=3)
    return True

"""`__torch_function__`: subclasses and modes that want to see a call before it runs.

https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-python-api
"""

from __future__ import annotations

from rushlight.core.modes import MODE, change
from rushlight.core.tensor import PLAIN_TYPES, Tensor

ABSENT = object()


def overridden(op, arguments, modes, keywords=None):
    """The result of whoever takes the call, or ABSENT."""
    if modes.function_modes:
        return _by_mode(op, arguments, modes, keywords or {})
    if modes.subclass_disabled:
        return ABSENT
    takers = _takers(arguments)
    if not takers:
        return ABSENT
    return _by_subclass(op.function, takers, arguments, keywords or {})


def _takers(arguments) -> list:
    """The arguments whose type overrides, subclasses before their bases, else in order."""
    found: list = []
    for each in _flat(arguments):
        kind = type(each)
        if kind in PLAIN_TYPES or getattr(kind, "__torch_function__", None) is None or isinstance(each, type):
            continue
        if not any(type(other) is kind for other in found):
            position = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(position, each)
    return found


def _flat(arguments):
    for each in arguments:
        if type(each) in (list, tuple):
            yield from each
        else:
            yield each


def _by_subclass(function, takers, arguments, keywords):
    types = tuple(type(each) for each in takers)
    for each in takers:
        result = type(each).__torch_function__(function, types, arguments, keywords)
        if result is not NotImplemented:
            return result
    names = ", ".join(str(each) for each in types)
    raise TypeError(
        f"no implementation found for 'torch.{function.__name__}' on types that implement __torch_function__: [{names}]"
    )


def _by_mode(op, arguments, modes, keywords):
    innermost = modes.function_modes[-1]
    token = change(function_modes=modes.function_modes[:-1])
    try:
        types = tuple(type(each) for each in _flat(arguments) if isinstance(each, Tensor))
        return innermost.__torch_function__(op.function, types, arguments, keywords)
    finally:
        MODE.reset(token)

"""`torch.jit.script`: modules and functions run as written, and are saved as graphs."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.jit.script_module import ScriptModule, refuse_lazy_members, scripted
from rushlight.nn.modules.module import Module

DEPRECATED = "`torch.jit.script` is deprecated. Please switch to `torch.compile` or `torch.export`."
OWN = ("_parameters", "_buffers", "_modules")  # dicts that the scripted module has of its own


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """Returns a module that runs as written and can be saved; a function or class itself.

    The module shares its parameters with the original. Warns, as PyTorch, which recommends `torch.compile`.

    >>> import warnings, rushlight as torch
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     scripted = torch.jit.script(torch.nn.ReLU())
    >>> isinstance(scripted, torch.jit.ScriptModule), scripted(torch.tensor([-1.0])).tolist()
    (True, [0.0])
    """
    warnings.warn(DEPRECATED, DeprecationWarning, stacklevel=1)
    if not isinstance(obj, Module) or isinstance(obj, ScriptModule):
        return obj
    refuse_lazy_members(obj)
    result = scripted(type(obj))
    result.__dict__.update(obj.__dict__)
    result.__dict__.update({name: dict(obj.__dict__[name]) for name in OWN})
    return result

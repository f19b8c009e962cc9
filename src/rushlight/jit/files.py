"""`torch.jit.save` and `torch.jit.load`: modules and functions without their Python."""

from __future__ import annotations

import inspect
from typing import Any

from rushlight.jit.container import read
from rushlight.jit.script_module import (
    Part,
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    graphed,
    made,
    put_buffers,
)
from rushlight.jit.symbolic import symbolic
from rushlight.nn.modules.module import Module


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Writes a module or function to a path or an open file: its graphs as data, and its tensors.

    A module that is not traced is written if its control flow does not depend on its inputs; RuntimeError is raised
    otherwise. `_extra_files` are texts by name.

    >>> import io, warnings, rushlight as torch
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     traced = torch.jit.trace(torch.nn.Linear(2, 1), torch.zeros(1, 2))
    >>> file = io.BytesIO()
    >>> torch.jit.save(traced, file)
    >>> _ = file.seek(0)
    >>> torch.jit.load(file)(torch.zeros(3, 2)).shape
    torch.Size([3, 1])
    """
    as_script(m).save(f, _extra_files)


def load(
    f: Any,
    map_location: Any = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
) -> RecursiveScriptModule | ScriptFunction:
    """Returns the module or function in a file of `torch.jit.save`. Runs nothing that is in the file.

    `_extra_files` gets the texts of its names. Raises ValueError for a path without a file, RuntimeError for other
    files, such as TorchScript archives of PyTorch.
    """
    contents = read(f, map_location)
    for name in _extra_files or {}:
        if name in contents["extra"]:
            _extra_files[name] = contents["extra"][name].encode("latin-1")  # type: ignore[index]
    return made(contents)


def as_script(m: Any) -> ScriptModule | ScriptFunction:
    """Returns what can be saved."""
    if isinstance(m, ScriptModule | ScriptFunction):
        return m
    if isinstance(m, Module):
        return graphed(m)
    if inspect.isfunction(m):
        graph, tensors = symbolic(m)
        constants = Part("constants")
        put_buffers(constants, tensors, persistent=False)
        return ScriptFunction(graph, m.__name__, constants)
    raise AttributeError(f"'{type(m).__name__}' object has no attribute 'save'")


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> RecursiveScriptModule:
    """Returns a module in which parameters are constants: it has no parameters, and no state."""
    if not isinstance(mod, ScriptModule):
        raise RuntimeError(
            "Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your "
            "'nn.Module'."
        )
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module "
            "before freezing."
        )
    source = graphed(mod)
    names = ["forward", *(name for name in preserved_attrs or [] if name in source._method_names())]
    frozen = RecursiveScriptModule({name: source._graph_of(name) for name in names}, source.original_name)
    tensors = {name: value.detach() for name, value in (*source.named_parameters(), *source.named_buffers())}
    put_buffers(frozen, tensors, persistent=False)
    return frozen.eval()


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> RecursiveScriptModule:
    """Returns a frozen module: kernels are chosen when it runs."""
    return freeze(mod.eval(), other_methods)

"""Suggestions for names that rushlight lacks: a replacement, or the nearest name."""

import pkgutil
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from types import ModuleType

from rushlight._missing import is_public, public_modules, public_name

# Replacements where no similar name would do.
INSTEAD = {
    "torch._dynamo": "torch.compiler has what compiled functions do here: report, explain, set_stance, reset.",
    "torch._inductor": "Programs are compiled by rushlight's own compiler: leave out what tunes PyTorch's.",
    "torch._logging": "torch._logging.set_logs(recompiles=True, graph_breaks=True) shows what compiled functions do.",
    "torch.ao": "torch.ao.quantization.FakeQuantize rounds in floating point, and passes gradients on.",
    "torch.distributed": "torch.distributed has collectives and groups; rpc and pipelines are not there.",
    "torch.fx": "torch.fx.symbolic_trace makes a graph whose nodes can be changed; torch.fx.Interpreter runs it.",
    "torch.jit": "torch.jit.trace(model, example) makes a graph that torch.jit.save stores; scripts run as written.",
    "torch.onnx": "torch.onnx.export writes a model as a file of ONNX, from torch.export.export too.",
}  # fmt: skip


def note(name: str, alternative: str | None, place: str | None) -> str:
    where = f"{place}: " if place else ""
    near = f"The nearest name that it has is {alternative}." if alternative else "It has no name that is near."
    near = instead(public_name(name)) or near
    return (
        f"{where}rushlight has no {public_name(name)}. {near}\n"
        "`python -m rushlight missing SCRIPT` lists all such names that a script uses, without running it."
    )


def instead(torch_name: str) -> str | None:
    """Returns the replacement of a name, or of its whole module; None if unknown."""
    return INSTEAD.get(torch_name) or INSTEAD.get(torch_name.rpartition(".")[0])


def nearest(holder_name: str, holder: object, attribute: str) -> str | None:
    """Returns the name, as PyTorch programs write it, that is nearest to `attribute` of `holder`; None without one.

    The same name in another namespace comes first, then a similar name in the same one, then a module of similar name.
    `holder` is a module or class.

    >>> import collections
    >>> nearest("rushlight.nn", collections, "OrderedDictionary")
    'torch.nn.OrderedDict'
    """
    package = holder_name.partition(".")[0]
    places = {name: names for name, names in namespaces(package) if name != holder_name}
    same = [name for name, names in places.items() if attribute in names]
    if same:
        return public_name(f"{min(same, key=lambda name: (name.count('.'), name))}.{attribute}")
    similar = get_close_matches(attribute, public_names(holder), n=1)
    if similar:
        return public_name(f"{holder_name}.{similar[0]}")
    modules = {name.rpartition(".")[2]: name for name, _ in public_modules(package) if "." in name}
    return next((public_name(modules[name]) for name in get_close_matches(attribute, modules, n=1)), None)


def namespaces(package: str) -> Iterator[tuple[str, list[str]]]:
    """Returns every loaded public namespace of `package` with its names: modules and the Tensor class."""
    for name, module in public_modules(package):
        yield name, public_names(module)
    tensor_class = getattr(sys.modules.get(package), "Tensor", None)
    if tensor_class is not None:
        yield f"{package}.Tensor", public_names(tensor_class)


def public_names(holder: object) -> list[str]:
    """Returns the names that `holder` defines: no private ones, and none that it only imported."""
    names = [name for name in dir(holder) if not name.startswith("_")]
    if not isinstance(holder, ModuleType):
        return names
    return [name for name in names if not is_foreign(vars(holder).get(name), holder)] + modules_within(holder)


def modules_within(package: ModuleType) -> list[str]:
    """Returns the public modules of a package that are not imported yet."""
    names = (module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ())))
    return [name for name in names if name not in vars(package) and is_public(f"{package.__name__}.{name}")]


def is_foreign(value: object, holder: ModuleType) -> bool:
    """Whether a module only imported a value from elsewhere, or from a private module."""
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    if not isinstance(home, str):
        return False
    ours = home.partition(".")[0] in ((holder.__package__ or holder.__name__).partition(".")[0], "torch")
    return not ours or (isinstance(value, ModuleType) and not is_public(home))

"""PyTorch names that rushlight does not have: the error that a script gets, its line, and the nearest name there is."""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property, partial
from opcode import opmap
from types import CodeType, FrameType, ModuleType
from typing import NoReturn, TypeVar

PACKAGE_FOLDER = os.path.join(os.path.dirname(__file__), "")
INNER_MODULES = frozenset(
    {"arrays", "benchmark", "cli", "core", "dispatch", "errors", "explain", "missing", "ops", "settings", "standard"}
)

# What to write where no name that is near would do.
INSTEAD = {
    "torch.distributed": "There is one process: ask torch.distributed.is_available() first.",
    "torch.func": "torch.nn.utils.stateless.functional_call calls a module with other parameters; torch.autograd.grad "
    "with create_graph=True and torch.autograd.functional have gradients, Jacobians and products with them.",
    "torch.fx": "Read a model by its named_modules(), and a graph by grad_fn.next_functions.",
    "torch.hub": "Fetch the file by other means; torch.load reads it.",
    "torch.jit": "Leave torch.jit out: what it would compile runs as the Python that it is.",
    "torch.multiprocessing": "Python's own multiprocessing sends tensors as well, by copying them.",
    "torch.nn.SyncBatchNorm": "There is one process, where torch.nn.BatchNorm2d does the same.",
    "torch.nn.attention": "torch.nn.functional.scaled_dot_product_attention chooses its kernel itself.",
    "torch.onnx": "torch.save of a state_dict, or rushlight.serialization.safetensors, carry weights elsewhere.",
    "torch.autograd.profiler": "Python's profilers see every operation: python -m cProfile -s cumulative SCRIPT.",
    "torch.profiler": "Python's profilers see every operation: python -m cProfile -s cumulative SCRIPT.",
    "torch.sparse": "Tensors are dense here: index_add, scatter_add and embedding add up what an index selects.",
    "torch.sparse_coo_tensor": "Make a dense tensor: torch.zeros(size).index_put(tuple(indices), values, True).",
    "torch.symeig": "torch.linalg.eigh has eigenvalues and eigenvectors, torch.linalg.eigvalsh the first alone.",
    "torch.utils.tensorboard": "The package tensorboardX has the same SummaryWriter without PyTorch.",
    "torch.vmap": "Let the batch be a dimension: operators take one, torch.einsum any.",
}  # fmt: skip


class Absent(Exception):
    """What the three errors share: the note is written when it is read, because `hasattr` never reads it.

    A traceback gives each of them the name of its built-in base, as in PyTorch; a copy or a pickle of one is that base.
    """

    name: str | None
    module_name: str
    attribute: str
    place: str | None

    @cached_property
    def __notes__(self) -> list[str]:  # type: ignore[override]
        alternative = nearest(self.module_name, sys.modules.get(self.module_name), self.attribute)
        return [note(f"{self.module_name}.{self.attribute}", alternative, self.place)]

    def __reduce__(self) -> tuple:
        return with_notes, (type(self).__mro__[2], self.args[0], self.name, self.__notes__)


class MissingAttribute(Absent, AttributeError):
    """`torch.x` was read, and rushlight has no `x` there."""

    __module__, __qualname__ = "builtins", "AttributeError"


class MissingImport(Absent, ImportError):
    """`from torch import x` was run, and rushlight has no `x` there."""

    __module__, __qualname__ = "builtins", "ImportError"


class MissingModule(Absent, ModuleNotFoundError):
    """`import torch.x` was run, and rushlight has no such module."""

    __module__, __qualname__ = "builtins", "ModuleNotFoundError"


def with_notes(kind: type[AttributeError | ImportError], message: str, name: str, notes: list[str]) -> Exception:
    error = kind(message, name=name)
    error.__notes__ = notes
    return error


AnyAbsent = TypeVar("AnyAbsent", bound=Absent)


def raise_for(module_name: str, attribute: str) -> NoReturn:
    """Raise the error for an attribute that a module of rushlight does not have; the body of a module's `__getattr__`.

    Raises `MissingAttribute`, an `AttributeError` whose message is Python's own, or `MissingImport`, an `ImportError`,
    where the attribute was asked for by `from torch import x`: Python would drop the note of an `AttributeError` there.
    """
    torch_name = public_name(module_name)
    caller = next(frames_outside(()), None)
    if caller is not None and is_import_from(caller) and f"{module_name}.{attribute}" not in sys.modules:
        file = getattr(sys.modules[module_name], "__file__", None) or "unknown location"
        message = f"cannot import name {attribute!r} from {torch_name!r} ({file})"
        raise absent(MissingImport(message, name=torch_name, path=file), module_name, attribute)
    message = f"module {torch_name!r} has no attribute {attribute!r}"
    raise absent(MissingAttribute(message, name=attribute), module_name, attribute)


def attribute_of(
    package: str,
    lazy: frozenset[str],
    later: dict[str, str],
    elsewhere: Mapping[str, Callable[[], ModuleType]],
    attribute: str,
) -> object:
    """The `__getattr__` of a package some of whose modules and functions are imported when they are first named.

    `later` has the names of these functions, each with that of the generated function; `elsewhere` those of others,
    each with what imports the module that has it.
    """
    if attribute in lazy:
        module = importlib.import_module(f"{package}.{attribute}")
        attach(package)
        return module
    if attribute in later:
        found = getattr(importlib.import_module(f"{package}._generated.functions"), later[attribute])
        if attribute != later[attribute]:
            found = importlib.import_module(f"{package}.dispatch.methods").alias(found, attribute)
        vars(sys.modules[package])[attribute] = found
        return found
    if attribute in elsewhere:
        found = vars(sys.modules[package])[attribute] = getattr(elsewhere[attribute](), attribute)
        attach(package)
        return found
    raise_for(package, attribute)


def no_module(name: str, module_name: str) -> MissingModule:
    """The error for `import name`, where rushlight has no module `module_name`."""
    parent, _, attribute = module_name.rpartition(".")
    return absent(MissingModule(f"No module named {name!r}", name=name), parent, attribute)


def attach(package: str) -> None:
    """Let every public module of `package` that is loaded, and has no `__getattr__`, raise the errors of this file."""
    for name, module in public_modules(package):
        vars(module).setdefault("__getattr__", partial(raise_for, name))


def absent(error: AnyAbsent, module_name: str, attribute: str) -> AnyAbsent:
    error.module_name, error.attribute, error.place = module_name, attribute, script_line()
    return error


def public_name(name: str) -> str:
    """The name under which a PyTorch program knows a name of rushlight."""
    _, dot, rest = name.partition(".")
    return f"torch{dot}{rest}"


def note(name: str, alternative: str | None, place: str | None) -> str:
    where = f"{place}: " if place else ""
    near = f"The nearest name that it has is {alternative}." if alternative else "It has no name that is near."
    near = instead(public_name(name)) or near
    return (
        f"{where}rushlight has no {public_name(name)}. {near}\n"
        "`python -m rushlight missing SCRIPT` lists all such names that a script uses, without running it."
    )


def instead(torch_name: str) -> str | None:
    """What to write instead of a name, or of anything in the module that has it; None if that has to be guessed."""
    return INSTEAD.get(torch_name) or INSTEAD.get(torch_name.rpartition(".")[0])


def nearest(holder_name: str, holder: object, attribute: str) -> str | None:
    """The name, as a PyTorch program writes it, that comes nearest to `attribute` of `holder`; None if nothing does.

    The same name in another place comes first, then a similar name in the same place, then a module of similar name.
    `holder` is a module or a class.

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
    """Every public place of `package` that is loaded, with its names: the modules and the Tensor class."""
    for name, module in public_modules(package):
        yield name, public_names(module)
    tensor_class = getattr(sys.modules.get(package), "Tensor", None)
    if tensor_class is not None:
        yield f"{package}.Tensor", public_names(tensor_class)


def public_modules(package: str) -> list[tuple[str, ModuleType]]:
    # A copy: another thread may be importing.
    loaded = [(name, module) for name, module in sys.modules.copy().items() if name.partition(".")[0] == package]
    return [(name, module) for name, module in loaded if isinstance(module, ModuleType) and is_public(name)]


def is_public(module_name: str) -> bool:
    inner = module_name.split(".")[1:]
    return not inner or (inner[0] not in INNER_MODULES and not any(part.startswith("_") for part in inner))


def public_names(holder: object) -> list[str]:
    """The names that `holder` offers itself: without private ones, and without those that it only imported."""
    names = [name for name in dir(holder) if not name.startswith("_")]
    if not isinstance(holder, ModuleType):
        return names
    return [name for name in names if not is_foreign(vars(holder).get(name), holder)] + modules_within(holder)


def modules_within(package: ModuleType) -> list[str]:
    """The public modules of a package that are not imported yet."""
    names = (found.name for found in pkgutil.iter_modules(getattr(package, "__path__", ())))
    return [name for name in names if name not in vars(package) and is_public(f"{package.__name__}.{name}")]


def is_foreign(value: object, holder: ModuleType) -> bool:
    """Whether a module has a name only because it imported it from elsewhere, or from behind the scenes."""
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    if not isinstance(home, str):
        return False
    ours = home.partition(".")[0] in (holder.__name__.partition(".")[0], "torch")
    return not ours or (isinstance(value, ModuleType) and not is_public(home))


def frames_outside(machinery: tuple[str, ...]) -> Iterator[FrameType]:
    """The frames that called into rushlight, innermost first, without those of files that start as in `machinery`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith((PACKAGE_FOLDER, *machinery)):
            yield frame
        frame = frame.f_back


def script_line() -> str | None:
    """The line that the user wrote, as `file:line`."""
    frame = next(frames_outside(("<frozen importlib", importlib.__file__)), None)
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def is_import_from(frame: FrameType) -> bool:
    """Whether the frame stands at the instruction that takes one name out of a module for `from module import name`."""
    code: CodeType = frame.f_code
    return code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]

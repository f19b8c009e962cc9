"""Imports point one way: the levels of the package, read from the source without running it."""

import ast
import graphlib
import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src"
PACKAGE = SOURCE / "rushlight"

LEVELS = [
    {
        "__future__",
        "core",
        "torch_version",
        "version",
    },
    {
        "arrays",
    },
    {
        "declarations",
    },
    {
        "_generated",
        "create",
        "dispatch",
        "memory",
    },
    {
        "autograd",
        "kernels",
        "lower",
        "transforms",
    },
    {
        "_C",
        "_VF",
        "__config__",
        "_control_flow",
        "_library",
        "_logging",
        "_removed",
        "_streams",
        "_subclasses",
        "_tensor_str",
        "accelerator",
        "amp",
        "backends",
        "compiler",
        "cpu",
        "cuda",
        "fft",
        "functional",
        "futures",
        "graph",
        "linalg",
        "masked",
        "mps",
        "mtia",
        "quasirandom",
        "random",
        "return_types",
        "signal",
        "sparse",
        "special",
        "types",
        "xpu",
    },
    {
        "_classes",
        "_custom_ops",
        "_dynamo",
        "_inductor",
        "_ops",
        "ao",
        "quantization",
        "array_api",
        "capture",
        "distributed",
        "distributions",
        "func",
        "fx",
        "hub",
        "library",
        "multiprocessing",
        "nn",
        "optim",
        "serialization",
        "storage",
        "utils",
        "_torchvision",
    },
    {
        "_as_torch",
        "_functorch",
        "_higher_order_ops",
        "_jit_internal",
        "_missing",
        "_near_names",
        "_on_first_use",
        "_standard",
        "_tensor",
        "_utils",
        "_vmap_internals",
        "benchmark",
        "cli",
        "describe",
        "explain",
        "export",
        "jit",
        "onnx",
        "overrides",
        "profiler",
        "testing",
    },
    {
        "__init__",
        "__main__",
    },
]
LEVEL = {name: number for number, names in enumerate(LEVELS) for name in names}

# Packages of one level that may import one another; each pair reads (importer, imported), with the reason.
SAME_LEVEL = {
    ("dispatch", "_generated"),  # the general path runs an op again by its generated function
    ("_generated", "dispatch"),  # the fast functions hand everything else to the general path
    ("create", "dispatch"),  # functions written by hand raise the errors of operators, and write as they do
    ("create", "_generated"),  # and call operators
    ("memory", "dispatch"),  # for the same reasons
    ("memory", "create"),  # a storage is made from a list as a tensor is
    ("transforms", "autograd"),  # `vjp` and the transposed derivative run backward passes
    ("autograd", "transforms"),  # `forward_ad`, `Function.vmap` and batched gradients are transforms
    ("kernels", "lower"),  # kernels are written in the restricted Python that is lowered
    ("lower", "kernels"),  # which kernel takes an array is decided where the formulas are lowered
    ("onnx", "export"),  # sizes that may change, and the runs of a model at several of them
    ("export", "overrides"),  # a function mode sees the calls that are recorded
    ("_inductor", "utils"),  # its settings are a module of settings as others are
    ("_dynamo", "utils"),  # a module of settings, as others are
    ("_dynamo", "fx"),  # a backend that counts gets a graph
    ("_dynamo", "capture"),  # PyTorch's names of its counters
    ("capture", "nn"),  # modules have names in explanations
    ("capture", "fx"),  # a backend of a program's own gets a graph
    ("capture", "optim"),  # a step of an optimizer is part of a training step
    ("_dynamo", "nn"),  # an older address of the class of compiled modules
    ("_classes", "_ops"),  # what native libraries register is loaded by the same function
    ("_C", "futures"),  # one of its names
    ("_C", "random"),  # one more
    ("_C", "distributed"),  # the names of its compiled classes
    ("_C", "nn"),  # one of them belongs to a wrapper of modules
    ("_tensor", "_utils"),  # pickles of subclasses set state as others do
    ("_jit_internal", "jit"),  # the older address of the same marks
    ("_torchvision", "library"),  # its operators are defined as a program's are
    ("_dynamo", "compiler"),  # the older address of the same marks
    ("cpu", "amp"),  # the deprecated names of torch.cpu.amp
    ("backends", "cuda"),  # whether there is a GPU, and how many
    ("cuda", "amp"),  # the deprecated names of torch.cuda.amp
    ("accelerator", "cuda"),  # which is the only one
    ("accelerator", "_streams"),  # the current stream of any GPU
    ("cuda", "_streams"),  # streams of GPUs are streams
    ("quantization", "ao"),  # its older address
    ("utils", "hub"),  # an older address of what it fetches
    ("ao", "nn"),  # other names of modules in there
    ("distributed", "optim"),  # an optimizer whose state is spread
    ("distributed", "nn"),  # modules whose parameters are
    ("distributed", "serialization"),  # what is in a checkpoint and is no tensor
    ("nn", "distributed"),  # a model that several processes train
    ("optim", "nn"),  # an averaged model is a module
    ("fx", "_ops"),  # a recorded run is a graph of the operators of `torch.ops.aten`
    ("fx", "nn"),  # a graph is read from a module and is run as one
    ("storage", "serialization"),  # the memory in a pickle of PyTorch is a checkpoint
    ("utils", "fx"),  # the graph of a model for TensorBoard is a trace
    ("utils", "nn"),  # a module's operations are counted, and who runs is followed by hooks
    ("utils", "optim"),  # an older address of the helpers of optimizers
    ("hub", "serialization"),  # what is fetched is a checkpoint
    ("utils", "hub"),  # the older address of what fetches
    ("fx", "utils"),  # arguments of a graph are trees of values
    ("fx", "serialization"),  # a module in a folder has its tensors in checkpoints
    ("func", "utils"),  # a transform takes trees of tensors
    ("func", "nn"),  # a module is called with other tensors
    ("cli", "benchmark"),  # the command measures, and says what it finds of the machine
    ("cli", "_as_torch"),  # the command lets `import torch` give rushlight
    ("jit", "testing"),  # a trace is compared with the function
    ("testing", "_as_torch"),  # and so does the plugin for the tests of packages
    ("_on_first_use", "_standard"),  # the names of the standard are among those
    ("_as_torch", "_missing"),  # what is not there is an error that names it
    ("cli", "_missing"),  # what the command reports are the names that raise as missing
    ("cli", "_near_names"),  # and what to use instead
    ("_near_names", "_missing"),  # which places are public is known to those who raise
    ("cli", "profiler"),  # the command records what a program runs
    ("cli", "explain"),  # the command prints explanations
    ("describe", "_as_torch"),  # the metadata of torch is among what is written
    ("describe", "explain"),  # the pages of traps show what is found in their programs
    ("describe", "_on_first_use"),  # the stub of torch.cuda has its names
    ("describe", "testing"),  # what an operator accepts is found by calling it with its samples
}

ALWAYS_THERE = set(sys.stdlib_module_names) | {"rushlight", "numpy", "ml_dtypes"}

# What may be absent, or is too slow for `import rushlight`: imported inside the functions that need it, in these files.
ON_FIRST_USE = {
    "scipy": {
        "arrays/cuda/fake/namespace.py",
        "arrays/fourier.py",
        "arrays/lapack.py",
        "arrays/scatter.py",
        "arrays/sparse_products.py",
        "arrays/special.py",
        "arrays/spectra.py",
    },
    "cupy": {"arrays/cuda/driver.py"},
    "cupyx": {"arrays/cuda/driver.py"},
    "llvmlite": {"lower/llvm.py"},
    "safetensors": {"serialization/safetensors.py"},
    "PIL": {"explain/picture/png.py", "utils/tensorboard/summary.py"},
    "matplotlib": {"utils/tensorboard/_utils.py"},
    "opt_einsum": {"declarations/equation.py"},
    "mpi4py": {"distributed/mpi.py"},
    "tqdm": {"cli/bench.py"},
    "sympy": {"fx/experimental/graph_gradual_typechecker.py"},
}


class Import(NamedTuple):
    """One imported module, as absolute dotted name, and where it stands."""

    file: str  # relative to the package, with forward slashes
    line: int
    module: str
    inside_function: bool

    def __str__(self):
        return f"src/rushlight/{self.file}:{self.line} imports {self.module}"


def module_name(file):
    parts = ("rushlight", *Path(file).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(node, file):
    """Names as far as the statement shows them: `from a.b import c` may mean the module a.b.c, so it gives that."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    package = module_name(file).split(".")
    if not file.endswith("__init__.py"):
        package = package[:-1]
    base = package[: len(package) - node.level + 1] if node.level else []
    prefix = ".".join([*base, *([node.module] if node.module else [])])
    return [f"{prefix}.{alias.name}" for alias in node.names]


def imports_of(source, file):
    """Every import statement of a file, with whether it stands inside a function."""
    pending = [(ast.parse(source), False)]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (Import(file, node.lineno, module, inside) for module in imported_modules(node, file))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        pending.extend((child, inside) for child in ast.iter_child_nodes(node))


def imports_of_package():
    files = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    return [imported for file in files for imported in imports_of((PACKAGE / file).read_text("utf-8"), file)]


def unit(file):
    """The folder or the single module at the top of the package that a file belongs to."""
    return Path(file).parts[0].removesuffix(".py")


def imports_the_root(found):
    """`import rushlight` and `from rushlight import name`, unless the name is one of our folders or modules."""
    parts = found.module.split(".")
    return parts[0] == "rushlight" and (
        len(parts) == 1 or parts[1] not in LEVEL or parts[1] in ("__init__", "__main__")
    )


def points_up(found):
    importer, imported = unit(found.file), found.module.split(".")[1]
    if importer == imported or (importer, imported) in SAME_LEVEL:
        return False
    return LEVEL[imported] >= LEVEL[importer]


def misplaced(found):
    """Neither at the top of the file and always there, nor inside a function and listed as optional."""
    root = found.module.split(".")[0]
    if found.inside_function:
        return found.file not in ON_FIRST_USE.get(root, ())
    return root not in ALWAYS_THERE


def known_module(name):
    """The longest beginning of a dotted name that is a module of ours, or None."""
    while name:
        path = SOURCE.joinpath(*name.split("."))
        if path.with_suffix(".py").exists() or (path / "__init__.py").exists():
            return name
        name = name.rpartition(".")[0]
    return None


IMPORTS = imports_of_package()
OURS = [found for found in IMPORTS if found.module.split(".")[0] == "rushlight"]
INSIDE = [found for found in OURS if found.file != "__init__.py"]


def complain(found):
    return "\n".join(map(str, found))


def test_every_module_has_a_level():
    units = {unit(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}
    assert units - LEVEL.keys() == set(), "name its level in LEVELS"


def test_no_level_and_no_exception_is_for_what_is_not_there():
    units = {unit(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}
    importing = {
        (unit(imported.file), imported.module.split(".")[1]) for imported in INSIDE if not imports_the_root(imported)
    }
    first_used = {(imported.module.split(".")[0], imported.file) for imported in IMPORTS if imported.inside_function}
    assert LEVEL.keys() - units == set()
    assert SAME_LEVEL - importing == set()
    assert {(package, file) for package, files in ON_FIRST_USE.items() for file in files} - first_used == set()


def test_nothing_inside_imports_the_package_root():
    bad = [imported for imported in INSIDE if imports_the_root(imported)]
    assert not bad, complain(bad)


def test_a_level_imports_only_lower_levels():
    bad = [imported for imported in INSIDE if not imports_the_root(imported) and points_up(imported)]
    assert not bad, complain(bad)


def test_imports_stand_at_the_top_except_those_of_optional_packages():
    bad = [imported for imported in IMPORTS if misplaced(imported)]
    assert not bad, complain(bad)


def test_modules_do_not_import_each_other_in_a_circle():
    graph = {}
    for imported in OURS:
        graph.setdefault(module_name(imported.file), set()).add(known_module(imported.module))
    for name, imported in graph.items():
        imported.discard(name)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.parametrize(
    ("file", "statement", "rule"),
    [
        ("nn/module.py", "import rushlight", imports_the_root),
        ("nn/module.py", "from rushlight import Tensor", imports_the_root),
        ("nn/module.py", "from .. import Tensor", imports_the_root),
        ("core/tensor.py", "from rushlight.autograd import backward", points_up),
        ("core/tensor.py", "from ..autograd import backward", points_up),
        ("declarations/view.py", "from rushlight.dispatch import general", points_up),
        ("nn/module.py", "import rushlight.optim.sgd", points_up),
        ("core/tensor.py", "def f():\n    import json", misplaced),
        ("core/tensor.py", "def f():\n    from rushlight.core import dtype", misplaced),
        ("core/tensor.py", "def f():\n    import scipy", misplaced),
        ("arrays/cpu.py", "import scipy", misplaced),
        ("core/tensor.py", "import torch", misplaced),
    ],
)
def test_the_rules_see_what_they_forbid(file, statement, rule):
    assert all(rule(imported) for imported in imports_of(statement, file))


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("arrays/special.py", "def f():\n    import scipy.special"),
        ("nn/module.py", "from rushlight.core.tensor import Tensor"),
        ("nn/module.py", "from . import functional"),
        ("nn/modules/linear.py", "from ..module import Module"),
        ("cuda/amp.py", "from rushlight.amp import autocast"),
        ("core/dtype.py", "import numpy as np\nimport ml_dtypes"),
    ],
)
def test_the_rules_allow_what_is_right(file, statement):
    rules = [imports_the_root, lambda found: found.module.startswith("rushlight") and points_up(found), misplaced]
    found = imports_of(statement, file)
    assert not any(rule(each) for each, rule in itertools.product(found, rules))

"""`python -m rushlight missing SCRIPT` lists the torch names that rushlight lacks, and runs nothing.

A package that the test writes stands in for rushlight; its name is a parameter of the search. The last stories are
told with the command itself.
"""

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight._missing import public_modules
from rushlight._near_names import INSTEAD
from rushlight.cli.missing import Lack, find_lack, main, read_program
from rushlight.cli.names import torch_names

SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)

SMALL = {
    "__init__.py": "from small import nn\nfloat32 = 1.5\nclass Tensor:\n    def add_(self): ...\ndef matmul(): ...\n",
    "nn/__init__.py": "class Linear: ...\n",
    "nn/functional.py": "def relu(): ...\n",
    "utils/__init__.py": "",
    "utils/board.py": "import a_package_that_is_not_installed\n",
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def small(tmp_path, monkeypatch):
    write(tmp_path / "small", SMALL)
    monkeypatch.syspath_prepend(tmp_path)
    yield "small"
    for name in [name for name in sys.modules if name.partition(".")[0] == "small"]:
        del sys.modules[name]


def uses(text):
    """`name:line` of every use that is more than a name of torch itself."""
    return {f"{use.name}:{use.line}" for use in torch_names(ast.parse(text)) if use.name != "torch"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import torch\ntorch.a", "torch.a:2"),
        ("import torch as T\nT.a.b", "torch.a:2 torch.a.b:2"),
        ("import torch.nn\ntorch.nn.A", "torch.nn:1 torch.nn:2 torch.nn.A:2"),
        (
            "import torch.nn.functional as F\nF.a(1).b",
            "torch.nn.functional:1 torch.nn.functional:2 torch.nn.functional.a:2",
        ),
        ("from torch import nn\nnn.A()", "torch.nn:1 torch.nn:2 torch.nn.A:2"),
        (
            "from torch.nn import functional as F\nF.a",
            "torch.nn.functional:1 torch.nn.functional:2 torch.nn.functional.a:2",
        ),
        ("from torch.nn import (\n  A,\n  B as C)", "torch.nn.A:1 torch.nn.B:1"),
        ("from torch.nn import *", "torch.nn:1"),
        ("import torch\nact = torch.nn.A\nact(act)", "torch.nn:2 torch.nn.A:2 torch.nn.A:3"),
        ("import torch\nnn = F = torch.a\nF.b", "torch.a:2"),
        ("import torch\ntorch.a.b = 3", "torch.a:2"),
        ("import torch\n(torch\n  .a\n  .b)", "torch.a:3 torch.a.b:4"),
        ("import torch\nx = torch.a(1)\nx.b\nx = x.c", "torch.a:2"),
        ("import torch\n@torch.a()\nclass A(torch.b):\n  c: torch.d = 1", "torch.a:2 torch.b:3 torch.d:4"),
        ("import torch\ndef f(x: torch.a = torch.b) -> torch.c: ...", "torch.a:2 torch.b:2 torch.c:2"),
        ("import torch\nlambda: torch.a\n[torch.b for x in torch.c]", "torch.a:2 torch.b:3 torch.c:3"),
        ("import torch\nf'{torch.a}'\nasync def f():\n  await torch.b", "torch.a:2 torch.b:4"),
        ("def f():\n  import torch\n  torch.a\ntorch.b", "torch.a:3"),
    ],
)
def test_the_names_that_a_text_uses(text, names):
    assert uses(text) == set(names.split())


@pytest.mark.parametrize(
    "text",
    [
        "import torchvision\ntorchvision.a",
        "from . import torch\ntorch.a",
        "torch.a",
        "import torch\ndef f(torch):\n  torch.a",
        "import torch\ndef f():\n  torch = 1\n  torch.a",
        "import torch\nlambda torch: torch.a",
        "import torch\n[torch.a for torch in (1, 2)]",
        "import torch\nfor torch in (1, 2): torch.a",
        "import torch\ndef f():\n  with open('x') as torch: torch.a",
        "import torch\ndef f():\n  try: ...\n  except OSError as torch: torch.a",
        "import torch\ndef f(x):\n  match x:\n    case [1, *torch]: torch.a",
        "import torch\nclass A:\n  def torch(self): ...\n  torch.a",
        "import torch\ndef f():\n  import other as torch\n  torch.a",
    ],
)
def test_a_name_that_is_bound_to_something_else_is_not_torch(text):
    assert uses(text) == set()


def test_a_class_does_not_hide_names_from_its_methods():
    text = "import torch\nclass A:\n  torch = 1\n  def f(self):\n    return torch.a"
    assert uses(text) == {"torch.a:5"}


def test_none_after_a_failed_import_leaves_the_name_a_torch_name():
    text = "try:\n  import torch.a as a\nexcept ImportError:\n  a = None\nif a:\n  a.b"
    assert uses(text) == {"torch.a:2", "torch.a:5", "torch.a:6", "torch.a.b:6"}


@pytest.mark.parametrize(
    ("name", "lack"),
    [
        ("torch", None),
        ("torch.matmul", None),
        ("torch.nn.functional.relu", None),
        ("torch.Tensor.add_", None),
        ("torch.float32.real", None),
        ("torch.utils.board.Writer", None),  # needs a package that is not installed: what is in it cannot be known
        ("torch.matmult", Lack("torch.matmult", "torch.matmul")),
        ("torch.nn.Lineal.weight", Lack("torch.nn.Lineal", "torch.nn.Linear")),
        ("torch.Tensor.ad_", Lack("torch.Tensor.ad_", "torch.Tensor.add_")),
        ("torch.nn.functionals.relu", Lack("torch.nn.functionals", "torch.nn.functional")),
        ("torch.float32.xyzzy", Lack("torch.float32.xyzzy", None)),
    ],
)
def test_what_a_package_lacks(small, name, lack):
    assert find_lack(name, small) == lack


def test_local_modules_are_read_each_once(tmp_path):
    files = {
        "train.py": "import torch\nimport models.net\nfrom helpers import f\nimport json\ntorch.a",
        "helpers.py": "import train, torch\ntorch.b",
        "models/__init__.py": "from . import layers\nfrom .deep import inner as i",
        "models/net.py": "from .layers import x\nfrom ..helpers import f",
        "models/layers.py": "from torch import c",
        "models/deep/inner.py": "from torch import d\nfrom ...models import layers",
        "unrelated.py": "from torch import e",
    }
    write(tmp_path, files)
    result = read_program(tmp_path / "train.py")
    assert {path.relative_to(tmp_path).as_posix() for path in result} == files.keys() - {"unrelated.py"}
    assert {use.name for names in result.values() for use in names} == {"torch", *(f"torch.{name}" for name in "abcd")}


LAYERS = "from torch import version, versions as v\nversion.__version__\nv.x"


def test_the_report_says_the_name_the_nearest_and_every_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"train.py": "import torch\nimport layers\ntorch.xyzzy\ntorch.xyzzy.x", "layers.py": LAYERS})
    assert main(["train.py"]) == 1
    assert capsys.readouterr().out == (
        "torch.versions: the nearest name that rushlight has is torch.version\n"
        "    layers.py:1\n"
        "    layers.py:3\n"
        "torch.xyzzy: nothing is near\n"
        "    train.py:3\n"
        "    train.py:4\n"
    )


def command(folder, *arguments):
    finished = subprocess.run(
        [sys.executable, "-m", "rushlight", "missing", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return finished.returncode, finished.stdout, finished.stderr


def test_the_command_does_not_run_the_script(tmp_path):
    write(tmp_path, {"script.py": "import torch, pathlib\npathlib.Path('ran').touch()\ntorch.version\n"})
    expected = (0, "rushlight has every torch name that script.py uses.\n", "")
    assert command(tmp_path, "script.py") == expected
    assert not (tmp_path / "ran").exists()


def test_the_command_says_by_its_status_that_something_is_missing(tmp_path):
    write(tmp_path, {"app/__main__.py": "import torch\ntorch.xyzzy\n"})
    assert command(tmp_path, "app") == (1, f"torch.xyzzy: nothing is near\n    {Path('app/__main__.py')}:2\n", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file or directory: 'script.py'\n"),
        ("print(", "'(' was never closed (script.py, line 1)\n"),
        ("\0", "source code string cannot contain null bytes"),
    ],
)
def test_a_script_that_cannot_be_read(tmp_path, text, reason):
    if text is not None:
        write(tmp_path, {"script.py": text})
    status, printed, error = command(tmp_path, "script.py")
    assert (status, printed) == (2, "")
    assert error.startswith("python -m rushlight missing: ") and reason in error


class ImportedMeanwhile(str):
    """The name of a module; while somebody looks at it, another thread finishes an import."""

    def partition(self, separator):
        sys.modules["imported_meanwhile"] = sys
        return super().partition(separator)


def test_modules_may_be_imported_while_they_are_looked_through(monkeypatch):
    monkeypatch.setitem(sys.modules, ImportedMeanwhile("looked_at"), sys)
    monkeypatch.delitem(sys.modules, "imported_meanwhile", raising=False)
    assert public_modules("rushlight")
    monkeypatch.delitem(sys.modules, "imported_meanwhile")


def test_the_report_says_what_to_write_where_no_near_name_would_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"train.py": "import torch\ntorch.onnx.utils.model_signature(f)"})
    assert main(["train.py"]) == 1
    assert capsys.readouterr().out == (
        "torch.onnx.utils: torch.onnx.export writes a model as a file of ONNX, from torch.export.export too.\n"
        "    train.py:2\n"
    )


@pytest.mark.parametrize("name", INSTEAD)
def test_what_to_write_instead_is_said_of_names_that_are_missing(name):
    parts = name.split(".")
    lacks = any(find_lack(".".join(parts[: count + 1])) for count in range(1, len(parts)))
    assert lacks or name in (
        "torch._dynamo",
        "torch._inductor",
        "torch._logging",
        "torch.ao",
        "torch.distributed",
        "torch.fx",
        "torch.jit",
        "torch.onnx",
    )  # of which some is there


def test_what_torch_distributed_lacks_is_said():
    torch = importlib.import_module("rushlight")
    with pytest.raises(AttributeError) as caught:
        _ = torch.distributed.symmetric_memory
    assert "torch.distributed has collectives and groups" in caught.value.__notes__[0]


def test_operators_that_a_program_defines_are_not_missing(tmp_path, capsys):
    script = tmp_path / "script.py"
    script.write_text("import torch\ntorch.ops.mine.f\ntorch.ops.aten.add.Tensor\ntorch.ops.torchvision.nms\n")
    assert main([str(script)]) == 0
    script.write_text("import torch\ntorch.ops.aten.nothing\n")
    assert main([str(script)]) == 1
    assert "torch.ops.aten.nothing" in capsys.readouterr().out

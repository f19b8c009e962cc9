"""`import torch` gives rushlight, under both names one module, in the program, what it imports and what it starts.

The mechanism takes the two names as parameters, so most stories are told with `lantern` as another name of a package
`miniature` that the test writes; the last ones are told with torch and rushlight.
"""

import copy
import importlib
import importlib.util
import multiprocessing
import os
import pickle
import subprocess
import sys
from multiprocessing import forkserver, spawn
from pathlib import Path

import pytest

from rushlight._as_torch import finder as alias
from rushlight._missing import MissingAttribute, MissingImport, attach

SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)

MINIATURE = {
    "__init__.py": """
from miniature import nn
import os
from functools import lru_cache
class Tensor:
    def clamp_(self): ...
def matmul(): ...
""",
    "nn/__init__.py": "from miniature.nn import functional\nclass Linear: ...\nclass Fold: ...\n",
    "nn/functional.py": "def relu(): ...\n",
    "optim.py": "class Adam: ...\n",
    "utils/__init__.py": "",
    "utils/data.py": "class DataLoader: ...\n",
    "utils/board.py": "import a_package_that_is_not_installed\n",
    "core/__init__.py": "def matrix(): ...\n",
}


def forget(*packages):
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def miniature(tmp_path, monkeypatch):
    """A package `miniature`, importable, and `lantern` as its other name."""
    write(tmp_path / "miniature", MINIATURE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(spawn, "get_preparation_data", spawn.get_preparation_data)
    monkeypatch.setattr(forkserver._forkserver, "_preload_modules", ["__main__"])
    alias.install("lantern", "miniature")
    yield
    forget("lantern", "miniature")


def test_both_names_mean_one_module(miniature):
    lantern = importlib.import_module("lantern")
    functional = importlib.import_module("lantern.nn.functional")
    assert lantern is sys.modules["lantern"] is importlib.import_module("miniature")
    assert functional is importlib.import_module("miniature.nn.functional") is lantern.nn.functional


@pytest.mark.parametrize(
    ("statement", "module", "name"),
    [
        ("import lantern as found", "miniature", None),
        ("import lantern.nn as found", "miniature.nn", None),
        ("import lantern.nn.functional as found", "miniature.nn.functional", None),
        ("import lantern.optim; found = lantern.optim", "miniature.optim", None),
        ("from lantern import optim as found", "miniature.optim", None),
        ("from lantern.nn import functional as found", "miniature.nn.functional", None),
        ("from lantern.utils.data import DataLoader as found", "miniature.utils.data", "DataLoader"),
        ("import importlib; found = importlib.import_module('lantern.optim')", "miniature.optim", None),
        ("import importlib; found = importlib.import_module('.data', 'lantern.utils')", "miniature.utils.data", None),
        ("found = __import__('lantern.optim', fromlist=['Adam'])", "miniature.optim", None),
    ],
)
def test_every_form_of_import(miniature, statement, module, name):
    namespace = {}
    exec(statement, namespace)
    expected = sys.modules[module]
    assert namespace["found"] is (getattr(expected, name) if name else expected)


@pytest.mark.parametrize("name", ["", ".utils.data"], ids=["root", "submodule"])
def test_modules_keep_their_own_name_and_spec(miniature, name):
    module = importlib.import_module(f"lantern{name}")
    own_name = module.__name__ if name else "miniature"  # the root says `lantern`: programs ask it
    assert (own_name, module.__spec__.name) == (f"miniature{name}", f"miniature{name}")
    assert module.__loader__ is module.__spec__.loader
    assert importlib.reload(module) is module


def test_what_the_package_imports_itself_is_there_under_the_other_name(miniature):
    importlib.import_module("lantern")
    assert sys.modules["lantern.nn.functional"] is sys.modules["miniature.nn.functional"]


def test_classes_pickle_as_what_they_say_they_are(miniature):
    linear = importlib.import_module("lantern.nn").Linear
    data = pickle.dumps(linear, protocol=2)
    assert b"miniature.nn" in data
    assert pickle.loads(data) is pickle.loads(data.replace(b"miniature.nn", b"lantern.nn")) is linear


def test_a_name_that_only_begins_alike_is_another_package(miniature, tmp_path):
    write(tmp_path, {"lanterns.py": "light = 3"})
    assert importlib.import_module("lanterns").light == 3
    assert importlib.util.find_spec("lanter") is None


def test_a_search_that_only_asks_finds_or_gets_none(miniature):
    assert importlib.util.find_spec("lantern").name == "lantern"
    assert importlib.util.find_spec("lantern.utils.data").origin.endswith("data.py")
    assert importlib.util.find_spec("lantern.there_is_none") is None
    assert "miniature.utils.data" not in sys.modules


@pytest.mark.parametrize("name", ["lantern.optin", "lantern.optin.adam", "lantern.nn.functionals"])
def test_a_module_that_is_not_there_is_named_as_the_program_named_it(miniature, name):
    with pytest.raises(ModuleNotFoundError) as caught:
        exec(compile(f"\nimport {name}", "program.py", "exec"), {})
    missing = {"lantern.optin.adam": "lantern.optin"}.get(name, name)
    assert (str(caught.value), caught.value.name) == (f"No module named {missing!r}", missing)
    nearest = {"lantern.optin": "torch.optim", "lantern.nn.functionals": "torch.nn.functional"}[missing]
    absent = missing.replace("lantern", "torch")
    assert caught.value.__notes__[0].startswith(
        f"program.py:2: rushlight has no {absent}. The nearest name that it has is {nearest}.\n"
    )


def test_a_module_that_needs_what_is_not_installed_says_so(miniature):
    with pytest.raises(ModuleNotFoundError, match="No module named 'a_package_that_is_not_installed'") as caught:
        importlib.import_module("lantern.utils.board")
    assert not hasattr(caught.value, "__notes__")


def test_a_module_below_a_file_is_not_a_package(miniature):
    with pytest.raises(ModuleNotFoundError, match="'lantern.optim' is not a package"):
        importlib.import_module("lantern.optim.adam")


@pytest.mark.parametrize(
    ("text", "message", "nearest"),
    [
        ("lantern.nn.Fould", "module 'torch.nn' has no attribute 'Fould'", "torch.nn.Fold"),
        ("lantern.matmult", "module 'torch' has no attribute 'matmult'", "torch.matmul"),
        ("lantern.nn.matmul", "module 'torch.nn' has no attribute 'matmul'", "torch.matmul"),
        ("lantern.relu", "module 'torch' has no attribute 'relu'", "torch.nn.functional.relu"),
        ("lantern.clamp_", "module 'torch' has no attribute 'clamp_'", "torch.Tensor.clamp_"),
        ("lantern.function", "module 'torch' has no attribute 'function'", "torch.nn.functional"),
    ],
)
def test_an_attribute_that_is_not_there(miniature, text, message, nearest):
    lantern = importlib.import_module("lantern")
    with pytest.raises(AttributeError) as caught:
        eval(compile(f"\n\n{text}", "program.py", "eval"), {"lantern": lantern})
    assert (type(caught.value), str(caught.value)) == (MissingAttribute, message)
    expected = f"program.py:3: rushlight has no torch{text.removeprefix('lantern')}. The nearest name that it has is "
    assert caught.value.__notes__[0].startswith(f"{expected}{nearest}.\n")


def test_nothing_near_is_said_too(miniature):
    with pytest.raises(MissingAttribute) as caught:
        _ = importlib.import_module("lantern").xyzzy
    assert " rushlight has no torch.xyzzy. It has no name that is near.\n" in caught.value.__notes__[0]


@pytest.mark.parametrize("name", ["matrix", "core", "os", "lru_cache"])
def test_inner_modules_and_names_that_were_only_imported_are_never_the_nearest(miniature, name):
    importlib.import_module("miniature.core")
    with pytest.raises(MissingAttribute) as caught:
        getattr(importlib.import_module("lantern.optim"), name)
    assert "It has no name that is near." in caught.value.__notes__[0]


def test_a_name_that_is_not_there_in_from_import(miniature):
    with pytest.raises(ImportError) as caught:
        exec(compile("\nfrom lantern.nn import (\n  Linear,\n  Fould)", "program.py", "exec"), {})
    file = sys.modules["miniature.nn"].__file__
    assert type(caught.value) is MissingImport
    assert str(caught.value) == f"cannot import name 'Fould' from 'torch.nn' ({file})"
    assert "program.py:2: rushlight has no torch.nn.Fould. The nearest" in caught.value.__notes__[0]


def test_asking_whether_a_name_is_there_costs_no_search(miniature, monkeypatch):
    monkeypatch.setattr(
        "rushlight._near_names.get_close_matches", lambda *arguments, **settings: pytest.fail("searched")
    )
    lantern = importlib.import_module("lantern")
    assert not hasattr(lantern, "xyzzy")
    assert getattr(lantern, "xyzzy", 3) == 3


def test_the_error_can_be_sent_to_another_process_with_its_note(miniature):
    with pytest.raises(MissingAttribute) as caught:
        _ = importlib.import_module("lantern").xyzzy
    for twin in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert (type(twin), str(twin), twin.name) == (AttributeError, str(caught.value), "xyzzy")
        assert twin.__notes__ == caught.value.__notes__


def test_a_note_that_the_program_adds_stands_below_ours(miniature):
    with pytest.raises(MissingAttribute) as caught:
        _ = importlib.import_module("lantern").xyzzy
    caught.value.add_note("mine")
    ours, added = caught.value.__notes__
    assert ("no torch.xyzzy" in ours, added) == (True, "mine")


def test_a_module_keeps_its_own_way_to_answer(miniature):
    optim = importlib.import_module("miniature.optim")
    optim.__getattr__ = lambda name: name
    attach("miniature")
    assert optim.anything == "anything"


def test_installing_twice_is_installing_once(miniature):
    before, prepare = list(sys.meta_path), spawn.get_preparation_data
    alias.install("lantern", "miniature")
    assert (sys.meta_path, spawn.get_preparation_data) == (before, prepare)


def test_two_libraries_under_one_name_are_refused(miniature, tmp_path):
    write(tmp_path, {"candle.py": ""})
    importlib.import_module("candle")
    with pytest.raises(ImportError, match="candle is loaded already, so `import candle` can no longer give miniature"):
        alias.install("candle", "miniature")


WORKERS = """
import multiprocessing
import sys
import torch
from helper import described

def work(number):
    import torch.version
    return number, torch.version is sys.modules["rushlight.version"], described()

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(work, [1, 2]))
"""
HELPER = "import torch\ndef described():\n    return torch.__name__\n"

PRELOADED = """
import multiprocessing

def work():
    print("worked")

if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch"])
    process = context.Process(target=work)
    process.start()
    process.join()
    print(process.exitcode)
"""


def run(folder, *arguments, text=None):
    return subprocess.run(
        [sys.executable, "-m", "rushlight", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1"},
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_that_a_program_starts_get_rushlight(tmp_path, method):
    another_torch = "raise SystemError('another torch than rushlight was imported')"
    write(tmp_path, {"program.py": WORKERS, "helper.py": HELPER, "torch.py": another_torch})
    finished = run(tmp_path, "program.py", method)
    assert (finished.stdout, finished.stderr) == ("[(1, True, 'torch'), (2, True, 'torch')]\n", "")


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_a_process_that_was_given_another_torch_is_stopped(tmp_path):
    write(tmp_path, {"program.py": PRELOADED, "torch.py": ""})
    finished = run(tmp_path, "program.py")
    assert finished.stdout == "1\n"
    assert "ImportError: torch is loaded already, so `import torch` can no longer give rushlight" in finished.stderr


def test_the_command_line_knows_the_missing_names_of_a_program(tmp_path):
    write(tmp_path, {"program.py": "import torch\n\ntorch.there_is_no_such_name\n"})
    finished = run(tmp_path, "program.py")
    file = tmp_path / "program.py"
    shown = finished.stderr.splitlines()
    assert (finished.returncode, shown[:3]) == (
        1,
        [
            "Traceback (most recent call last):",
            f'  File "{file}", line 3, in <module>',
            "    torch.there_is_no_such_name",
        ],
    )
    assert "\nAttributeError: module 'torch' has no attribute 'there_is_no_such_name'\n" in finished.stderr
    assert f"{file}:3: rushlight has no torch.there_is_no_such_name." in finished.stderr
    assert "rushlight/" not in finished.stderr


@pytest.mark.parametrize(
    "statement",
    ["import torch.there_is_none", "from torch import there_is_none", "from torch.there_is_none import x"],
)
def test_the_traceback_of_a_failed_import_ends_at_the_programs_line(statement):
    finished = run(None, "-", text=f"\n{statement}\n")
    assert finished.returncode == 1
    assert finished.stderr.startswith('Traceback (most recent call last):\n  File "<stdin>", line 2, in <module>\n')
    assert finished.stderr.count("  File ") == 1
    assert "<stdin>:2: rushlight has no torch.there_is_none." in finished.stderr


def test_the_root_says_the_name_that_programs_know(miniature):
    assert importlib.import_module("lantern").__name__ == "lantern"


def test_installing_can_be_undone(miniature):
    lantern = importlib.import_module("lantern")
    assert importlib.import_module("lantern.nn").Linear
    alias.uninstall("lantern", "miniature")
    assert sys.modules["miniature"] is lantern
    assert lantern.__name__ == "miniature"
    assert not [name for name in sys.modules if name.partition(".")[0] == "lantern"]
    assert importlib.util.find_spec("lantern") is None
    assert "lantern" not in spawn.get_preparation_data("a process")
    alias.uninstall("lantern", "miniature")


def test_a_library_that_is_not_ours_stays_when_it_is_undone(miniature, tmp_path):
    write(tmp_path, {"candle.py": ""})
    candle = importlib.import_module("candle")
    alias.uninstall("candle", "miniature")
    assert sys.modules["candle"] is candle


IN_A_PROGRAM = '''
import importlib.metadata
import os
import subprocess
import sys

import rushlight

before = os.environ.get("PYTHONPATH")
rushlight.install()
import torch

print(torch is rushlight, torch.torch is torch, torch.__name__)
print(importlib.metadata.version("torch") == torch.__version__)
print(set(importlib.metadata.packages_distributions()["torch"]))
ask = """
import importlib.metadata
version = importlib.metadata.version("torch")
import torch.nn
print(torch.__name__, version == torch.__version__)
"""
subprocess.run([sys.executable, "-c", ask], check=True)
rushlight.uninstall()
print(os.environ.get("PYTHONPATH") == before, rushlight.__name__, "torch" in sys.modules)
'''


def test_a_program_installs_and_uninstalls_and_what_it_starts_finds_rushlight_too(tmp_path):
    write(tmp_path, {"program.py": IN_A_PROGRAM})
    finished = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.stderr == ""
    assert finished.stdout.splitlines() == [
        "True True torch",
        "True",
        "{'torch'}",
        "torch True",
        "True rushlight False",
    ]


def test_a_plain_python_that_a_program_starts_finds_rushlight(tmp_path):
    child = "import torch; print(torch.__name__, torch.ones(2).sum())"
    finished = run(tmp_path, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])")
    assert (finished.stdout, finished.stderr) == ("torch tensor(2.)\n", "")


def test_pytest_runs_the_tests_of_a_package_that_needs_torch(tmp_path):
    write(tmp_path, {"test_one.py": "import torch\n\ndef test_it():\n    assert 'rushlight' in torch.__version__\n"})
    finished = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "rushlight.testing.plugin",
            "-p",
            "no:cacheprovider",
            "test_one.py",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "1 passed" in finished.stdout, finished.stdout + finished.stderr

"""`python -m rushlight PROGRAM` is `python PROGRAM`: the same arguments, `__main__`, exit status and tracebacks.

Every program here runs both ways, and all that it writes must be the same; none of them imports torch.
"""

import importlib.util
import os
import py_compile
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SOURCE = str(Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent)

DESCRIBE = """
'''A docstring.'''
import sys
x = 1
names = sorted(globals())
print(names, __name__, globals().get("__file__"), __doc__, __package__, globals().get("__cached__"))
print(type(__builtins__), __loader__.__class__, __spec__ and __spec__.name, sys.modules["__main__"].x)
print(sys.argv, sys.path)
"""

CHAIN = """
def fails():
    try:
        {}["key"]
    except KeyError as error:
        raise ValueError("second") from error
try:
    fails()
except ValueError:
    raise RuntimeError("third")
"""

AFTER_THE_END = """
import atexit, pickle, sys, threading, time

class Point: pass

def late(when):
    print(when, type(pickle.loads(pickle.dumps(Point()))) is Point, sys.modules["__main__"].Point is Point)

def slow():
    time.sleep(0.1)
    late("in a thread")

atexit.register(late, "at exit")
threading.Thread(target=slow).start()
"""

OWN_HOOK = """
import sys, traceback
def hook(kind, error, entries):
    print("hook", kind.__name__, error, [entry.name for entry in traceback.extract_tb(entries)])
sys.excepthook = hook
def f(): 1 / 0
f()
"""


def outcome(*arguments, folder, standard_input=None, options=()):
    finished = subprocess.run(
        [sys.executable, *options, *arguments],
        cwd=folder,
        input=standard_input,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1"},
    )
    return finished.returncode, finished.stdout, finished.stderr


def both(*arguments, **settings):
    """What `python` gives, after checking that rushlight gives the same."""
    expected = outcome(*arguments, **settings)
    assert outcome("-m", "rushlight", *arguments, **settings) == expected
    return expected


@pytest.fixture
def folder(tmp_path):
    """A folder with one program in every form that `python` can run."""
    (tmp_path / "script.py").write_text(DESCRIBE)
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(DESCRIBE)
    (package / "module.py").write_text(DESCRIBE)
    (tmp_path / "link.py").symlink_to(package / "module.py")
    (tmp_path / "empty").mkdir()
    py_compile.compile(str(tmp_path / "script.py"), cfile=str(tmp_path / "compiled.pyc"))
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        archive.writestr("__main__.py", DESCRIBE)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["script.py", "-c", "--help", "--", "-m", "missing", "--version", ""],
        ["package/module.py"],
        ["link.py"],
        ["package", "-x"],
        ["program.zip", "-x"],
        ["compiled.pyc"],
        ["-m", "package", "-x", "--"],
        ["-m", "package.module", "-V"],
        ["-mscript", "-V"],
        ["-c", DESCRIBE, "-c", "--help"],
    ],
    ids=lambda arguments: arguments[0] + "_" + arguments[-1][:9],
)
def test_a_program_finds_what_python_gives_it(folder, arguments):
    status, printed, _ = both(*arguments, folder=folder)
    assert status == 0
    assert "__main__" in printed


def test_a_program_comes_from_standard_input(folder):
    status, printed, _ = both("-", "-x", "y", folder=folder, standard_input=DESCRIBE)
    assert (status, "['-', '-x', 'y']" in printed) == (0, True)


@pytest.mark.parametrize("program", ["script.py", "package"])
def test_safe_path_keeps_the_script_folder_away(folder, program):
    assert both(program, folder=folder, options=["-P"])[0] == 0


@pytest.mark.parametrize(
    ("text", "status", "error"),
    [
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(7)", 7, ""),
        ("raise SystemExit('farewell')", 1, "farewell\n"),
        ("import sys; sys.exit([1, 2])", 1, "[1, 2]\n"),
        ("import os; os._exit(5)", 5, ""),
    ],
)
def test_exit_status(folder, text, status, error):
    assert both("-c", text, folder=folder) == (status, "", error)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("def f():\n    1 / 0\nf()\n", "ZeroDivisionError: division by zero"),
        (CHAIN, "RuntimeError: third"),
        ("print(1\n", "SyntaxError: '(' was never closed"),
        ("import there_is_no_such_module\n", "ModuleNotFoundError: No module named 'there_is_no_such_module'"),
        ("raise ExceptionGroup('both', [ValueError(1), TypeError(2)])", "    +------------------------------------"),
    ],
    ids=["function", "chain", "syntax", "import", "group"],
)
def test_tracebacks_begin_in_the_program(folder, text, last):
    (folder / "fails.py").write_text(text)
    status, _, error = both("fails.py", folder=folder)
    assert (status, error.splitlines()[-1]) == (1, last)


def test_the_programs_own_hook_sees_only_its_frames(folder):
    status, printed, _ = both("-c", OWN_HOOK, folder=folder)
    assert (status, printed) == (1, "hook ZeroDivisionError division by zero ['<module>', 'f']\n")


def test_an_interrupt_ends_the_program_as_a_signal(folder):
    (folder / "interrupted.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    _, _, error = both("interrupted.py", folder=folder)
    assert error.endswith("KeyboardInterrupt\n")


@pytest.mark.skipif(os.name != "posix", reason="the shell's 130 is POSIX's way to say SIGINT")
def test_a_shell_sees_status_130_after_an_interrupt(folder):
    (folder / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    command = f'"{sys.executable}" -m rushlight interrupted.py; echo $?'
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    shell = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, env=environment)
    assert shell.stdout == "130\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["none.py"], 2), (["-m", "none"], 1), (["-m", "empty"], 1), (["empty"], 1)],
    ids=["file", "module", "package", "folder"],
)
def test_a_program_that_is_not_there(folder, arguments, status):
    assert both(*arguments, folder=folder)[0] == status


def test_main_lives_on_when_the_program_has_ended(folder):
    _, printed, _ = both("-c", AFTER_THE_END, folder=folder)
    assert printed == "in a thread True True\nat exit True True\n"


def test_no_compiled_file_of_the_program_is_left(folder):
    both("script.py", folder=folder)
    assert not (folder / "__pycache__").exists()


def test_version_and_help(folder):
    version = importlib.import_module("rushlight.version").__version__
    assert outcome("-m", "rushlight", "--version", folder=folder) == (0, f"rushlight {version}\n", "")
    status, printed, _ = outcome("-m", "rushlight", "--help", folder=folder)
    assert (status, printed.startswith("usage: python -m rushlight SCRIPT [ARGS...]\n")) == (0, True)


@pytest.mark.parametrize(
    "arguments", [[], ["--unknown"], ["-c"], ["-m"]], ids=lambda words: " ".join(words) or "nothing"
)
def test_what_cannot_be_meant_is_refused_with_the_usage(folder, arguments):
    status, _, error = outcome("-m", "rushlight", *arguments, folder=folder)
    assert (status, error.startswith("usage: python -m rushlight SCRIPT [ARGS...]\n")) == (2, True)

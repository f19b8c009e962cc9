"""Runs an unmodified `import torch` program as `python` would, with rushlight as torch.

From command line arguments to the program's `__main__` module; `_as_torch` provides `import torch`.
"""

import argparse
import builtins
import os
import pkgutil
import runpy
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from types import CodeType, ModuleType
from typing import cast

from rushlight._as_torch.finder import install
from rushlight.cli.report import report_program_frames_only, report_threads_likewise
from rushlight.core.tracebacks import SWITCH
from rushlight.version import __version__

USAGE = """python -m rushlight SCRIPT [ARGS...]
       python -m rushlight -c CODE [ARGS...]
       python -m rushlight -m MODULE [ARGS...]
       python -m rushlight --watch SCRIPT [ARGS...]
       python -m rushlight --full-traceback SCRIPT [ARGS...]
       python -m rushlight missing SCRIPT
       python -m rushlight explain SCRIPT [--at LINE] [ARGS...]
       python -m rushlight profile SCRIPT [ARGS...]
       python -m rushlight inspect FILE
       python -m rushlight convert FROM TO
       python -m rushlight provide-torch [--remove]
       python -m rushlight torchrun [--nproc-per-node N] [--report] SCRIPT [ARGS...]
       python -m rushlight bench | doctor"""
DESCRIPTION = """Run a PyTorch program with rushlight in the place of torch, as `python SCRIPT ARGS...` would run it.
`--watch` warns of mistakes that go on without an error, with their lines, and sums up at the end. `--full-traceback`
leaves rushlight's own frames in tracebacks, as RUSHLIGHT_TRACEBACK=full in the environment does. `missing` lists which
torch names SCRIPT uses that rushlight lacks, without running it. `explain` runs SCRIPT and explains the exception that
ends it, or the variables of LINE. `profile` runs SCRIPT and shows which of its lines took the time. `inspect` shows
what is in a checkpoint, and `convert` writes its tensors in another format, without running anything of it.
`torchrun` starts SCRIPT in several processes. `provide-torch` lets pip install packages that need torch without
PyTorch. `bench` measures rushlight beside PyTorch, `doctor` looks whether all is well on this machine. All have --help.
The command `rushlight` does the same as `python -m rushlight`."""
SCRIPT_HELP = "the program: a file, a folder or zip file with a __main__.py, or - for standard input"
# Modules of this package, imported on use.
COMMANDS = {
    **{name: name for name in ("bench", "convert", "doctor", "explain", "inspect", "missing", "profile")},
    "provide-torch": "provide",
    "torchrun": "torchrun",
}
run_module_as_main = runpy._run_module_as_main  # type: ignore[attr-defined]  # what `python -m` itself calls


def main(arguments: Sequence[str]) -> int:
    """Runs the command line; returns the exit status unless the program sets its own."""
    match list(arguments):
        case [command, *rest] if command in COMMANDS:
            return import_module(f"rushlight.cli.{COMMANDS[command]}").main(rest)
        case ["--watch", *rest]:
            import_module("rushlight.explain.watch").switch_on()
            return main(rest)
        case ["--record-rank", folder, *rest]:
            return import_module("rushlight.cli.torchrun").recorded(folder, lambda: main(rest))
        case ["--full-traceback", *rest]:
            os.environ[SWITCH] = "full"
            return main(rest)
        case ["-c", code, *rest]:
            return run_code(code, rest)
        case ["-m", module, *rest]:
            return run_module(module, rest)
        case [option, *rest] if option[:2] in ("-c", "-m") and len(option) > 2:
            return main([option[:2], option[2:], *rest])
        case ["-", *rest]:
            return run_standard_input(rest)
        case [path, *rest] if not path.startswith("-"):
            return run_path(path, rest)
    parser().parse_args(arguments[:1])
    return parser().error("which SCRIPT?")


def parser() -> argparse.ArgumentParser:
    """Returns the parser of our own options. It never sees the program's options."""
    parser = argparse.ArgumentParser(
        prog="python -m rushlight",
        usage=USAGE,
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("SCRIPT", nargs="?", help=SCRIPT_HELP)
    parser.add_argument("-c", metavar="CODE", help="run this text as the program")
    parser.add_argument("-m", metavar="MODULE", help="run this module as the program")
    parser.add_argument("--watch", action="store_true", help="before any of these: warn of mistakes that give no error")
    parser.add_argument(
        "--full-traceback", action="store_true", help="before any of these: show rushlight's frames too"
    )
    parser.add_argument("--record-rank", metavar="FOLDER", help="what `torchrun --report` starts ranks with")
    parser.add_argument("-V", "--version", action="version", version=f"rushlight {__version__}")
    return parser


def run_path(path: str, arguments: list[str]) -> int:
    file = os.getcwd() if path == "." else os.path.join(os.getcwd(), path)
    if pkgutil.get_importer(file) is not None:
        return run_archive(path, file, arguments)
    loader = (SourcelessFileLoader if path.endswith(".pyc") else SourceFileLoader)("__main__", file)
    try:
        loader.get_data(file)
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        print(f"{sys.orig_argv[0]}: can't open file {file!r}: {reason}", file=sys.stderr)
        return 2
    prepare([path, *arguments], os.path.dirname(os.path.realpath(file)))
    return run_main(lambda: file_code(loader, file), loader, file)


def file_code(loader: SourceFileLoader | SourcelessFileLoader, file: str) -> CodeType:
    if isinstance(loader, SourcelessFileLoader):
        return cast(CodeType, loader.get_code("__main__"))  # None is for modules without code, which a .pyc is not
    return compile(loader.get_data(file), file, "exec", dont_inherit=True)


def run_archive(path: str, file: str, arguments: list[str]) -> int:
    """Runs the `__main__.py` of a folder or a zip file."""
    prepare([path, *arguments], file, even_if_safe=True)
    return run_guarded(lambda: run_module_as_main("__main__", alter_argv=False))


def run_module(name: str, arguments: list[str]) -> int:
    prepare(["-m", *arguments], os.getcwd())
    return run_guarded(lambda: run_module_as_main(name))


def run_code(text: str, arguments: list[str]) -> int:
    prepare(["-c", *arguments], "")
    return run_main(lambda: compile(text, "<string>", "exec", dont_inherit=True), BuiltinImporter)


def run_standard_input(arguments: list[str]) -> int:
    prepare(["-", *arguments], "")
    text = sys.stdin.buffer.read()
    return run_main(lambda: compile(text, "<stdin>", "exec", dont_inherit=True), BuiltinImporter, "<stdin>")


def prepare(arguments: list[str], import_folder: str, even_if_safe: bool = False) -> None:
    """Prepares what a program finds at its start: arguments, import path, an empty `__main__`, and torch.

    `__main__` stays after the program has ended, as with `python`: threads and exit handlers still need it.
    (`runpy.run_path` would restore ours.)
    """
    sys.argv[:] = arguments
    if not sys.flags.safe_path:
        sys.path[0] = import_folder
    elif even_if_safe:
        sys.path.insert(0, import_folder)
    sys.modules["__main__"] = ModuleType("__main__")
    vars(sys.modules["__main__"]).update(__builtins__=builtins, __annotations__={})
    install()
    report_threads_likewise()


def run_main(make_code: Callable[[], CodeType], loader: object, file: str | None = None) -> int:
    """Runs a program's code in `__main__`, with the names that `python` sets there."""
    namespace = vars(sys.modules["__main__"])
    namespace["__loader__"] = loader
    if file is not None:
        namespace.update(__file__=file, __cached__=None)
    return run_guarded(lambda: exec(make_code(), namespace))


def run_guarded(program: Callable[[], object]) -> int:
    """Calls `program`. Exceptions that leave it, and the exit status that they mean, are left to Python."""
    try:
        program()
    except SystemExit:
        raise
    except BaseException:
        report_program_frames_only()
        raise
    return 0

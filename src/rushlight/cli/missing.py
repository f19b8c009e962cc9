"""`python -m rushlight missing SCRIPT`: the torch names that a script uses and rushlight lacks, without running it.

The local modules that the script imports, those beside it, are read too.
"""

import argparse
import ast
import importlib
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from rushlight._as_torch.finder import find_original
from rushlight._library.registry import FIRST_NAMED
from rushlight._missing import public_name
from rushlight._near_names import instead, nearest
from rushlight._ops import _OpNamespace
from rushlight.cli.names import Use, torch_names

PACKAGE = __name__.partition(".")[0]


class Lack(NamedTuple):
    """A name that rushlight lacks, as PyTorch spells it, and the nearest one that it has."""

    name: str
    alternative: str | None


def main(arguments: Sequence[str]) -> int:
    """Prints the missing names; returns 0 without any, 1 with some, 2 if the script cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m rushlight missing", description=__doc__)
    parser.add_argument("SCRIPT", type=Path, help="a Python file, or a folder with a __main__.py")
    script = parser.parse_args(arguments).SCRIPT
    try:
        uses = read_program(script / "__main__.py" if script.is_dir() else script)
    except (OSError, SyntaxError, ValueError) as error:
        print(f"python -m rushlight missing: {error}", file=sys.stderr)
        return 2
    lacks = find_lacks(uses)
    print(table(lacks) if lacks else f"rushlight has every torch name that {script} uses.")
    return 1 if lacks else 0


def read_program(script: Path) -> dict[Path, set[Use]]:
    """Returns the torch names that a script and its local modules use, by file."""
    uses: dict[Path, set[Use]] = {}
    waiting = [script]
    while waiting:
        file = waiting.pop()
        if file not in uses:
            tree = ast.parse(file.read_bytes(), str(file))
            uses[file] = torch_names(tree)
            waiting.extend(local_files(tree, file, script.parent))
    return uses


def local_files(tree: ast.Module, file: Path, folder: Path) -> Iterator[Path]:
    """Yields the files that a file's imports would run, within the script's folder."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield from module_files(folder, alias.name)
            case ast.ImportFrom(module=module, level=level, names=names):
                start = file.parents[level - 1] if 0 < level <= len(file.parents) else folder
                for alias in names:
                    yield from module_files(start, f"{module}.{alias.name}" if module else alias.name)


def module_files(folder: Path, name: str) -> Iterator[Path]:
    """Yields the files of a module and of its parent packages: importing `a.b.c` runs all three."""
    path = folder
    for part in name.split("."):
        path = path / part
        candidates = (path / "__init__.py", path.with_name(f"{part}.py"))
        yield from (candidate for candidate in candidates if candidate.is_file())


def find_lacks(uses: dict[Path, set[Use]]) -> dict[Lack, dict[Path, set[int]]]:
    """Returns the uses of names that rushlight lacks."""
    names = {use.name for uses_here in uses.values() for use in uses_here}
    lacks = {name: find_lack(name) for name in sorted(names)}
    lines_of: dict[Lack, dict[Path, set[int]]] = defaultdict(lambda: defaultdict(set))
    for file, uses_here in uses.items():
        for use in uses_here:
            lack = lacks[use.name]
            if lack is not None:
                lines_of[lack][file].add(use.line)
    return lines_of


def find_lack(name: str, package: str = PACKAGE) -> Lack | None:
    """Returns the first part of a torch name's path that `package` lacks; None if it has all."""
    holder_name = package
    holder: object = importlib.import_module(package)
    for part in name.split(".")[1:]:
        try:
            member = member_of(holder_name, holder, part)
        except AttributeError:
            if defined_by_programs(holder):
                return None
            torch_name = public_name(f"{holder_name}.{part}")
            return Lack(torch_name, nearest(holder_name, holder, part))
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] == package:
                raise
            return None  # exists, and needs an optional package
        holder_name, holder = f"{holder_name}.{part}", member
    return None


def defined_by_programs(holder: object) -> bool:
    """Whether it is a namespace of operators that programs define at run time."""
    return isinstance(holder, _OpNamespace) and holder.name not in FIRST_NAMED


def member_of(holder_name: str, holder: object, part: str) -> object:
    """Returns an attribute of a module or class, or a module to import; raises AttributeError if there is neither."""
    try:
        return getattr(holder, part)
    except AttributeError:
        if not isinstance(holder, ModuleType) or find_original(f"{holder_name}.{part}") is None:
            raise
        return importlib.import_module(f"{holder_name}.{part}")


def table(lacks: dict[Lack, dict[Path, set[int]]]) -> str:
    """Returns one paragraph per missing name: the name, the nearest one, and its lines as `file:line`."""
    return "\n".join(
        paragraph(lack, lines_of) for lack, lines_of in sorted(lacks.items(), key=lambda item: item[0].name)
    )


def paragraph(lack: Lack, lines_by_file: dict[Path, set[int]]) -> str:
    near = f"the nearest name that rushlight has is {lack.alternative}" if lack.alternative else "nothing is near"
    lines = (f"    {file}:{line}" for file, lines_of in sorted(lines_by_file.items()) for line in sorted(lines_of))
    return "\n".join([f"{lack.name}: {instead(lack.name) or near}", *lines])

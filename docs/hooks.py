"""What the site has beyond the pages in this folder: the reference, and the READMEs of the package's folders."""

import functools
import re
import sys
import tomllib
from pathlib import Path

from mkdocs.structure.files import File

from rushlight.describe import errors, reference, traps

sys.path.insert(0, str(Path(__file__).parent))  # where the other hooks lie

from pictures import with_pictures  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rushlight"
BENCHMARKS = ROOT / "docs" / "benchmarks"
ERRORS, REFERENCE, DESIGN, TRAPS = "errors", "reference", "design", "traps"
KOREAN = "ko"  # the folder of the Korean pages, and the language that they are marked with
ERRORS_IN_KOREAN, WORDS_OF_ERRORS = f"{KOREAN}/{ERRORS}", ROOT / "docs" / KOREAN / "errors.toml"
# A link to a file of the repository: to the README of a folder of the package, or to anything else that is no page.
README = re.compile(r"\]\((?:\.\./)*(?:src/rushlight/)?((?:\w+/)*)README\.md\)")
SOURCE = re.compile(r"\[([^\]]*)\]\((?!https?:|#)[^)]*?(?:\.py|/|LICENSE|examples|CONTRIBUTING\.md|CHANGELOG\.md)\)")


def on_config(config):
    """Adds what is generated to the navigation: the classes, the families of operators, and the folders."""
    pages = generated_pages()
    names = list(pages[REFERENCE])
    operators = [f"{REFERENCE}/{name}" for name in names if name.startswith("operators_")]
    modules = [f"{REFERENCE}/{name}" for name in names if not name.startswith("operators_")]
    korean = next(section for section in config.nav if "한국어" in section)
    korean["한국어"].append({"오류": [f"{ERRORS_IN_KOREAN}/{name}" for name in pages[ERRORS_IN_KOREAN]]})
    config.nav += [
        {"Reference": [*modules, {"Operators": ["operators.md", *sorted(operators)]}]},
        {"Errors": [f"{ERRORS}/{name}" for name in pages[ERRORS]]},
        {"Mistakes without errors": [f"{TRAPS}/{name}" for name in pages[TRAPS]]},
        {"About": [*about_pages(), {"Benchmarks": ["benchmarks/index.md", *benchmark_pages()]}, "release.md"]},
        {"Design": [*map(design_page, sorted(path.parent for path in PACKAGE.rglob("README.md")))]},
        {"Decisions": [f"decisions/{path.name}" for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]},
    ]
    return config


@functools.cache
def generated_pages():
    """The pages that are written while the site is built, by folder and by name."""
    return {
        REFERENCE: reference.pages(),
        ERRORS: errors.pages(),
        TRAPS: traps.pages(),
        ERRORS_IN_KOREAN: errors.pages(tomllib.loads(WORDS_OF_ERRORS.read_text("utf-8"))),
    }


def about_pages():
    """What differs from PyTorch and, once the nightly run has written it, which packages run."""
    return [name for name in ("what-differs.md", "packages.md") if (ROOT / "docs" / name).exists()]


def benchmark_pages():
    """One page for each processor that was measured."""
    return sorted(f"benchmarks/{path.name}" for path in BENCHMARKS.glob("*.md") if path.stem != "index")


def on_files(files, config):
    """Adds the generated pages."""
    for folder, pages in generated_pages().items():
        for name, text in pages.items():
            files.append(File.generated(config, f"{folder}/{name}", content=text))
    for path in sorted(PACKAGE.rglob("README.md")):
        files.append(File.generated(config, design_page(path.parent), content=path.read_text("utf-8")))
    return files


def design_page(folder):
    """The page of a folder of the package."""
    parts = folder.relative_to(PACKAGE).parts
    return f"{DESIGN}/{'_'.join(parts) or 'package'}.md"


def on_page_markdown(markdown, page, **_):
    """Points links at the pages of the site; what has no page here stays as words. Then draws the pictures."""
    up = "../" * page.file.src_uri.count("/")
    here = tuple(page.file.src_uri.removeprefix(f"{DESIGN}/").removesuffix(".md").split("_"))
    base = PACKAGE.joinpath(*(() if here == ("package",) else here)) if page.file.src_uri.startswith(DESIGN) else None

    def to_design(found):
        relative = found.group(1)
        folder = (base / relative) if base is not None and "src/rushlight" not in found.group(0) else PACKAGE / relative
        if not (folder / "README.md").exists():
            return found.group(0)
        return f"]({up}{design_page(folder)})"

    return with_pictures(SOURCE.sub(r"\1", README.sub(to_design, markdown)))


def on_page_context(context, page, config, **_):
    """Marks Korean pages as Korean, for browsers, readers aloud and search engines; the theme then speaks it too."""
    config.theme["language"] = KOREAN if page.file.src_uri.startswith(f"{KOREAN}/") else "en"
    return context

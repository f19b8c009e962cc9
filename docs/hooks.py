"""Adds generated pages to the site: the reference, errors, traps, and the READMEs of the package's folders."""

import functools
import re
import sys
import tomllib
from pathlib import Path

from mkdocs.structure.files import File

from rushlight.describe import errors, reference, traps

sys.path.insert(0, str(Path(__file__).parent))  # the folder of the other hooks

from pictures import with_pictures  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rushlight"
BENCHMARKS = ROOT / "docs" / "benchmarks"
ERRORS, REFERENCE, DESIGN, TRAPS = "errors", "reference", "design", "traps"
KOREAN = "ko"  # the folder of the Korean pages, and their language
ERRORS_IN_KOREAN, WORDS_OF_ERRORS = f"{KOREAN}/{ERRORS}", ROOT / "docs" / KOREAN / "errors.toml"
# A link to the README of a folder of the package; a link to another file that is not a page.
README = re.compile(r"\]\((?:\.\./)*(?:src/rushlight/)?((?:\w+/)*)README\.md\)")
SOURCE = re.compile(r"\[([^\]]*)\]\((?!https?:|#)[^)]*?(?:\.py|/|LICENSE|examples|CONTRIBUTING\.md|CHANGELOG\.md)\)")


def on_config(config):
    """Adds the generated pages to the navigation: classes, families of operators, errors, traps, folders, decisions."""
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
    """Returns the generated pages by folder and name."""
    return {
        REFERENCE: reference.pages(),
        ERRORS: errors.pages(),
        TRAPS: traps.pages(),
        ERRORS_IN_KOREAN: errors.pages(tomllib.loads(WORDS_OF_ERRORS.read_text("utf-8"))),
    }


def about_pages():
    """Lists `what-differs.md`, and `packages.md` if the nightly run has written it."""
    return [name for name in ("what-differs.md", "packages.md") if (ROOT / "docs" / name).exists()]


def benchmark_pages():
    """Lists the page of each measured processor."""
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
    """Returns the name of the page of a folder of the package."""
    parts = folder.relative_to(PACKAGE).parts
    return f"{DESIGN}/{'_'.join(parts) or 'package'}.md"


def on_page_markdown(markdown, page, **_):
    """Points links at pages of the site, turns other links into text, and adds the pictures of examples."""
    up = "../" * page.file.src_uri.count("/")
    here = tuple(page.file.src_uri.removeprefix(f"{DESIGN}/").removesuffix(".md").split("_"))
    base = PACKAGE.joinpath(*(() if here == ("package",) else here)) if page.file.src_uri.startswith(DESIGN) else None

    def to_design(match):
        relative = match.group(1)
        folder = (base / relative) if base is not None and "src/rushlight" not in match.group(0) else PACKAGE / relative
        if not (folder / "README.md").exists():
            return match.group(0)
        return f"]({up}{design_page(folder)})"

    return with_pictures(SOURCE.sub(r"\1", README.sub(to_design, markdown)))


def on_page_context(context, page, config, **_):
    """Sets the language of Korean pages, for browsers, screen readers, search engines and the theme."""
    config.theme["language"] = KOREAN if page.file.src_uri.startswith(f"{KOREAN}/") else "en"
    return context

"""Links between the pages of the repository lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(
        page
        for top in ("benchmarks", "changelog.d", "docs", "examples", "src", "tests")
        for page in (ROOT / top).rglob("*.md")
    ),
]
LINK = re.compile(r"\]\((?!https?://)([^)#]+)")


def broken_links(text, folder):
    return [target for target in LINK.findall(text) if not (folder / target).exists()]


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    assert not broken_links(page.read_text("utf-8"), page.parent)


def test_a_broken_link_is_seen(tmp_path):
    (tmp_path / "here.md").touch()
    text = "[a](here.md) [b](gone.md) [c](https://example.org) [d](here.md#part)"
    assert broken_links(text, tmp_path) == ["gone.md"]

"""The text for a package index: README.md, with links that work there.

The build calls it (`[tool.hatch.metadata.hooks.custom]` in pyproject.toml). Links of README.md are paths in the
repository, which do not work on an index. They get the address before `docs/index.md` in `project.urls` as a prefix;
without an address they become text with the path.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

FIRST_PAGE = "docs/index.md"  # the end of Documentation in `project.urls`, after the address
LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#)([^)]+)\)")
WITHOUT_ADDRESS = "\nPaths in this text are those of the source distribution.\n"


class LongDescription(MetadataHookInterface):
    def update(self, metadata):
        text = Path(self.root, "README.md").read_text("utf-8")
        address = metadata["urls"]["Documentation"].removesuffix(FIRST_PAGE)
        metadata["readme"] = {"content-type": "text/markdown", "text": long_description(text, address)}


def long_description(text, address):
    """README.md's text with `address` before its relative links, or without these links if there is no address."""
    if address:
        return LINK.sub(rf"[\1]({address}\2)", text)
    return LINK.sub(lambda link: words(link[1], link[2]), text) + WITHOUT_ADDRESS


def words(text, path):
    return path if text in path else f"{text} (`{path}`)"

"""The text that a package index shows: README.md, with links that lead somewhere from there.

The build calls it (`[tool.hatch.metadata.hooks.custom]` in pyproject.toml). A link of README.md is a path in the
repository, which means nothing on an index. It gets the address that stands before `docs/index.md` in `project.urls`;
while none stands there, the words stay, with the path after them.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

FIRST_PAGE = "docs/index.md"  # what `project.urls` has as Documentation, behind the address
LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#)([^)]+)\)")
WITHOUT_ADDRESS = "\nPaths in this text are those of the source distribution.\n"


class LongDescription(MetadataHookInterface):
    def update(self, metadata):
        text = Path(self.root, "README.md").read_text("utf-8")
        address = metadata["urls"]["Documentation"].removesuffix(FIRST_PAGE)
        metadata["readme"] = {"content-type": "text/markdown", "text": long_description(text, address)}


def long_description(text, address):
    """README.md's text with `address` before its relative links, or without these links where there is no address."""
    if address:
        return LINK.sub(rf"[\1]({address}\2)", text)
    return LINK.sub(lambda link: words(link[1], link[2]), text) + WITHOUT_ADDRESS


def words(text, path):
    return path if text in path else f"{text} (`{path}`)"

"""Pictures in pages: what an example draws stands below it.

The examples of such a page are run while the site is built, as `scripts/docs` runs them before to check what they say.
"""

import contextlib
import doctest
import io
import re
import sys

from rushlight.explain.drawing import Picture

EXAMPLES = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DRAWS = "torch.draw("


def with_pictures(markdown):
    """A page with the pictures that its examples draw, interactive, each below its example."""
    if DRAWS not in markdown:
        return markdown
    variables = {"__name__": "__main__"}

    def illustrated(block):
        return "\n\n".join([block.group(0), *(each.html() for each in drawn_by(block.group(1), variables))])

    return EXAMPLES.sub(illustrated, markdown)


def drawn_by(examples, variables):
    """The pictures among the results of some examples, which go on with the variables of those before them."""
    shown, before = [], sys.displayhook
    sys.displayhook = shown.append
    try:
        for example in doctest.DocTestParser().get_examples(examples):
            expected = contextlib.suppress(Exception) if example.exc_msg else contextlib.nullcontext()
            with expected, contextlib.redirect_stdout(io.StringIO()):
                exec(compile(example.source, "<page>", "single"), variables)
    finally:
        sys.displayhook = before
    return [each for each in shown if isinstance(each, Picture)]

"""Adds the pictures that examples of a page draw, each below its example.

The examples run while the site is built; `scripts/docs` has checked their output before.
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
    """Returns the page with an interactive picture below each example that draws one."""
    if DRAWS not in markdown:
        return markdown
    variables = {"__name__": "__main__"}

    def illustrated(block):
        return "\n\n".join([block.group(0), *(picture.html() for picture in drawn_by(block.group(1), variables))])

    return EXAMPLES.sub(illustrated, markdown)


def drawn_by(examples, variables):
    """Runs examples in `variables` and returns the pictures among their results."""
    results, before = [], sys.displayhook
    sys.displayhook = results.append
    try:
        for example in doctest.DocTestParser().get_examples(examples):
            expected = contextlib.suppress(Exception) if example.exc_msg else contextlib.nullcontext()
            with expected, contextlib.redirect_stdout(io.StringIO()):
                exec(compile(example.source, "<page>", "single"), variables)
    finally:
        sys.displayhook = before
    return [result for result in results if isinstance(result, Picture)]

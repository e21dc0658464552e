"""The code blocks of a page, as displayed: what pytest-codeblocks runs."""

import io
from pathlib import Path

from pytest_codeblocks.main import extract_from_buffer

from tools.pages import body


def displayed_blocks(file):
    """The blocks of a Markdown file, includes expanded.

    pytest-codeblocks reads raw Markdown, in which an include inside a fence
    would be a syntax error. So the includes are expanded first, with the
    site's own preprocessor; the line numbers stay those of the page.
    """
    shown = body(Path(file))
    text = "\n".join(line for line, _ in shown)
    blocks = extract_from_buffer(io.StringIO(text))
    for block in blocks:
        block.lineno = shown[block.lineno - 1][1]
    return blocks

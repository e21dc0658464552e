"""Typeset formulas while the site is built: a Python-Markdown extension.

It takes what `pymdownx.arithmatex` (with `generic: true`) marks as a formula
and puts KaTeX's HTML and MathML in its place, so that a page needs no script
and a screen reader finds the formula. List it after arithmatex.
"""

import html
import json
import re
from functools import cache
from pathlib import Path

import quickjs
from markdown import Extension
from markdown.postprocessors import Postprocessor

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">'
    r"\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>",
    re.DOTALL,
)


class FormulaError(ValueError):
    """KaTeX does not accept a formula; the message quotes it."""


@cache
def _renderer():
    context = quickjs.Context()
    script = Path(__file__).with_name("katex.min.js")
    context.eval(script.read_text("utf-8"))
    # As JSON: quickjs-ng cannot hand over a string it has only concatenated.
    return context.eval(
        "(tex, display) => JSON.stringify(katex.renderToString(tex, "
        "{displayMode: display, throwOnError: true, strict: 'error'}))"
    )


@cache
def render(tex, display=False):
    """HTML with MathML for one TeX formula."""
    try:
        return json.loads(_renderer()(tex, display))
    except quickjs.JSException as error:
        # KaTeX underlines the place with a combining character.
        reason = str(error).splitlines()[0].replace("\u0332", "").strip()
        raise FormulaError(f"{reason}, in the formula: {tex}") from None


class _Formulas(Postprocessor):
    def run(self, text):
        return FORMULA.sub(self._replace, text)

    def _replace(self, match):
        tex = html.unescape(match["tex"]).strip()
        if match["tag"] == "span":
            return render(tex)
        # A wide formula scrolls by itself; the keyboard has to reach it.
        return (
            '<div class="formula" tabindex="0" data-search-exclude>'
            f"{render(tex, True)}</div>"
        )


class KatexExtension(Extension):
    def extendMarkdown(self, md):
        # Below raw_html (30): block formulas are stashed until then.
        md.postprocessors.register(_Formulas(md), "katex", 20)


def makeExtension(**options):
    return KatexExtension(**options)

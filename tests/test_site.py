"""The built site shows the tested code, and its links lead somewhere."""

import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest

from drill.twins import ROOT, functions, pages
from tools.blocks import displayed_blocks
from tools.katex import FormulaError, render
from tools.pages import body, documents

# Attributes whose address the browser fetches by itself.
FETCHED = ("src", "srcset", "poster", "data", "background")
ADDRESS = re.compile(r"url\(['\"]?([^'\")]*)")


class Html(HTMLParser):
    """What the tests ask of a built page."""

    def __init__(self):
        super().__init__()
        self.code = []  # the text of each Python block
        self.links = []
        self.fetched = []
        self.ids = set()
        self.formulas = 0
        self.language = None
        self.inside = []
        self.style = False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.language = attrs["lang"]
        self.ids.update(filter(None, (attrs.get("id"), attrs.get("name"))))
        self.links += [attrs["href"]] if tag == "a" and "href" in attrs else []
        self.formulas += tag == "math"
        if tag == "link" and attrs.get("rel") not in (
            "canonical",
            "alternate",
        ):
            self.fetched.append(attrs["href"])
        self.fetched += [attrs[name] for name in FETCHED if attrs.get(name)]
        self.fetched += ADDRESS.findall(attrs.get("style") or "")
        self.style = tag == "style"
        if tag == "div" and "language-python" in (attrs.get("class") or ""):
            self.inside.append("python")
            self.code.append("")
        elif tag == "div":
            self.inside.append("")

    def handle_endtag(self, tag):
        if tag == "div":
            self.inside.pop()

    def handle_data(self, data):
        if self.style:
            self.fetched += ADDRESS.findall(data)
        if "python" in self.inside:
            self.code[-1] += data


@cache
def parsed(file):
    html = Html()
    html.feed(file.read_text("utf-8"))
    return html


def built(site, document):
    """The HTML file of a Markdown document."""
    language, *rest = document.relative_to(ROOT / "docs").with_suffix("").parts
    rest = rest[:-1] if rest[-1] == "index" else rest
    return site.joinpath(
        "" if language == "en" else language, *rest, "index.html"
    )


def test_the_html_shows_the_tested_code(site):
    for document in documents():
        tested = [
            block.code
            for block in displayed_blocks(document)
            if block.syntax == "python"
        ]
        shown = parsed(built(site, document)).code
        assert [each.strip() for each in shown] == [
            each.strip() for each in tested
        ], document.relative_to(ROOT)


def test_code_copied_from_the_html_runs_in_an_empty_file(site, tmp_path):
    number = 0
    for document in documents():
        for code in parsed(built(site, document)).code:
            number += 1
            file = tmp_path / f"pasted_{number}.py"
            file.write_text(code, "utf-8")
            exec(compile(code, str(file), "exec"), {"__name__": "__main__"})
    assert number


def test_links_and_anchors_resolve(site):
    broken = []
    for file in site.rglob("*.html"):
        here = "/" + str(file.relative_to(site))
        for link in parsed(file).links:
            target, anchor = urldefrag(urljoin(here, link))
            if urlparse(target).scheme:
                continue
            path = site / unquote(target).lstrip("/")
            if target.endswith("/") or path.is_dir():
                path = path / "index.html"
            if file.name == "404.html" and target == here:
                continue
            if not path.exists():
                broken.append(f"{here}: {link}")
            elif anchor and unquote(anchor) not in parsed(path).ids:
                broken.append(f"{here}: {link} (no such anchor)")
    assert not broken


def test_everything_fetched_is_in_the_site(site):
    """No other host is asked, and no file is missing."""
    for file in site.rglob("*.html"):
        for link in parsed(file).fetched:
            target = urldefrag(link.split("?")[0])[0]
            assert not re.search(r"//", link), f"{file}: {link}"
            # The page for unknown addresses names files from the root.
            base = site if target.startswith("/") else file.parent
            assert (base / target.lstrip("/")).exists(), f"{file}: {link}"
    for file in site.rglob("*.css"):
        text = file.read_text("utf-8")
        assert "@import" not in text, file
        for link in ADDRESS.findall(text):
            if not link.startswith("data:"):
                assert "//" not in link, f"{file}: {link}"
                assert (file.parent / link).exists(), f"{file}: {link}"


def test_every_page_says_how_its_code_may_be_used(site):
    for document in documents():
        assert "0BSD" in built(site, document).read_text("utf-8"), document


def test_the_reference_documents_every_function(site):
    for page in pages():
        slug = page.replace("_", "-")
        ids = parsed(site / "reference" / slug / "index.html").ids
        for name in functions(page):
            assert f"snippets.{page}.with_torch.{name}" in ids, name


def test_each_language_says_which_it_is(site):
    for document in documents():
        language = document.relative_to(ROOT / "docs").parts[0]
        assert parsed(built(site, document)).language == language


def test_a_screen_reader_finds_the_formulas(site):
    """Each formula is there as MathML, and none is left as TeX."""
    for document in documents():
        source = "\n".join(line for line, _ in body(document))
        outside = re.sub(r"^```.*?^```", "", source, flags=re.M | re.S)
        blocks = re.findall(r"^\$\$$.*?^\$\$$", outside, re.M | re.S)
        inline = re.findall(r"\$[^$\n]+\$", outside)
        file = built(site, document)
        assert parsed(file).formulas == len(blocks) + len(inline), document
        assert 'class="arithmatex"' not in file.read_text("utf-8"), document


def test_every_page_offers_both_languages(site):
    for document in documents():
        file = built(site, document)
        here = "/" + str(file.relative_to(site))
        text = file.read_text("utf-8")
        offered = dict(
            re.findall(r'<a href="(\S+)" hreflang="(\w+)" class="md-sel', text)
        )
        targets = {urljoin(here, link): each for link, each in offered.items()}
        assert targets == {"/": "en", "/zh/": "zh"}, document


@pytest.mark.parametrize("tex", [r"\frac{a", r"\nosuch", "a_b_c"])
def test_a_bad_formula_is_named(tex):
    with pytest.raises(FormulaError) as error:
        render(tex)
    assert str(error.value).endswith(f"in the formula: {tex}")
    assert "\n" not in str(error.value)

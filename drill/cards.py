"""The cards that can be practised, read fast: no NumPy, no Markdown."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## (?P<title>.+) \{#(?P<function>\w+)\}$", re.M)


@dataclass(frozen=True)
class Card:
    slug: str
    function: str
    title: str
    stars: int

    @property
    def page(self):
        return self.slug.replace("-", "_")


@cache
def cards(language="en"):
    """Every card that has twins, by function, in the order of reading."""
    nav = (ROOT / "mkdocs.yml").read_text("utf-8")
    found = {}
    for slug in dict.fromkeys(re.findall(r"cheatsheets/([\w-]+)\.md", nav)):
        file = ROOT / "docs" / language / "cheatsheets" / f"{slug}.md"
        text = file.read_text("utf-8")
        asked = yaml.safe_load(text.split("---\n", 2)[1])["asked"]
        twin = ROOT / "snippets" / slug.replace("-", "_") / "with_numpy.py"
        source = twin.read_text("utf-8")
        for match in HEADING.finditer(text):
            name = match["function"]
            if f"[start:{name}]" in source:
                found[name] = Card(slug, name, match["title"], asked[name])
    return found

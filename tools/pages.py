"""The one reader of pages: what a page says, as data, for whoever needs it.

A page that does not parse raises `PageError`, which names file and line.
"""

import re
from dataclasses import dataclass, field
from functools import cache

import markdown
import yaml
from mkdocs.utils.yaml import yaml_load
from pymdownx.snippets import SnippetMissingError

from drill.twins import LANGUAGES, ROOT, entries, verifiers

HEADING = re.compile(r"^(?P<marks>#{1,6}) (?P<title>.+) \{#(?P<id>[\w-]+)\}$")
INCLUDE = re.compile(r'^--8<-- "(?P<target>[\w./-]+(:[a-z_]\w*)?)"$')
FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<info>.*)$")
BLOCK = re.compile(r"^/{3,} (?P<name>\w+)(?: \| (?P<title>.+))?$")
OPTION = re.compile(r"^    \w+: .+$")
QUESTION = re.compile(r"^(?P<number>\d+)\. (?P<text>.+)$")
SYMBOL = re.compile(
    r"^\| (?P<symbol>-|\$[^$]+\$) "
    r"\| (?:-|`(?P<name>\w+)`(?: (?P<shape>[^|]+?))?) "
    r"\| (?P<meaning>.+) \|$"
)
EXPECTED = "<!--pytest-codeblocks:expected-output-->"

SIDES = (("numpy", "NumPy"), ("torch", "PyTorch"))
# What a fence may say: pytest-codeblocks runs `python` and nothing near it.
FENCES = {"python", "text", "console"}
BLOCKS = {"memory", "tab", "question", "pitfall", "convention"}
# Second ways to write what has one way here, and traps of the test runner.
FORBIDDEN = {
    r"^\s*(!!!|\?\?\?\+?) ": "write blocks as /// name | Title",
    r'^\s*=== "': "write tabs as /// tab | Title",
    r"^\s*~~~": "write fences with backticks",
    r"^\s*>\s*```": "a quoted fence is never run",
    r"^\s+```": "an indented fence loses its blank lines when run",
    r"^\s*<!--(?!pytest-codeblocks:expected-output-->)": (
        "the only comment is expected-output: a block is run as shown"
    ),
    r"^(={2,}|-{2,})\s*$": "write headings with # and an id",
    r"^\s*<h[1-6]": "write headings with # and an id",
    r"^\s*<(pre|code)\b": "write code in a fence: there it is run",
}


class PageError(Exception):
    """A page does not parse; the message names file and line."""


@dataclass(frozen=True)
class Token:
    kind: str  # heading, fence, formula, include, table, open, close, ...
    line: int
    text: str = ""  # what stands inside
    info: str = ""  # the fence's language, the block's name, the id
    title: str = ""
    level: int = 0
    options: dict = field(default_factory=dict)

    @property
    def says(self):
        return f"{self.kind} {self.info}".strip()


@dataclass(frozen=True)
class Symbol:
    """One row of a card's table: a quantity, in formulas and in code."""

    symbol: str  # TeX with its dollars, or "-"
    name: str  # in the code, or "" for what formulas alone name
    shape: str
    meaning: str


@dataclass(frozen=True)
class Question:
    number: int
    text: str
    answer: str
    line: int


@dataclass(frozen=True)
class Card:
    function: str
    title: str
    line: int
    problem: str
    symbols: list[Symbol]
    memory: str
    formulas: list[str]  # a verifier has none
    pseudocode: str
    code: dict[str, str]  # "numpy" and "torch", or "python"
    example: str
    questions: list[Question]


@dataclass(frozen=True)
class Page:
    language: str
    slug: str  # "ppo-gae"
    title: str
    description: str
    asked: dict[str, int]  # how often each card is asked, 1 to 5
    cards: list[Card]
    questions: list[Question]  # about the whole page

    @property
    def folder(self):
        return self.slug.replace("-", "_")


@cache
def _includer():
    """The site's own preprocessor of includes, by the site's own options."""
    name = "pymdownx.snippets"
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as config:
        options = yaml_load(config)["markdown_extensions"][name]
    options["base_path"] = [str(ROOT / each) for each in options["base_path"]]
    made = markdown.Markdown(
        extensions=[name], extension_configs={name: options}
    )
    return made.preprocessors["snippet"]


def body(file):
    """A page's lines as displayed, each with the line it stands for."""
    where = file.relative_to(ROOT)
    lines = file.read_text("utf-8").split("\n")
    return [
        (shown, number)
        for number, line in enumerate(lines, 1)
        for shown in _expand(line, f"{where}:{number}")
    ]


def _expand(line, here):
    """One line, or what it includes."""
    if not re.match(r"\s*;*-+8<-+", line):
        return [line]
    match = INCLUDE.match(line)
    if not match:
        raise PageError(f'{here}: write includes as --8<-- "path:region"')
    try:
        lines = _includer().run([line])
    except SnippetMissingError as error:
        raise PageError(f"{here}: {error}") from None
    if not any(each.strip() for each in lines):
        raise PageError(f"{here}: '{match['target']}' includes nothing")
    return lines


def tokens(file):
    """(front matter, tokens) of a page, includes not expanded."""
    return _Scanner(file).read()


class _Scanner:
    """Cuts a page into tokens, line by line."""

    def __init__(self, file):
        self.where = file.relative_to(ROOT)
        self.lines = file.read_text("utf-8").split("\n")
        self.at = 0  # the next line
        self.made = []

    def fail(self, line, message):
        raise PageError(f"{self.where}:{line}: {message}")

    def read(self):
        front = {}
        if self.lines[0] == "---":
            self.at = 1
            text = self.until(lambda line: line == "---", "the front matter")
            try:
                front = yaml.safe_load(text) or {}
            except yaml.YAMLError as error:
                self.fail(1, f"front matter: {' '.join(str(error).split())}")
        while self.at < len(self.lines):
            self.step()
        opened = None
        for token in self.made:
            if token.kind == "open" and opened:
                break
            if token.kind == "close" and not opened:
                self.fail(token.line, "'///' closes no block")
            if token.kind in ("open", "close"):
                opened = token if token.kind == "open" else None
        if opened:
            self.fail(opened.line, f"'/// {opened.info}' is not closed")
        self.outputs()
        return front, self.made

    def until(self, ends, what):
        """The text up to the line that ends it, which is passed over."""
        begin = self.at
        for at in range(begin, len(self.lines)):
            if ends(self.lines[at]):
                self.at = at + 1
                return "\n".join(self.lines[begin:at])
        self.fail(begin, f"{what} is not closed")

    def add(self, kind, text="", line=None, **more):
        self.made.append(Token(kind, line or self.at, text, **more))

    def take(self):
        """The next line, if it is written in the one way there is."""
        line = self.lines[self.at]
        self.at += 1
        for pattern, advice in FORBIDDEN.items():
            if re.match(pattern, line):
                self.fail(self.at, f"{advice}: {line.strip()}")
        return line

    def step(self):
        line = self.take()
        number = self.at
        if not line.strip():
            return
        if match := FENCE.match(line):
            if match["info"] not in FENCES:
                known = ", ".join(sorted(FENCES))
                self.fail(
                    number, f"a fence says {known}, not '{match['info']}'"
                )
            closing = re.compile(f"^`{{{len(match['ticks'])},}}$")
            text = self.until(closing.match, "the fence")
            self.add("fence", text, number, info=match["info"])
        elif line.startswith("#"):
            match = HEADING.match(line)
            if not match:
                self.fail(number, f"a heading ends with {{#id}}: {line}")
            self.add(
                "heading",
                info=match["id"],
                title=match["title"],
                level=len(match["marks"]),
            )
        elif line == "$$":
            text = self.until(lambda each: each == "$$", "the formula")
            self.add("formula", text, number)
        elif match := INCLUDE.match(line):
            self.add("include", match["target"])
        elif line.startswith("///"):
            self.block(line)
        elif line.startswith("<!--"):
            self.add("comment", line)
        elif line.startswith("    "):
            self.fail(number, "an indented line becomes code that is not run")
        else:
            while self.at < len(self.lines) and re.match(
                r"(?!`{3}|/{3}|\$\$$|<!--|#)\s*\S", self.lines[self.at]
            ):
                self.take()
            text = "\n".join(self.lines[number - 1 : self.at])
            kind = "table" if line.startswith("|") else "text"
            self.add(kind, text, number)

    def block(self, line):
        if re.fullmatch("/{3,}", line):
            self.add("close")
            return
        number, match = self.at, BLOCK.match(line)
        if not match or match["name"] not in BLOCKS:
            known = ", ".join(sorted(BLOCKS))
            self.fail(number, f"a block is one of {known}: {line}")
        options = {}
        while self.at < len(self.lines) and OPTION.match(self.lines[self.at]):
            try:
                options |= yaml.safe_load(self.lines[self.at])
            except yaml.YAMLError:
                self.fail(self.at + 1, f"no option: {self.lines[self.at]}")
            self.at += 1
        name, title = match["name"], match["title"] or ""
        self.add("open", "", number, info=name, title=title, options=options)

    def outputs(self):
        """What a block prints is shown, and nothing that it does not print."""
        says = ["", *(token.says for token in self.made), ""]
        for at, token in enumerate(self.made):
            before, this, after = says[at : at + 3]
            shown = (before, after) == ("fence python", "fence text")
            if this == "comment" and not shown:
                self.fail(
                    token.line, f"{EXPECTED} stands between code and output"
                )
            # Pseudocode stands right before the tabs, or a verifier's code.
            loose = (
                before != "comment"
                and after != "open tab"
                and (before, after) != ("close", "fence python")
            )
            if this == "fence text" and loose:
                self.fail(token.line, f"an output follows {EXPECTED}")
            prints = this == "fence python" and "print(" in token.text
            if prints and after != "comment":
                self.fail(token.line, f"what it prints follows {EXPECTED}")


class _Reader:
    """Takes a card's tokens in their fixed order, or says what is missing."""

    def __init__(self, file, made, at):
        self.where = file.relative_to(ROOT)
        self.made = made
        self.at = at

    def fail(self, message):
        token = self.made[min(self.at, len(self.made) - 1)]
        raise PageError(f"{self.where}:{token.line}: {message}")

    def next_is(self, kind, info=None):
        if self.at == len(self.made):
            return False
        token = self.made[self.at]
        return token.kind == kind and info in (None, token.info)

    def take(self, kind, info=None, what=None):
        """The next token of that kind; free text before it is passed over."""
        while kind != "text" and self.next_is("text"):
            self.at += 1
        if not self.next_is(kind, info):
            self.fail(f"expected {what or info or kind}")
        self.at += 1
        return self.made[self.at - 1]

    def block(self, name):
        """The opening token and the inner tokens of one /// block."""
        opened = self.take("open", name, f"a block '/// {name}'")
        begin = self.at
        while not self.next_is("close"):
            if self.at == len(self.made) or self.next_is("open"):
                self.fail(f"'/// {name}' of line {opened.line} is not closed")
            self.at += 1
        self.at += 1
        return opened, self.made[begin : self.at - 1]

    def include(self, target):
        token = self.take("include")
        if token.text != target:
            self.at -= 1
            self.fail(f'expected the include of "{target}"')

    def card(self, page):
        head = self.take("heading")
        name = head.info
        if head.level != 2:
            self.at -= 1
            self.fail("a card's heading has two marks: ##")
        problem = self.take("text", what="the problem").text
        symbols = self.symbols()
        _, memory = self.block("memory")
        folder = page.replace("-", "_")
        twins = name not in verifiers(folder)
        formulas = [self.take("formula").text] if twins else []
        while self.next_is("formula"):
            formulas.append(self.take("formula").text)
        pseudocode = self.take("fence", "text", "the pseudocode").text
        if pseudocode.count("\n") > 7:
            self.fail(f"the pseudocode of {name} is longer than 8 lines")
        code = {}
        if not twins:
            fence = self.take("fence", "python", "the code")
            file = f"snippets/{folder}/verifiers.py"
            code["python"] = self.code(fence, file, f"{name}_imports", name)
        for side, title in SIDES if twins else ():
            tab, inside = self.block("tab")
            if tab.title != title or [t.info for t in inside] != ["python"]:
                self.fail(f"expected a tab {title} with one python fence")
            file = f"snippets/{folder}/with_{side}.py"
            code[side] = self.code(inside[0], file, "imports", name)
        self.extras()
        self.section(f"{name}-example")
        example = self.take("fence", "python", "the worked example")
        if self.take("comment").text != EXPECTED:
            self.fail(f"expected {EXPECTED}")
        self.take("fence", "text", "the example's output")
        self.extras()
        for part in ("claims", "pitfalls", "conventions") if twins else ():
            file = f"docs/recorded/{part}/{name}.{self.language}.md"
            if part == "conventions" and not has_conventions(page, name):
                continue
            self.section(f"{name}-{part}")
            self.include(file)
        questions = []
        while self.next_is("text"):
            self.at += 1
        if self.next_is("heading", f"{name}-questions"):
            questions = self.questions(name)
        return Card(
            name,
            head.title,
            head.line,
            problem,
            symbols,
            "\n".join(token.text for token in memory),
            formulas,
            pseudocode,
            code,
            example.text,
            questions,
        )

    @property
    def language(self):
        return self.where.parts[1]

    def section(self, name):
        head = self.take("heading", name, f"the heading ### ... {{#{name}}}")
        if head.level != 3:
            self.at -= 1
            self.fail("a card's section has three marks: ###")

    def code(self, fence, file, *parts):
        """What a fence shows that includes these regions of a snippet."""
        wanted = "\n\n\n".join(f'--8<-- "{file}:{part}"' for part in parts)
        if fence.text != wanted:
            self.fail(
                f"the code shows {file}: {parts[0]}, two empty lines, then "
                f"{parts[1]}"
            )
        here = f"{self.where}:{fence.line}"
        return "\n".join(
            shown
            for line in fence.text.split("\n")
            for shown in _expand(line, here)
        )

    def extras(self):
        """Pass over more text and executed blocks."""
        while self.at < len(self.made) and self.made[self.at].kind in (
            "text",
            "fence",
            "comment",
        ):
            self.at += 1

    def symbols(self):
        table = self.take("table", what="the table of symbols")
        rows = table.text.split("\n")
        made = []
        for number, row in enumerate(rows[2:], table.line + 2):
            match = SYMBOL.match(row)
            if not match:
                raise PageError(
                    f"{self.where}:{number}: a row of symbols reads "
                    "| $x$ or - | `name` `[shape]` or - | meaning |"
                )
            made.append(Symbol(**match.groupdict(default="")))
        return made

    def questions(self, name):
        self.at += 1  # the heading
        made = []
        while self.next_is("open", "question"):
            made.append(self.question())
        if not made:
            self.fail(f"expected a question about {name}")
        return made

    def question(self):
        opened, inside = self.block("question")
        match = QUESTION.match(opened.title)
        attrs = opened.options.get("attrs")
        anchor = attrs.get("id") if isinstance(attrs, dict) else None
        if not match or anchor != f"q{match['number']}":
            self.at -= 1
            self.fail(
                "a question reads '/// question | 13. ...' and has the id q13"
            )
        answer = "\n\n".join(token.text for token in inside)
        return Question(int(match[1]), match["text"], answer, opened.line)


def has_conventions(slug, function):
    made = entries(slug.replace("-", "_"))
    return any(each.libraries for each in made if each.function == function)


def page(language, slug):
    """One cheatsheet, read and checked."""
    file = ROOT / "docs" / language / "cheatsheets" / f"{slug}.md"
    front, made = tokens(file)
    where = file.relative_to(ROOT)
    for key in ("title", "description", "asked"):
        if not front.get(key):
            raise PageError(f"{where}:1: the front matter has no {key}")
    top = next((token for token in made if token.level == 1), None)
    if not top or top.info != slug:
        raise PageError(f"{where}:1: the # heading has the id {slug}")
    if not isinstance(front["asked"], dict):
        raise PageError(f"{where}:1: asked: is no table of stars")
    for name, stars in front["asked"].items():
        if type(stars) is not int or stars not in range(1, 6):
            raise PageError(f"{where}:1: asked: {name} is not 1 to 5")
    cards, questions = [], []
    for at, token in enumerate(made):
        if token.kind == "heading" and token.info in front["asked"]:
            cards.append(_Reader(file, made, at).card(slug))
        if token.kind == "heading" and token.info == f"{slug}-questions":
            questions = _Reader(file, made, at).questions(slug)
    missing = front["asked"].keys() - {card.function for card in cards}
    if missing:
        raise PageError(f"{where}:1: no card {{#{missing.pop()}}}")
    read = {each.line for part in cards for each in part.questions}
    read |= {each.line for each in questions}
    for token in made:
        if token.says == "open question" and token.line not in read:
            raise PageError(
                f"{where}:{token.line}: stands outside the questions of a "
                "card or of the page"
            )
    return Page(
        language,
        slug,
        front["title"],
        front["description"],
        front["asked"],
        cards,
        questions,
    )


def route(language):
    """The cheatsheets in the order of the navigation: that of reading."""
    config = "mkdocs.yml" if language == "en" else f"mkdocs.{language}.yml"
    with (ROOT / config).open(encoding="utf-8") as file:
        nav = str(yaml_load(file)["nav"])
    found = slugs(language)
    return sorted(found, key=lambda slug: nav.find(f"cheatsheets/{slug}.md"))


def slugs(language):
    """The cheatsheets that exist in a language."""
    folder = ROOT / "docs" / language / "cheatsheets"
    return sorted(file.stem for file in folder.glob("*.md"))


def documents():
    """Every Markdown file that the site shows as a page."""
    return [
        file
        for language in LANGUAGES
        for file in sorted((ROOT / "docs" / language).rglob("*.md"))
    ]


def included():
    """(document, line, target) of every include."""
    return [
        (file, number, match["target"])
        for file in documents()
        for number, line in enumerate(file.read_text("utf-8").split("\n"), 1)
        if (match := INCLUDE.match(line))
    ]

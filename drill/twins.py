"""Twins and entries: the two files of a page, and the edits that spoil them.

No second copy of the code exists: a wrong variant is the right source with an
edit of `drill/pitfalls/<page>.toml` applied inside one function's region.
"""

import importlib
import inspect
import linecache
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from drill.calls import REPLAYS, SIDES, NumPy, Subject, Torch

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("en", "zh")
MARKER = re.compile(r"^ *# --8<-- \[(start|end):([\w-]+)\]$")
LIBRARY = re.compile(r"^[A-Za-z][\w-]* \d+(\.\d+)+$")


class SourceError(Exception):
    """A snippet, claim or pitfall does not fit; the message says where."""


def regions(source, where):
    """The text of each marked region, in order."""
    found, name, begin = {}, None, 0
    lines = source.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if "--8<--" not in line:
            continue
        here = f"{where}:{number}"
        match = MARKER.match(line.rstrip("\n"))
        if not match:
            raise SourceError(f"{here}: not a region marker: {line.strip()}")
        if match[1] == "start":
            if name:
                raise SourceError(f"{here}: region '{name}' has no [end:]")
            if match[2] in found:
                raise SourceError(f"{here}: region '{match[2]}' stands twice")
            name, begin = match[2], number
        elif match[2] != name:
            raise SourceError(f"{here}: [end:{match[2]}] closes no region")
        else:
            found[name] = "".join(lines[begin : number - 1])
            name = None
    if name:
        raise SourceError(f"{where}: region '{name}' has no [end:]")
    return found


@dataclass(frozen=True, eq=False)
class Twin:
    """One file of a page, right or edited, loaded from its source."""

    page: str
    side: NumPy | Torch
    source: str
    module: ModuleType

    def function(self, name):
        return getattr(self.module, name)

    def subjects(self):
        """A subject for each public function, by our own signatures."""
        right = self if self.side.name == "numpy" else twin(self.page, "numpy")
        return {
            name: Subject(
                name,
                self.function(name),
                inspect.signature(right.function(name)),
                self.side,
            )
            for name in functions(self.page)
        }


def load(page, side, source, filename):
    """A twin from source text; tracebacks show its lines."""
    module = ModuleType(f"{page}_{side}")
    linecache.cache[filename] = (
        len(source),
        None,
        source.splitlines(keepends=True),
        filename,
    )
    exec(compile(source, filename, "exec"), module.__dict__)
    return Twin(page, SIDES[side], source, module)


def path(page, side):
    return ROOT / "snippets" / page / f"with_{side}.py"


def pages():
    """The pages that have twins, by folder name."""
    found = (ROOT / "snippets").glob("*/with_numpy.py")
    return sorted(each.parent.name for each in found)


@cache
def twin(page, side):
    """The right twin: what stands in snippets/."""
    file = path(page, side)
    return load(page, side, file.read_text("utf-8"), str(file))


@cache
def functions(page):
    """The public functions of a page: its regions, `imports` aside."""
    file = path(page, "numpy")
    source = file.read_text("utf-8")
    names = regions(source, file.relative_to(ROOT))
    return [name for name in names if name != "imports"]


@cache
def verifiers(page):
    """The rewards in plain Python that a page has beside its twins."""
    file = ROOT / "snippets" / page / "verifiers.py"
    if not file.exists():
        return []
    names = regions(file.read_text("utf-8"), file.relative_to(ROOT))
    return [name for name in names if name.endswith("_reward")]


@cache
def claims(page):
    """The claims of a page, in the order of their file."""
    module = importlib.import_module(f"drill.claims.{page}")
    found = {
        name: claim
        for name, claim in vars(module).items()
        if inspect.isfunction(claim)
        and claim.__module__ == module.__name__
        and not name.startswith("_")
    }
    for name, claim in found.items():
        where = f"drill/claims/{page}.py {name}"
        for parameter in about(claim):
            if parameter not in functions(page):
                raise SourceError(f"{where}: no function '{parameter}'")
        if len((claim.__doc__ or "").strip().split("\n\n")) != 2:
            raise SourceError(f"{where}: one English, one Chinese paragraph")
    return found


def statements(claim):
    """What a claim states, by language: the paragraphs of its docstring."""
    parts = claim.__doc__.strip().split("\n\n")
    # Chinese knows no space at a line break, nor after its punctuation.
    made = [
        re.sub(
            r"(?<=[、-】！-｠]) | (?=[、-】！-｠])|(?<=[一-鿿]) (?=[一-鿿])",
            "",
            " ".join(part.split()),
        )
        for part in parts
    ]
    return dict(zip(LANGUAGES, made, strict=True))


def about(claim):
    """The functions that a claim is about: its parameters."""
    return list(inspect.signature(claim).parameters)


@dataclass(frozen=True, eq=False)
class Entry:
    """A wrong variant (a pitfall) or a legitimate other one (a convention)."""

    page: str
    function: str
    name: str
    title: dict[str, str]
    cause: dict[str, str]
    consequence: dict[str, str]
    edits: dict[str, list]  # by side
    caught_by: str | None
    libraries: list[str]

    @property
    def where(self):
        file = f"drill/pitfalls/{self.page}.toml"
        return f"{file} [{self.function}.{self.name}]"

    def region(self, side):
        """The right and the wrong text of the function's region."""
        source = twin(self.page, side).source
        right = regions(source, path(self.page, side))[self.function]
        wrong = right
        for old, new in self.edits[side]:
            prefix = SIDES[side].prefix
            old, new = old.replace("xp.", prefix), new.replace("xp.", prefix)
            if wrong.count(old) != 1:
                raise SourceError(
                    f"{self.where}: {old!r} stands {wrong.count(old)} times "
                    f"in {self.function} ({side}), not once"
                )
            wrong = wrong.replace(old, new)
        if wrong == right:
            raise SourceError(f"{self.where}: the edits change nothing")
        return right, wrong


@cache
def edited(entry, side):
    """The twin that an entry spoils, built in memory."""
    right, wrong = entry.region(side)
    source = twin(entry.page, side).source.replace(right, wrong)
    name = f"<{entry.page}.{entry.function}.{entry.name} {side}>"
    return load(entry.page, side, source, name)


def _entry(page, function, name, table):
    where = f"drill/pitfalls/{page}.toml [{function}.{name}]"
    if function not in functions(page):
        raise SourceError(f"{where}: {page} has no function '{function}'")
    if not isinstance(table, dict):
        raise SourceError(f"{where}: an entry is a table [function.name]")
    known = {"title", "cause", "consequence", "edits", "caught_by"}
    known |= {"libraries", *SIDES}
    for key in set(table) - known:
        raise SourceError(f"{where}: unknown key '{key}'")
    for key in ("title", "cause", "consequence"):
        for language in LANGUAGES:
            if not table.get(key, {}).get(language, "").strip():
                raise SourceError(f"{where}: no {key} in '{language}'")
    catcher, libraries = table.get("caught_by"), table.get("libraries")
    if bool(catcher) == bool(libraries):
        raise SourceError(f"{where}: give either caught_by or libraries")
    if not isinstance(libraries or [], list):
        raise SourceError(f"{where}: libraries is a list")
    for library in libraries or []:
        if not LIBRARY.match(library):
            raise SourceError(f"{where}: '{library}' is no library 1.2.3")
    if catcher and catcher not in REPLAYS:
        if catcher not in claims(page):
            raise SourceError(f"{where}: no claim is called '{catcher}'")
        if function not in about(claims(page)[catcher]):
            raise SourceError(f"{where}: '{catcher}' is not about {function}")
    edits = {}
    for side in SIDES:
        for key in set(table.get(side, {})) - {"edits"}:
            raise SourceError(f"{where}: unknown key '{side}.{key}'")
        edits[side] = table.get(side, table).get("edits")
    if not any(edits.values()):
        raise SourceError(f"{where}: no edits")
    return Entry(
        page,
        function,
        name,
        *(table[key] for key in ("title", "cause", "consequence")),
        {side: found for side, found in edits.items() if found},
        catcher,
        libraries or [],
    )


@cache
def entries(page):
    """Every entry of a page, in the order of its file."""
    file = ROOT / "drill" / "pitfalls" / f"{page}.toml"
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SourceError(f"{file.relative_to(ROOT)}: {error}") from None
    return [
        _entry(page, function, name, table)
        for function, group in tables.items()
        for name, table in group.items()
    ]

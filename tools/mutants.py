"""Mutants: change one operator or number at a time; do the claims notice?

`python -m tools.mutants` takes every mutant that cosmic-ray makes of the
functions in snippets/ and runs the claims of the page on it, nothing else. One
that fails no claim survives: a claim is missing, or no permitted input tells
the mutant from the right code. Those of the second kind stand, each with the
reason, in drill/survivors.toml.

Mutants are built in memory. The one file that is written, at the end of a run
that holds, is drill/mutants.json.
"""

import difflib
import hashlib
import json
import os
import re
import signal
import sys
import tomllib
import warnings
from dataclasses import dataclass
from multiprocessing import get_context

from drill.calls import SIDES, run_claim
from drill.twins import (
    ROOT,
    about,
    claims,
    functions,
    load,
    pages,
    path,
    regions,
    twin,
)
from tools.progress import progress

RECORD = ROOT / "drill" / "mutants.json"
SURVIVORS = ROOT / "drill" / "survivors.toml"
WANTED = 100  # percent killed, of those that are not equivalent
LIMIT = 60  # seconds: an endless loop is a failure too


@dataclass(frozen=True)
class Mutant:
    page: str
    side: str
    function: str
    was: str  # the changed line
    now: str
    source: str  # of the whole file

    @property
    def place(self):
        return self.page, self.side, self.function, self.was, self.now


def mutations(code):
    """Every other text that cosmic-ray makes of a piece of code."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    nodes, made = list(ast_nodes(get_ast(code))), {}
    for operator in map(get_operator, operator_names()):
        if operator.arguments():  # off by default: they draw lots
            continue
        places = [len(list(operator().mutation_positions(n))) for n in nodes]
        for occurrence in range(sum(places)):
            made[mutate_code(code, operator(), occurrence)] = True
    return list(made)


def changed(old, new):
    """The line that differs, before and after, without its comment."""
    lines = [
        [re.sub("  #.*", "", line).strip() for line in text.splitlines()]
        for text in (old, new)
    ]
    differ = list(difflib.ndiff(*lines))
    return [
        " ".join(line[2:] for line in differ if line.startswith(sign))
        for sign in ("- ", "+ ")
    ]


def mutants(page, side, function):
    source = twin(page, side).source
    region = regions(source, path(page, side))[function]
    for code in mutations(region):
        yield Mutant(
            page,
            side,
            function,
            *changed(region, code),
            source.replace(region, code),
        )


def survives(mutant):
    """Whether every claim holds; tried in a process that may hang or crash."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    signal.alarm(LIMIT)  # left alone, the signal ends the process
    failed = True
    try:
        warnings.simplefilter("ignore")
        made = load(mutant.page, mutant.side, mutant.source, "<mutant>")
        subjects = made.subjects()
        failed = any(
            run_claim(claim, subjects)[1]
            for claim in sorted(
                claims(mutant.page).values(),
                # Those about the function first: they end it soon.
                key=lambda claim: mutant.function not in about(claim),
            )
        )
    finally:
        os._exit(failed)


def survivors(todo):
    """Those that survive, in order, tried on all CPUs."""
    import torch

    torch.set_num_threads(1)  # a process with threads must not fork
    cpus, ignored = os.cpu_count(), (signal.SIGINT, signal.SIG_IGN)
    found = []
    with get_context("fork").Pool(cpus, signal.signal, ignored) as pool:
        for number, alive in enumerate(pool.imap(survives, todo)):
            found += [todo[number]] * alive
            progress(f"{number + 1} of {len(todo)} run, {len(found)} survive")
    progress("")
    return found


def listed():
    """The mutants that are said to be equivalent: the place of each."""
    table = tomllib.loads(SURVIVORS.read_text("utf-8"))
    return [
        (
            page,
            side,
            function,
            entry["was"].replace("xp.", SIDES[side].prefix),
            now.replace("xp.", SIDES[side].prefix),
        )
        for page, found in table.items()
        for entry in found
        for function in entry["functions"]
        for side in entry["twins"]
        for now in entry["now"]
    ]


def digests(page):
    """What the result for a page depends on."""
    files = [*(path(page, side) for side in SIDES), SURVIVORS]
    files += [
        ROOT / "drill" / "claims" / f"{page}.py",
        ROOT / "drill" / "calls.py",
        ROOT / "tools" / "mutants.py",
    ]
    return {
        file.relative_to(ROOT).as_posix(): hashlib.sha256(
            file.read_bytes()
        ).hexdigest()
        for file in files
    }


def percent(counts):
    return 100 * counts["killed"] / (counts["mutants"] - counts["equivalent"])


def tally(todo, alive, equivalent, *which):
    """The counts for a page, or for one side of it."""
    made, left = (
        [each.place for each in group if each.place[: len(which)] == which]
        for group in (todo, alive)
    )
    survivors = [place[1:] for place in left if place not in equivalent]
    return {
        "mutants": len(made),
        "equivalent": len(left) - len(survivors),
        "killed": len(made) - len(left),
        "survivors": survivors,
    }


def words(counts):
    return (
        f"{counts['mutants']} mutants, {counts['equivalent']} equivalent, "
        f"{counts['killed']} killed, {len(counts['survivors'])} not: "
        f"{percent(counts):.1f} %"
    )


def main(only):
    """Try the mutants of all functions or of some; say what is wrong."""
    found = [(page, each) for page in pages() for each in functions(page)]
    unknown = set(only) - {function for _, function in found}
    if unknown:
        return f"no such function: {', '.join(unknown)}"
    found = [each for each in found if each[1] in only or not only]
    names = list(dict.fromkeys(page for page, _ in found))
    # All is read before the run; an edit meanwhile makes the record stale.
    digested = {page: digests(page) for page in names}
    for page in names:
        claims(page)
    equivalent = listed()
    right = [
        Mutant(page, side, "", "", "", twin(page, side).source)
        for page in names
        for side in SIDES
    ]
    todo = [
        mutant
        for page, function in found
        for side in SIDES
        for mutant in mutants(page, side, function)
    ]
    alive = survivors(right + todo)
    if alive[: len(right)] != right:
        return "a claim fails on the right code: run make test"
    alive = alive[len(right) :]
    problems, record = [], {}
    for page in names:
        for side in SIDES:
            counts = tally(todo, alive, equivalent, page, side)
            print(f"{path(page, side).relative_to(ROOT)}: {words(counts)}")
            for _, function, was, now in counts["survivors"]:
                print(f"  {function}\n  - {was}\n  + {now}")
        counts = tally(todo, alive, equivalent, page)
        record[page] = {**counts, "files": digested[page]}
        if percent(counts) < WANTED:
            problems.append(f"{page}: {words(counts)}, not {WANTED} %")
    for place in set(equivalent) - {each.place for each in alive}:
        if place[2] in only or not only:
            problems.append(f"stale in {SURVIVORS.name}: {' | '.join(place)}")
    if not only and not problems:
        RECORD.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    return "\n".join(sorted(problems)) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

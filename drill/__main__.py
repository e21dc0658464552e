"""The drill's command line: `python -m drill --help`."""

import ast
import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from drill import history
from drill.cards import ROOT, cards

ATTEMPTS = Path("attempts")
SECONDS = {"numpy": 20, "torch": 60}
WRONG, BROKEN = 1, 2

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help=(
        "Write the losses from a blank page and be graded by the claims. "
        "Exit codes of check: 0 right, 1 wrong, 2 cannot be graded."
    ),
)
out = Console(highlight=False)
Name = Annotated[str, typer.Argument(help="a card, as `list` names it")]


def stop(message, code=BROKEN):
    """One clear line, and out."""
    Console(stderr=True, highlight=False).print(escape(message))
    raise typer.Exit(code)


def card_of(name):
    if name not in cards():
        stop(f"no card is called {name}; `list` shows them all")
    return cards()[name]


def attempt_of(name):
    file = ATTEMPTS / f"{name}.py"
    if not file.exists():
        stop(f"there is no {file}; begin with: start {name}")
    return file


@app.command("list")
def show_list():
    """Cards by page, how often asked, and your state."""
    practised, message = history.read()
    if message:
        out.print(escape(message))
    now = datetime.now(UTC)
    table = Table(box=None, pad_edge=False)
    for column in ("card", "asked", "title", "state"):
        table.add_column(column)
    slug = None
    for card in cards().values():
        if card.slug != slug:
            slug = card.slug
            table.add_row(f"[bold]{slug}[/bold]")
        mine = practised.get(card.function)
        state = ""
        if mine:
            state = f"{mine['passed']} of {mine['tries']} right"
            state += ", due" if history.due(mine, now) else ""
        if (ATTEMPTS / f"{card.function}.py").exists():
            state = ", ".join(filter(None, (state, "begun")))
        table.add_row(
            f"  {card.function}",
            "★" * card.stars + "☆" * (5 - card.stars),
            card.title,
            state,
        )
    out.print(table)


def skeleton(card, side):
    """The signature and the docstring of a card, and no body."""
    file = ROOT / "snippets" / card.page / f"with_{side}.py"
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == card.function:
            node.body = node.body[:1]  # the docstring
            library = "numpy as np" if side == "numpy" else "torch"
            return f"import {library}\n\n\n{ast.unparse(node)}\n"
    raise AssertionError(card)


@app.command()
def start(
    name: Name,
    torch: Annotated[bool, typer.Option(help="answer in PyTorch")] = False,
    again: Annotated[
        bool, typer.Option(help="begin anew; the old attempt is kept beside")
    ] = False,
):
    """Write attempts/NAME.py: the signature, the shapes, no body."""
    card = card_of(name)
    file = ATTEMPTS / f"{name}.py"
    if file.exists():
        if not again:
            stop(f"{file} exists; --again begins anew and keeps it beside")
        number = 1
        while (old := file.with_name(f"{name}.{number}.py")).exists():
            number += 1
        file.rename(old)
        out.print(f"kept {old}")
    ATTEMPTS.mkdir(exist_ok=True)
    file.write_text(skeleton(card, "torch" if torch else "numpy"), "utf-8")
    out.print(f"write {file}, then: python -m drill check {name}")


def grade(file):
    """The report on an attempt, from a process of its own."""
    seconds = SECONDS[
        "torch" if "torch" in file.read_text("utf-8") else "numpy"
    ]
    run = [sys.executable, "-m", "drill.grade", str(file), str(seconds)]
    path = os.pathsep.join(filter(None, (str(ROOT), os.getenv("PYTHONPATH"))))
    try:
        made = subprocess.run(
            run,
            capture_output=True,
            text=True,
            timeout=seconds + 10,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        return {"broken": f"{file}: not done after {seconds} s"}
    with_file = re.findall(
        rf'File "{re.escape(str(file))}", line (\d+)', made.stderr
    )
    if "Timeout (" in made.stderr:
        line = f":{with_file[0]}" if with_file else ""
        return {"broken": f"{file}{line}: not done after {seconds} s"}
    try:
        return json.loads(made.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return {
            "broken": f"{file}: the process that ran it ended with "
            f"{made.returncode}"
        }


def entry_of(report, function, name):
    from drill.twins import entries

    for entry in entries(report["page"]):
        if (entry.function, entry.name) == (function, name):
            return entry
    raise AssertionError(name)


def tell(report, name):
    """Print a report; the exit code."""
    if "broken" in report:
        out.print(f"[yellow]?[/yellow] {escape(report['broken'])}")
        return BROKEN
    if not report["parts"]:
        out.print(f"[green]✓[/green] {name}: right")
        return 0
    mark = "[green]✓[/green]" if report["passes"] else "[red]✗[/red]"
    out.print(f"{mark} {name}")
    for part in report["parts"]:
        tell_part(report, part)
    if report["claims"]:
        out.print("It is no known pitfall. It fails:")
        for claim in report["claims"]:
            out.print(f"  {claim}")
    return 0 if report["passes"] else WRONG


def tell_part(report, part):
    for number, group in enumerate(part["sets"]):
        if number:
            out.print("or")
        for function, entry_name in group:
            entry = entry_of(report, function, entry_name)
            out.print()
            out.print(
                f"[bold]{escape(entry.title['en'])}[/bold]  "
                f"{function}.{entry_name}"
            )
            out.print(escape(f"{entry.cause['en']} {entry.consequence['en']}"))
            if entry.libraries:
                libraries = ", ".join(entry.libraries)
                out.print(f"No mistake: {libraries} does it so.")
    out.print()
    if not part["sets"] and part["what"] == "dtype":
        out.print("Only the dtype is another, where the inputs have one:")
    out.print(escape(part["call"]))
    out.print(f"right: {escape(part['right'])}")
    out.print(f"yours: {escape(part['wrong'])}")
    if part["where"]:
        out.print(escape(part["where"]))


@app.command()
def check(
    name: Annotated[
        str, typer.Argument(help="a card; left out, the newest attempt")
    ] = "",
    watch: Annotated[
        bool, typer.Option(help="check again at each change")
    ] = False,
):
    """Grade attempts/NAME.py."""
    if not name:
        found = [
            each for each in ATTEMPTS.glob("*.py") if each.stem in cards()
        ]
        if not found:
            stop("no attempt yet; begin with: start NAME")
        name = max(found, key=lambda each: each.stat().st_mtime).stem
    card_of(name)
    file = attempt_of(name)
    while True:
        seen = file.stat().st_mtime
        report = grade(file)
        code = tell(report, name)
        if code != BROKEN:
            message = history.note(name, report["passes"])
            if message:
                out.print(escape(message))
        if not watch:
            raise typer.Exit(code)
        out.print("watching; Ctrl-C ends")
        while not file.exists() or file.stat().st_mtime == seen:
            time.sleep(0.2)


@app.command()
def show(name: Name):
    """Your answer beside ours."""
    from rich.columns import Columns
    from rich.panel import Panel
    from rich.syntax import Syntax

    card = card_of(name)
    mine = attempt_of(name).read_text("utf-8")
    side = "torch" if "torch" in mine else "numpy"
    source = ROOT / "snippets" / card.page / f"with_{side}.py"
    text = source.read_text("utf-8")
    ours = re.search(
        rf"\[start:{name}\]\n(.*?)\n *# --8<-- \[end:{name}\]", text, re.S
    )[1]
    panels = [
        Panel(Syntax(code, "python"), title=title, width=84)
        for code, title in ((mine, "yours"), (ours, "ours"))
    ]
    out.print(Columns(panels))


@app.command("next")
def show_next():
    """What to practise now."""
    practised, message = history.read()
    if message:
        out.print(escape(message))
    now = datetime.now(UTC)
    waiting = sorted(
        (each["due"], name)
        for name, each in practised.items()
        if name in cards() and history.due(each, now)
    )
    if waiting:
        name = waiting[0][1]
        out.print(f"{name}: due again ({len(waiting)} in all)")
        return
    new = [each for each in cards().values() if each.function not in practised]
    if new:
        best = max(new, key=lambda each: each.stars)  # the first of them
        out.print(f"{best.function}: new, {'★' * best.stars} {best.title}")
        return
    soonest = min(practised.values(), key=lambda each: each["due"])["due"]
    out.print(f"nothing is due before {soonest[:10]}")


if __name__ == "__main__":
    app(prog_name="python -m drill")

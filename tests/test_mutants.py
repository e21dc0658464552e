"""drill/mutants.json says what the claims make of mutants now."""

import json
import tomllib

from drill.twins import functions, pages
from tools.mutants import (
    RECORD,
    SURVIVORS,
    WANTED,
    digests,
    listed,
    percent,
)


def recorded():
    return json.loads(RECORD.read_text("utf-8"))


def test_every_page_was_mutated():
    assert recorded().keys() == set(pages()), "stale, run make mutants"


def test_mutants_are_fresh(page):
    found = recorded()[page]["files"]
    stale = [
        name for name, each in digests(page).items() if found.get(name) != each
    ]
    assert not stale, f"stale, run make mutants: {', '.join(stale)} changed"


def test_claims_kill_mutants(page):
    counts = recorded()[page]
    assert percent(counts) >= WANTED == 100
    assert not counts["survivors"]
    assert counts["killed"] + counts["equivalent"] == counts["mutants"]
    assert counts["equivalent"] == sum(place[0] == page for place in listed())


def test_survivors_have_a_reason():
    for page, found in tomllib.loads(SURVIVORS.read_text("utf-8")).items():
        for entry in found:
            assert entry.keys() == {"functions", "twins", "was", "now", "why"}
            assert set(entry["functions"]) <= set(functions(page))
            assert entry["why"].strip()

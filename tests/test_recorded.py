"""docs/recorded/ says what running the code says now."""

import difflib
import json

import pytest

from drill.twins import ROOT, functions, pages
from tools.record import (
    RECORDED,
    environment,
    page_records,
    shared_records,
)


def recorded_with():
    return json.loads((RECORDED / "environment.json").read_text("utf-8"))


def test_records_were_made_with_the_pinned_versions():
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    made = recorded_with()
    assert made.keys() == environment().keys()
    assert made.pop("machine") == "Linux x86_64"
    for package, version in made.items():
        assert f"{package}=={version}" in pins


def of_a_page(name):
    """The page whose code this record shows; None for a shared one."""
    kind, _, file = name.rpartition("/")
    stem = file.split(".")[0]
    for page in pages():
        if kind == "replays" and stem == page.replace("_", "-"):
            return page
        if kind in ("claims", "pitfalls", "conventions") and (
            stem in functions(page)
        ):
            return page
    return None


def assert_fresh(page, fresh):
    """Compared where they were made; elsewhere rounding may differ."""
    made = recorded_with()
    if made != environment():
        pytest.skip(f"recorded with {made}, not with {environment()}")
    names = (
        str(file.relative_to(RECORDED))
        for file in RECORDED.rglob("*")
        if file.is_file()
    )
    found = {
        name: (RECORDED / name).read_text("utf-8")
        for name in names
        if of_a_page(name) == page
    }
    fresh = dict(fresh)
    stale = {
        name: difflib.unified_diff(
            found.get(name, "").splitlines(),
            fresh.get(name, "").splitlines(),
            *("recorded", "now", "", "", 0, ""),
        )
        for name in sorted(found.keys() | fresh.keys())
        if found.get(name) != fresh.get(name)
    }
    if stale:
        names = ", ".join(f"docs/recorded/{name}" for name in stale)
        lines = [line for each in stale.values() for line in each]
        pytest.fail(
            "\n".join([f"stale, run make record: {names}", *lines]),
            pytrace=False,
        )


def test_records_of_a_page_are_fresh(page):
    assert_fresh(page, page_records(page))


def test_shared_records_are_fresh():
    assert_fresh(None, shared_records())

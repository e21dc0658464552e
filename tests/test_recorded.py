"""docs/recorded/ says what running the code says now."""

import difflib
import json

import pytest

from tools.record import RECORDED, environment, records


def test_records_are_fresh():
    made = json.loads((RECORDED / "environment.json").read_text("utf-8"))
    if made != environment():
        pytest.skip(f"recorded with {made}, not with {environment()}")
    found = {
        str(file.relative_to(RECORDED)): file.read_text("utf-8")
        for file in RECORDED.rglob("*")
        if file.is_file()
    }
    fresh = dict(records())
    for name in sorted(found.keys() | fresh.keys()):
        old, new = found.get(name, ""), fresh.get(name, "")
        changed = "\n".join(
            difflib.unified_diff(
                old.splitlines(), new.splitlines(), "recorded", "now", "", ""
            )
        )
        message = f"docs/recorded/{name} is stale, run: make record"
        assert old == new, f"{message}\n{changed}"

"""Every entry is a formatted edit that was run, caught and told apart."""

import ast
import itertools
import subprocess
import sys

import pytest

from drill import twins
from drill.calls import REPLAYS, SIDES
from drill.twins import ROOT, SourceError, edited, entries, twin
from drill.verdicts import (
    calls_of,
    caught,
    outcome_of,
    same_everywhere,
    witness,
)


def test_a_pitfall_is_caught_by_what_it_names(entry, side):
    if entry.caught_by:
        assert caught(entry, side, entry.caught_by), (
            f"{entry.where}: {entry.caught_by} does not fail ({side})"
        )


def test_an_entry_runs(entry, side):
    """A typo proves nothing: the edit runs, and right calls with it."""
    outcomes = [
        (right, outcome_of(entry, entry.page, side, call))
        for _, call, right in calls_of(entry.page, side, entry.function)
    ]
    for _, wrong in outcomes:
        assert not isinstance(wrong.error, NameError), (
            f"{entry.where}: {wrong.error} ({side})"
        )
    assert any(
        not right.error and not wrong.error for right, wrong in outcomes
    )


def test_an_entry_has_a_witness(entry, side):
    """Some call of the named claim shows the mistake in four digits."""
    assert witness(entry, side), f"{entry.where}: nothing to see ({side})"


def test_an_entry_is_told_apart_from_all_others(entry, side):
    assert not same_everywhere(entry, None, side), f"{entry.where} is right"
    for other in entries(entry.page):
        if other is entry or other.function != entry.function:
            continue
        if side in other.edits:
            assert not same_everywhere(entry, other, side), (
                f"{entry.where} and {other.where} do the same ({side})"
            )


def test_edits_stay_inside_one_function(entry, side):
    right = ast.parse(twin(entry.page, side).source)
    wrong = ast.parse(edited(entry, side).source)
    changed = [
        getattr(here, "name", None)
        for here, there in itertools.zip_longest(right.body, wrong.body)
        if ast.dump(here) != ast.dump(there)
    ]
    assert changed == [entry.function], f"{entry.where}: {changed}"


def test_edited_sources_are_formatted(tmp_path):
    for page in twins.pages():
        for entry in entries(page):
            for side in entry.edits:
                name = f"{entry.function}.{entry.name}.{side}.py"
                source = edited(entry, side).source
                (tmp_path / name).write_text(source, "utf-8")
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "ruff", "format", "--check"),
            *("--quiet", "--diff", "--no-cache"),
            *("--config", str(ROOT / "pyproject.toml"), str(tmp_path)),
        ],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_card_has_pitfalls(page, function):
    made = [each for each in entries(page) if each.function == function]
    assert any(each.caught_by for each in made), f"{function} has no pitfall"


GOOD = """
[gae.slip]
title = { en = "a", zh = "b" }
cause = { en = "a", zh = "b" }
consequence = { en = "a", zh = "b" }
edits = [["gamma * lam", "gamma"]]
caught_by = "rows_do_not_mix"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('zh = "b" }\ncause', 'zh = " " }\ncause', "no title in 'zh'"),
        ("caught_by", "caughtby", "unknown key 'caughtby'"),
        ('caught_by = "rows_do_not_mix"', "", "either caught_by or libraries"),
        ("rows_do_not_mix", "no_such", "no claim is called 'no_such'"),
        ('edits = [["gamma * lam", "gamma"]]', "", "no edits"),
        ('"rows_do_not_mix"', '""', "either caught_by or libraries"),
        ("caught_by", "libraries", "libraries is a list"),
        (
            'caught_by = "rows_do_not_mix"',
            'libraries = ["nobody"]',
            "'nobody' is no library 1.2.3",
        ),
        ("edits = [", "torch.edit = [", "unknown key 'torch.edit'"),
        ("[gae.slip]", "[gea.slip]", "ppo_gae has no function 'gea'"),
        ("[gae.slip]", "[gae]", "[gae.title]: unknown key"),
        ("gamma * lam", "gamma_lam", "stands 0 times in gae"),
        ('"gamma * lam"', '"gamma"', "stands 3 times in gae"),
        ("[gae.slip]", "[gae.slip", "Expected ']'"),
    ],
)
def test_a_broken_entry_is_named(tmp_path, monkeypatch, old, new, message):
    assert GOOD.count(old) == 1
    for folder in ("drill/pitfalls", "snippets/ppo_gae"):
        (tmp_path / folder).mkdir(parents=True)
    toml = tmp_path / "drill/pitfalls/ppo_gae.toml"
    toml.write_text(GOOD.replace(old, new), "utf-8")
    real = {side: twins.path("ppo_gae", side) for side in SIDES}
    monkeypatch.setattr(twins, "ROOT", tmp_path)
    monkeypatch.setattr(twins, "path", lambda page, side: real[side])
    with pytest.raises(SourceError) as error:
        for entry in entries.__wrapped__("ppo_gae"):
            entry.region("numpy")
    assert "drill/pitfalls/ppo_gae.toml" in str(error.value)
    assert message in str(error.value)


def test_a_replay_is_no_claim(page):
    assert not set(REPLAYS) & set(twins.claims(page))

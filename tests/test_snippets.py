"""The twins keep the rules of snippets/: small, alike, ready to paste."""

import ast
import inspect

import pytest

from drill.calls import SIDES, run
from drill.show import result_names
from drill.twins import ROOT, SourceError, load, path, regions, twin
from drill.verdicts import calls_of, difference

LIBRARIES = {"numpy": "numpy", "torch": "torch"}


def source_of(page, side):
    file = path(page, side)
    where = file.relative_to(ROOT)
    return where, file.read_text("utf-8")


def card(page, side, function):
    """What the page shows and a reader pastes: imports and one region."""
    found = regions(source_of(page, side)[1], path(page, side))
    return f"{found['imports']}\n\n{found[function]}"


def test_regions_are_the_public_functions(page, side):
    where, source = source_of(page, side)
    defined = [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert list(regions(source, where)) == ["imports", *defined], where


def test_the_imports_region_only_imports(page, side):
    where, source = source_of(page, side)
    for node in ast.parse(regions(source, where)["imports"]).body:
        assert isinstance(node, ast.Import | ast.ImportFrom), where


def test_each_end_marker_is_indented_with_its_function(page, side):
    where, source = source_of(page, side)
    for number, line in enumerate(source.splitlines(), 1):
        if "[end:" in line and "[end:imports]" not in line:
            assert line.startswith("    # "), f"{where}:{number}"


def test_twins_have_the_same_signatures(page):
    numpy, torch = twin(page, "numpy"), twin(page, "torch")
    for name in regions(numpy.source, page):
        if name == "imports":
            continue
        here, there = (
            inspect.signature(each.function(name)) for each in (numpy, torch)
        )
        assert here == there, name


def test_twins_read_alike(page, function):
    numpy, torch = (
        inspect.getdoc(twin(page, side).function(function)) for side in SIDES
    )
    assert numpy == torch, f"{page}.{function}"


def test_a_card_runs_alone(page, function, side):
    """Imports and one region in an empty file do what the whole file does."""
    alone = load(page, side, card(page, side, function), f"<{function}>")
    for name, call, right in calls_of(page, side, function):
        outcome = run(call, alone.function(function), alone.side)
        assert not difference(call, right, outcome), f"{name}: {outcome.error}"


def test_a_card_is_short(page, function, side):
    lines = card(page, side, function).strip().splitlines()
    assert len(lines) <= 25, f"{page}.{function} ({side}): {len(lines)} lines"


def test_a_card_imports_only_its_library(page, side):
    where, source = source_of(page, side)
    tree = ast.parse(source)
    allowed = {LIBRARIES[side], "math", "itertools", "functools"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module.split(".")[0]]
        else:
            continue
        assert set(names) <= allowed, f"{where}:{node.lineno}"


def test_a_card_neither_prints_nor_asserts_nor_names_a_device(page, side):
    where, source = source_of(page, side)
    for node in ast.walk(ast.parse(source)):
        here = f"{where}:{getattr(node, 'lineno', 0)}"
        assert not isinstance(node, ast.Assert), here
        if isinstance(node, ast.Call):
            assert getattr(node.func, "id", "") != "print", here
        if isinstance(node, ast.Constant):
            assert node.value not in ("cpu", "cuda", "meta"), here


def test_a_docstring_says_what_is_returned_and_from_where(
    page, function, side
):
    made = twin(page, side).function(function)
    names = result_names(made)
    sourced = "arXiv:" in made.__doc__ or "Source:" in made.__doc__
    assert sourced, f"{page}.{function}: 'arXiv:...' or 'Source: ...'"
    for name, call, outcome in calls_of(page, side, function):
        if call.kind == "value" and not outcome.error:
            assert len(outcome.parts) == len(names), name


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("# --8<-- [start:a]\n", "a.py: region 'a' has no [end:]"),
        (
            "# --8<-- [start:a]\n# --8<-- [start:b]\n",
            "a.py:2: region 'a' has no [end:]",
        ),
        ("# --8<-- [end:a]\n", "a.py:1: [end:a] closes no region"),
        (
            "# --8<-- [start:a]\n# --8<-- [end:b]\n",
            "a.py:2: [end:b] closes no region",
        ),
        (
            "# --8<-- [start:a]\n# --8<-- [end:a]\n" * 2,
            "a.py:3: region 'a' stands twice",
        ),
        ("#--8<--[start:a]\n", "a.py:1: not a region marker"),
    ],
)
def test_a_broken_region_is_named(source, message):
    with pytest.raises(SourceError) as caught:
        regions(source, "a.py")
    assert str(caught.value).startswith(message)


def test_token_mean_is_masked_mean(side):
    """DAPO's name for it: no call of a claim tells the two apart."""
    masked_mean = twin("sft_kl", side).function("masked_mean")
    made = calls_of("dapo", side, "token_mean")
    assert made
    for _, call, outcome in made:
        again = run(call, masked_mean, SIDES[side])
        assert not difference(call, outcome, again)

"""A test of the tests: break one thing in a copy, and the suite names it."""

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from drill.twins import ROOT

PAGE = "docs/en/cheatsheets/ppo-gae.md"
NUMPY = "snippets/ppo_gae/with_numpy.py"
TORCH = "snippets/ppo_gae/with_torch.py"
CLAIMS = "drill/claims/ppo_gae.py"
PITFALLS = "drill/pitfalls/ppo_gae.toml"


@dataclass
class Break:
    what: str
    edits: list  # (file, a regular expression that matches once, new text)
    tests: str  # what to run
    named: list  # what the failure says


BREAKS = [
    Break(
        "claim and pitfall changed that a record shows",
        [
            (
                "drill/claims/sft_kl.py",
                r"def k1_as_a_loss_teaches_nothing\(kl_k1\):\n(    .*\n|\n)+",
                "",
            ),
            (
                "drill/pitfalls/sft_kl.toml",
                r"\[masked_mean\.mean_of_row_means\]\n(.+\n)+",
                "",
            ),
        ],
        "tests/test_recorded.py::test_records_of_a_page_are_fresh[sft_kl]",
        [
            "stale, run make record: docs/recorded/claims/kl_k1.en.md",
            "docs/recorded/pitfalls/masked_mean.en.md",
        ],
    ),
    Break(
        "record changed",
        [
            (
                "docs/recorded/cards.en.md",
                r"★★★★★(</span> \[Generalised)",
                r"★★★★☆\1",
            ),
        ],
        "tests/test_recorded.py::test_shared_records_are_fresh",
        ["stale, run make record: docs/recorded/cards.en.md"],
    ),
    Break(
        "end marker deleted",
        [(TORCH, r"    # --8<-- \[end:gae\]\n", "")],
        "tests/test_snippets.py",
        ["snippets/ppo_gae/with_torch.py:", "region 'gae' has no [end:]"],
    ),
    Break(
        "claim deleted that a pitfall names",
        [
            (
                CLAIMS,
                r"def done_ends_the_episode\(gae\):\n(    .*\n|\n)+",
                "",
            )
        ],
        "tests/test_pitfalls.py",
        ["no claim is called 'done_ends_the_episode'"],
    ),
    Break(
        "pitfall deleted that alone proves a claim",
        [(PITFALLS, r"\[gae\.shapes_unchecked\]\n(.+\n)+", "")],
        "tests/test_claims.py"
        "::test_the_claim_counts[ppo_gae-wrong_shapes_raise]",
        ["no pitfall of either twin fails wrong_shapes_raise"],
    ),
    Break(
        "include deleted",
        [(PAGE, r'--8<-- "docs/recorded/claims/gae\.en\.md"\n', "")],
        "tests/test_pages.py::test_cards_are_the_public_functions",
        ["docs/en/cheatsheets/ppo-gae.md:"],
    ),
    Break(
        "heading id deleted",
        [(PAGE, r" \{#gae-pitfalls\}", "")],
        "tests/test_pages.py::test_documents_parse",
        ["a heading ends with {#id}: ### Pitfalls"],
    ),
    Break(
        "operator changed",
        [(NUMPY, r"\+ future -", "- future -")],
        "tests/test_claims.py::test_the_claim_holds",
        ["[numpy-ppo_gae-last_value_is_the_bootstrap]"],
    ),
    Break(
        "name changed in the code",
        [
            (
                NUMPY,
                r"running = 0\.0\n(    for t in reversed\(range\(T)",
                r"runing = 0.0\n\1",
            )
        ],
        "tests/test_claims.py::test_the_claim_holds",
        ["[numpy-ppo_gae-done_ends_the_episode]"],
    ),
    Break(
        "parameter renamed in one twin",
        [(TORCH, r"lam=0\.95\):", "lmbda=0.95):\n    lam = lmbda")],
        "tests/test_snippets.py",
        ["test_twins_have_the_same_signatures"],
    ),
    Break(
        "number changed",
        [(NUMPY, r"1\.0 \* \(dones == 0\)", "0.9 * (dones == 0)")],
        "tests/test_claims.py::test_the_claim_holds",
        ["[numpy-ppo_gae-last_value_is_the_bootstrap]"],
    ),
    Break(
        "default changed",
        [(NUMPY, r"dones, gamma=0\.99, ", "dones, gamma=0.98, ")],
        "tests/test_claims.py::test_the_claim_holds",
        ["[numpy-ppo_gae-last_value_is_the_bootstrap]"],
    ),
    Break(
        "expected output changed",
        [(PAGE, r"\[0\.125 0\.25 ", "[0.126 0.25 ")],
        PAGE,
        ["Expected output\n```\n[0.126"],
    ),
    Break(
        "link broken",
        [(PAGE, r"\.\./reference/ppo-gae\.md", "../reference/nowhere.md")],
        "tests/test_site.py::test_links_and_anchors_resolve",
        ["'../reference/nowhere.md'"],
    ),
    Break(
        "formula broken",
        [
            (
                PAGE,
                r"\\gamma\\lambda\\,\(1-d_t\)\\,",
                r"\\gamma\\lamda\\,(1-d_t)\\,",
            )
        ],
        "tests/test_site.py::test_links_and_anchors_resolve",
        [
            "Error reading page 'cheatsheets/ppo-gae.md': ParseError: ",
            r"Undefined control sequence: \lamda",
        ],
    ),
]
UNBROKEN = Break("nothing", [], "tests/test_pages.py", [" passed"])


def broken_run(made, folder):
    """What pytest says in a copy of the project with something broken."""
    left_out = (".git", ".venv", "site", "attempts", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*left_out))
    for name, pattern, new in made.edits:
        file = folder / name
        text, count = re.subn(pattern, new, file.read_text("utf-8"))
        assert count == 1, f"{made.what}: {count} matches in {name}"
        file.write_text(text, "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", made.tests],
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def runs(request, tmp_path_factory):
    """Every broken copy's run, two at a time."""
    if request.session.testsfailed:
        pytest.skip("something is broken already")
    every = [*BREAKS, UNBROKEN]
    folders = [tmp_path_factory.mktemp("broken") / "copy" for _ in every]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(broken_run, every, folders))
    return {made.what: run for made, run in zip(every, done, strict=True)}


@pytest.mark.parametrize("made", BREAKS, ids=lambda made: made.what)
def test_a_break_is_noticed_and_named(runs, made):
    run = runs[made.what]
    assert run.returncode in (1, 2), run.stdout + run.stderr
    for named in made.named:
        assert named in run.stdout, run.stdout + run.stderr


def test_an_unbroken_copy_passes(runs):
    run = runs[UNBROKEN.what]
    assert run.returncode == 0, run.stdout + run.stderr

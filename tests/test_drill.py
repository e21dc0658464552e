"""The drill's command line: what it says, and what it survives."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from drill import __main__ as drill
from drill import history
from drill.cards import cards
from drill.judge import variant
from drill.twins import ROOT, entries, functions
from tools.pages import page, route

RIGHT = """
import numpy as np

def masked_mean(values, keep):
    kept = [v for v, k in zip(np.ravel(values), np.ravel(keep)) if k]
    dtype = np.result_type(values, np.float16)
    return np.sum(np.array(kept, dtype), dtype=dtype) / dtype.type(
        max(len(kept), 1)
    )
"""
HEAD = "import numpy as np\n\ndef masked_mean(x, mask):\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRILL_HISTORY", str(tmp_path / "history.json"))
    (tmp_path / "attempts").mkdir()
    return tmp_path


def call(*arguments):
    made = CliRunner().invoke(drill.app, arguments)
    assert made.exception is None or isinstance(made.exception, SystemExit)
    return made.exit_code, made.output


def check(here, text, name="masked_mean"):
    (here / "attempts" / f"{name}.py").write_text(text, "utf-8")
    return call("check", name)


def test_cards_are_those_of_the_pages():
    wanted = [
        (
            slug,
            card.function,
            card.title,
            page("en", slug).asked[card.function],
        )
        for slug in route("en")
        for card in page("en", slug).cards
        if card.function in functions(slug.replace("-", "_"))
    ]
    assert wanted == [
        (card.slug, card.function, card.title, card.stars)
        for card in cards().values()
    ]


def test_list_needs_no_torch_and_no_numpy(here):
    code, said = call("list")
    assert code == 0
    assert all(name in said for name in cards())
    program = (
        "import sys, drill.__main__\n"
        "assert not {'torch', 'numpy'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


@pytest.mark.parametrize("torch", [False, True])
def test_start_writes_a_signature_without_a_body(here, torch):
    code, said = call("start", "gae", *(["--torch"] if torch else []))
    text = (here / "attempts/gae.py").read_text("utf-8")
    assert code == 0 and "attempts/gae.py" in said
    assert text.startswith("import torch" if torch else "import numpy as np")
    assert "def gae(rewards, values, dones, gamma=0.99, lam=0.95):" in text
    assert "[..., T+1]" in text and "delta" not in text
    compile(text, "gae.py", "exec")


def test_an_attempt_is_never_overwritten(here):
    for number in range(3):
        call("start", "gae", *(["--again"] if number else []))
        (here / "attempts/gae.py").write_text(f"# {number}", "utf-8")
    code, said = call("start", "gae")
    assert code == 2 and "--again" in said
    kept = sorted(each.name for each in (here / "attempts").iterdir())
    assert kept == ["gae.1.py", "gae.2.py", "gae.py"]
    assert (here / "attempts/gae.1.py").read_text("utf-8") == "# 0"


@pytest.mark.parametrize("command", ["start", "check", "show"])
def test_an_unknown_card_is_named(here, command):
    code, said = call(command, "gea")
    assert code == 2 and "no card is called gea" in said


def test_a_missing_attempt_is_named(here):
    for arguments in (["check", "gae"], ["check"], ["show", "gae"]):
        code, said = call(*arguments)
        assert code == 2 and "start" in said


def test_a_right_answer_in_another_style_passes(here):
    code, said = check(here, RIGHT)
    assert (code, said) == (0, "✓ masked_mean: right\n")


def test_a_right_answer_of_another_dtype_passes_with_a_note(here):
    text = RIGHT.replace(
        "np.result_type(values, np.float16)", "np.dtype(float)"
    )
    code, said = check(here, text)
    assert code == 0 and said.startswith("✓ masked_mean")
    assert "Only the dtype is another" in said


def test_mistakes_are_named_together(here):
    code, said = check(
        here, f"{HEAD}    return (x * mask).sum() / mask.sum()\n"
    )
    assert code == 1
    assert "masked_mean.empty_is_nan" in said
    assert "masked_mean.multiplied_by_the_mask" in said


def test_a_convention_passes_with_a_note(here):
    (entry,) = (
        each
        for each in entries("ppo_gae")
        if (each.function, each.name) == ("whiten", "population_deviation")
    )
    text = variant((entry,), "numpy").source
    code, said = check(here, text, "whiten")
    assert code == 0 and said.startswith("✓ whiten")
    assert "whiten.population_deviation" in said
    assert "No mistake: OpenRLHF 0.11.2 does it so." in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def masked_mean(x, mask:\n", "attempts/masked_mean.py:1: "),
        ("x = 1\n", "defines no function masked_mean"),
        ("masked_mean = 3\n", "defines no function masked_mean"),
        ("\n\nimport nothing_at_all\n", ".py:3: ModuleNotFoundError"),
        ("import sys\nsys.exit(0)\n", ".py:2: SystemExit: 0"),
        (
            "\ndef masked_mean(x):\n    return x\n",
            ".py:2: takes 1 parameters, not 2: masked_mean(x, mask)",
        ),
        (
            "def masked_mean(mask, x):\n    return x\n",
            ".py:1: the order of parameters is masked_mean(x, mask)",
        ),
        ("def masked_mean(*all):\n    pass\n", "takes plain parameters only"),
        (f"{HEAD}    import sys\n    sys.exit(3)\n", ".py:5: SystemExit: 3"),
        (f"{HEAD}    while True:\n        pass\n", "not done after 3 s"),
        (f"{HEAD}    return np.random.rand()\n", "give different results"),
        ("\x00", "attempts/masked_mean.py"),
    ],
)
def test_what_cannot_be_graded_is_one_line(here, monkeypatch, text, said):
    monkeypatch.setitem(drill.SECONDS, "numpy", 3)
    code, found = check(here, text)
    assert code == 2
    assert said in " ".join(found.split())
    assert "Traceback" not in found
    assert not (here / "history.json").exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "TypeError: returned NoneType, no number"),
        ("return 'a'", "TypeError: returned str, no number"),
        ("return x", "yours: mean = [[1.0, 2.0, 3.0], [9.0, 5.0, 7.0]]"),
        ("return 1 / 0", "masked_mean.py:4: ZeroDivisionError"),
        ("return np.ones(10 * 2**30)[0]", "masked_mean.py:4: "),
        (
            "x[:] = 0\n    return 0.0",
            "yours: x = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
        ),
    ],
)
def test_what_goes_wrong_in_a_call_is_shown(here, body, said):
    code, found = check(here, f"{HEAD}    {body}\n")
    assert code == 1
    assert said in " ".join(found.split())
    assert "Traceback" not in found


def test_a_default_of_another_value_is_named(here):
    call("start", "gae")
    file = here / "attempts/gae.py"
    text = file.read_text("utf-8").replace("0.95", "0.9")
    code, said = check(here, text, "gae")
    assert code == 2 and "the default of lam is 0.95" in said


def test_the_history_counts_and_plans(here):
    assert "new" in call("next")[1]
    check(here, RIGHT)
    check(here, f"{HEAD}    return x.mean()\n")
    made, message = history.read()
    assert not message
    mine = made["masked_mean"]
    assert (mine["tries"], mine["passed"]) == (2, 1)
    assert "1 of 2 right" in call("list")[1]
    made["masked_mean"]["due"] = "2000-01-01T00:00:00+00:00"
    history.write(made)
    assert call("next")[1].startswith("masked_mean: due again")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 9, "cards": {}}', '{"version": 1}']
)
def test_a_damaged_history_is_set_aside(here, text):
    (here / "history.json").write_text(text, "utf-8")
    code, said = call("list")
    assert code == 0 and "the history was damaged" in said
    (aside,) = here.glob("history-damaged-*.json")
    assert aside.read_text("utf-8") == text
    check(here, RIGHT)
    assert json.loads((here / "history.json").read_text("utf-8"))


def test_show_puts_both_answers_side_by_side(here):
    check(here, RIGHT)
    code, said = call("show", "masked_mean")
    assert code == 0
    assert "np.ravel" in said and "np.where" in said

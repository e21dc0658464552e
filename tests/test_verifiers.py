"""The verifiers: what they accept, and what does not fool them."""

import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drill import twins
from drill.twins import ROOT, regions
from snippets.grpo_rlvr import verifiers
from snippets.grpo_rlvr.verifiers import code_reward, math_reward

FILE = "snippets/grpo_rlvr/verifiers.py"
VERIFIERS = twins.verifiers("grpo_rlvr")
EQUAL = [
    # the same number, written in another way
    ("42", "42"),
    ("042", "42"),
    ("+42", "42"),
    ("-7", "-7"),
    ("- 7", "-7"),
    ("\u22127", "-7"),
    ("-0", "0"),
    ("0.5", "1/2"),
    (".5", "1/2"),
    ("0.50", "0.5"),
    ("5.", "5"),
    (r"\frac{1}{2}", "0.5"),
    (r"\dfrac{1}{2}", "0.5"),
    (r"\tfrac12", "0.5"),
    (r"\frac12", "1/2"),
    (r"\frac {1} {2}", "1/2"),
    (r"-\frac{3}{4}", "-0.75"),
    (r"\frac{-3}{4}", "-0.75"),
    (r"\frac{3}{-4}", "-0.75"),
    ("2/4", "1/2"),
    ("1 / 2", "1/2"),
    ("4/2", "2"),
    ("0.333", "333/1000"),
    (r"50\%", "0.5"),
    ("50%", "1/2"),
    (r"12.5 \%", "1/8"),
    ("1,000", "1000"),
    ("1{,}000", "1000"),
    (r"1,\!000", "1000"),
    ("1,234,567.5", "1234567.5"),
    ("$5$", "5"),
    (r"\$5", "5"),
    (r" 5\, ", "5"),
    ("5.", r"5"),
    ("9" * 100, "9" * 100),
    ("9" * 101, "9" * 101),
    # the same text, laid out in another way
    (r"\text{even}", "even"),
    (r"\mathrm{ even }", "even"),
    (r"\text{no solution}", "no solution"),
    ("x + 1", "x+1"),
    ("(1, 2)", "(1,2)"),
    (r"\left(1,2\right)", "(1, 2)"),
    (r"\{1,2\}", r"\{1, 2\}"),
    (r"2\sqrt{3}", r"2 \sqrt{3}"),
    (r"\dfrac{x}{2}", r"\frac{x}{2}"),
    (r"5 \text{ cm}", "5 cm"),
    ("答案", "答案"),
    (r"\frac{1}2", "1/2"),
    (r"\frac1{2}", "1/2"),
    (r"\frac 1 2", "1/2"),
    (r"\frac9{19}", "9/19"),
    ("5 .", "5"),
    (
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
        r"\begin{pmatrix}1\\2\end{pmatrix}",
    ),
]
DIFFERENT = [
    ("41", "42"),
    ("-42", "42"),
    ("0.33", "1/3"),
    ("0.3333333333333333", "1/3"),
    ("50", "50%"),
    ("1e3", "1000"),
    ("1_000", "1000"),
    ("1,00", "100"),
    ("1, 000", "1000"),
    ("1 000", "1000"),
    ("1 1/2", "11/2"),
    ("--5", "5"),
    ("+-5", "-5"),
    ("1/2/3", "1/6"),
    ("6*7", "42"),
    ("2^3", "8"),
    ("int(42)", "42"),
    ("٤٢", "42"),
    ("0x2a", "42"),
    ("inf", "1/0"),
    ("1/0", "1/0"),
    (r"\frac{1}{0}", r"\frac{1}{0}"),
    ("0/0", "0"),
    ("", ""),
    (" ", ""),
    ("$", ""),
    ("", "0"),
    ("Even", "even"),
    ("5 cm", "5"),
    ("x = 5", "5"),
    ("41, 42, 43", "42"),
    ("41 or 42", "42"),
    ("42 42", "42"),
    ("nan", "0"),
    ("9" * 101 + ".0", "9" * 101),
    ("0.333...", "0.333"),
    ("1,2,3...", "1,2,3"),
    ("0,001", "1"),
    ("0,500", "500"),
    ("4$2", "42"),
    (r"4\$2", "42"),
    (r"\$1\$2", "12"),
    ("1. 5", "1.5"),
    ("1 .5", "1.5"),
]
RESPONSES = [
    # (response, answer, reward): which box, if any
    ("42", "42", 0.0),
    ("The answer is 42.", "42", 0.0),
    (r"\boxed 42", "42", 0.0),
    ("boxed{42}", "42", 0.0),
    (r"\boxed{1} or \boxed{42}", "42", 1.0),
    (r"\boxed{42} or \boxed{1}", "42", 0.0),
    (r"\boxed{42}, no: \boxed{", "42", 0.0),
    (r"\boxed{42", "42", 0.0),
    (r"\boxed{\boxed{42}}", "42", 1.0),
    (r"\boxed{{42}", "42", 0.0),
    (r"\boxed{42}}", "42", 1.0),
    (r"\boxed{\frac{1}{2}} is \emph{it}", "1/2", 1.0),
    (r"\boxed{\{1\}}", r"\{1\}", 1.0),
    (r"\boxed{\}}", r"\}", 1.0),
    ("\\boxed{\n42\n}", "42", 1.0),
    (r"\boxed{}", "", 0.0),
    (None, "42", 0.0),
    (r"\boxed{42}", 42, 0.0),
    (r"\boxed{None}", None, 0.0),
]
PIECES = [
    *(r"\boxed{", "{", "}", "\\", r"\frac", r"\text", r"\,", "$", "~", " "),
    *("1", "0" * 90, ",", ".", "/", "%", "-", "\u2212", "\x00"),
]
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize(("given", "answer"), EQUAL)
def test_an_equal_answer_is_right(given, answer):
    assert math_reward(rf"So \boxed{{{given}}}.", answer) == 1.0
    assert math_reward(rf"So \boxed{{{answer}}}.", given) == 1.0


@pytest.mark.parametrize(("given", "answer"), DIFFERENT)
def test_a_different_answer_is_wrong(given, answer):
    assert math_reward(rf"So \boxed{{{given}}}.", answer) == 0.0
    assert math_reward(rf"So \boxed{{{answer}}}.", given) == 0.0


@pytest.mark.parametrize(("response", "answer", "reward"), RESPONSES)
def test_the_last_box_counts(response, answer, reward):
    assert math_reward(response, answer) == reward


def test_what_is_no_text_is_wrong():
    for answer in (None, 10**5000, 1, 1.0, float("nan"), b"1"):
        assert math_reward(rf"\boxed{{{'1'}}}", answer) == 0.0
        assert math_reward(answer, "1") == 0.0


@settings(database=None, deadline=None)
@given(TEXTS, TEXTS)
@example("\ud800", "\ud800")
def test_no_text_raises(response, answer):
    for text in (response, rf"\boxed{{{response}}}"):
        reward = math_reward(text, answer)
        assert type(reward) is float and reward in (0.0, 1.0)


@settings(database=None, deadline=None)
@given(st.fractions(), st.fractions())
def test_numbers_are_compared_as_fractions(one, other):
    given = rf"\boxed{{\frac{{{one.numerator}}}{{{one.denominator}}}}}"
    assert math_reward(given, str(one)) == 1.0
    assert math_reward(given, str(other)) == (one == other)


@pytest.mark.parametrize(
    "piece",
    [
        *(r"\boxed{", "{", "}", "\\", "1", " ", "1,", r"\text{a ", r"\text "),
        *(r"\frac1", r"\frac{1}", "1/", "\\, ", "$", ".", "-", "a ", r"\{"),
        *(r"\left", r"\!", "~", "{,}", r"\dfrac", "\u2212", r"\frac {a} "),
    ],
)
def test_a_million_characters_take_less_than_a_second(piece):
    text = piece * (10**6 // len(piece))
    for response in (text, rf"\boxed{{{text}}}", rf"\boxed{{{text}"):
        start = time.perf_counter()
        assert math_reward(response, "42") == 0.0
        assert time.perf_counter() - start < 1
    start = time.perf_counter()
    assert math_reward(r"\boxed{42}", text) == 0.0
    assert time.perf_counter() - start < 1


GOOD = "def double(x):\n    return x + x\n"
TESTS = [("double(2)", 4), ("double('a')", "aa"), ("double([1])", [1, 1])]
PROGRAMS = {
    # name: (program, tests, reward)
    "right": (GOOD, TESTS, 1.0),
    "half right": (
        "def double(x):\n    return 4",
        [("double(2)", 4), ("double(3)", 6)],
        0.5,
    ),
    "no tests": (GOOD, [], 0.0),
    "empty program": ("", TESTS, 0.0),
    "syntax error": ("def double(x", TESTS, 0.0),
    "null byte": ("\x00", TESTS, 0.0),
    "raises at once": (GOOD + "raise ValueError", TESTS, 0.0),
    "one test raises": (GOOD, [*TESTS, ("double(None)", 0)], 0.75),
    "one test exits": (
        GOOD + "import sys",
        [("double(2)", 4), ("sys.exit(0)", None), ("double(3)", 6)],
        2 / 3,
    ),
    "one test dies": (
        GOOD + "import os",
        [("double(2)", 4), ("os._exit(0)", None), ("double(3)", 6)],
        1 / 3,
    ),
    "exits early": ("import sys\nsys.exit(0)", TESTS, 0.0),
    "dies early": ("import os\nos._exit(0)", TESTS, 0.0),
    "kills itself": ("import os\nos.kill(os.getpid(), 9)", TESTS, 0.0),
    "prints": (
        "print('[0, 4]\\n[1, \"aa\"]', flush=True)\nprint('OK')",
        TESTS,
        0.0,
    ),
    "equals anything": (
        "class Any:\n    def __eq__(self, other):\n        return True\n"
        "def double(x):\n    return Any()",
        TESTS,
        0.0,
    ),
    "a number that equals anything": (
        "class Any(int):\n    def __eq__(self, other):\n        return True\n"
        "    __hash__ = int.__hash__\n"
        "def double(x):\n    return Any(7)",
        TESTS,
        0.0,
    ),
    "patches builtins": (
        "import builtins, json\n"
        "builtins.eval = builtins.exec = lambda *a: True\n"
        "json.dumps = lambda *a: 'true'\n"
        "def double(x):\n    return True",
        TESTS,
        0.0,
    ),
    "guesses several times": (
        "import json, os\n"
        "for n in range(3, 64):\n"
        "    for guess in range(9):\n"
        "        try:\n"
        "            os.write(n, b'[0, %d]\\n' % guess)\n"
        "        except OSError:\n"
        "            break\n"
        "def double(x):\n    return 4",
        [("double(2)", 4)],
        0.0,
    ),
    "sends no JSON": (
        "import os\n"
        "for n in range(3, 64):\n"
        "    try:\n"
        "        os.write(n, b'\\xff' + b'[' * 9999 + b'\\n{}\\n[[], 1]\\n')\n"
        "    except OSError:\n"
        "        pass\n" + GOOD,
        TESTS,
        1.0,
    ),
    "floods the pipe": (
        "import os\n"
        "while True:\n"
        "    for n in range(3, 9):\n"
        "        try:\n"
        "            os.write(n, b'x' * 65536)\n"
        "        except OSError:\n"
        "            pass",
        TESTS,
        0.0,
    ),
    "True for 1": ("one = True", [("one", 1), ("one", True)], 0.5),
    "1.0 for 1": ("one = 1.0", [("one", 1)], 1.0),
    "a tuple for a list": ("pair = (1, 2)", [("pair", (1, 2))], 1.0),
    "keys in any order": (
        "d = {'b': 1, 'a': 2}",
        [("d", {"a": 2, "b": 1})],
        1,
    ),
    "True inside": ("d = {'a': [True]}", [("d", {"a": [1]})], 0.0),
    "nan": ("x = float('nan')", [("x", float("nan"))], 0.0),
    "no plain value": ("x = {1, 2}", [("x", [1, 2])], 0.0),
    "a value without end": ("x = []\nx.append(x)", [("x", [])], 0.0),
    "reads its input": ("x = input()", [("x", "")], 0.0),
    "asks for secrets": (
        "import os",
        [
            ("{'HOME', 'PATH', 'USER'} & set(os.environ) == set()", True),
            ("len(os.environ) <= 4", True),  # LC_CTYPE is Python's own
            ("os.listdir()", []),
        ],
        1.0,
    ),
    "a dataclass": (
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Node:\n"
        "    value: int\n"
        "    next: 'Node' = None",
        [("Node(1).value", 1)],
        1.0,
    ),
    "arrays and their numbers": (
        "import numpy as np\nx = np.arange(3)",
        [("x", [0, 1, 2]), ("x.sum()", 3), ("x.mean()", 1)],
        1.0,
    ),
    "threads": (
        "import threading, time\n"
        "for _ in range(64):\n"
        "    threading.Thread(target=time.sleep, args=(0.1,)).start()\n"
        + GOOD,
        TESTS,
        1.0,
    ),
    "replaces what it needs": (
        "import json\nprint = open = json.dumps = None\n"
        "import builtins\nbuiltins.print = builtins.eval = None\n" + GOOD,
        TESTS,
        1.0,
    ),
    "long answers": (
        "",
        [(f"'{n % 10}' * 20_000", f"{n % 10}" * 20_000) for n in range(99)],
        1.0,
    ),
    "loops": ("while True:\n    pass", TESTS, 0.0),
    "sleeps": ("import time\ntime.sleep(99)", TESTS, 0.0),
    "loops in a test": (
        GOOD + "def loop():\n    while True:\n        pass",
        [("double(2)", 4), ("loop()", 0), ("double(3)", 6)],
        1 / 3,
    ),
    "fills memory": ("x = 'x' * 2**40", TESTS, 0.0),
    "fills memory slowly": (
        "x = []\nwhile True:\n    x.append(bytearray(2**24))",
        TESTS,
        0.0,
    ),
    "fills a file": (
        "with open('x', 'wb') as file:\n"
        "    for _ in range(2**10):\n"
        "        file.write(bytes(2**20))\n" + GOOD,
        TESTS,
        0.0,
    ),
    "leaves files": (
        "import os, tempfile\n"
        "open('x', 'w').close()\n"
        "os.close(tempfile.mkstemp()[0])\n"
        "os.makedirs('a/b')\n"
        "os.chmod('a', 0)\n" + GOOD,
        TESTS,
        1.0,
    ),
    "leaves a deep tree": (
        "import os\n"
        "for _ in range(1500):\n"
        "    os.mkdir('d')\n"
        "    os.chdir('d')\n" + GOOD,
        TESTS,
        1.0,
    ),
    "leaves a child": (
        "import os, time\nif not os.fork():\n    time.sleep(99)\n" + GOOD,
        TESTS,
        1.0,
    ),
    "leaves a child that ignores signals": (
        "import os, signal, time\n"
        "if not os.fork():\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "    time.sleep(99)\n"
        "os._exit(0)",
        TESTS,
        0.0,
    ),
    "forks and forks": (
        "import os, time\nfor _ in range(6):\n    os.fork()\ntime.sleep(99)",
        TESTS,
        0.0,
    ),
}


# What waits for the end of its time, or never ends.
ENDLESS = {
    *("floods the pipe", "loops", "sleeps", "loops in a test"),
    *("fills memory slowly", "forks and forks"),
    "leaves a child that ignores signals",
}


def left_running(folder):
    """The processes that have a folder in their environment."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            mine = str(folder).encode() in (each / "environ").read_bytes()
            state = (each / "stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):  # it ended
            continue
        if mine and state != "Z":
            found.append(each.name)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gets_what_it_deserves(name, folder):
    program, tests, reward = PROGRAMS[name]
    files = len(os.listdir("/dev/fd"))
    start = time.monotonic()
    timeout = 0.5 if name in ENDLESS else 9.0
    found = code_reward(program, tests, timeout)
    assert found == pytest.approx(reward)
    assert time.monotonic() - start < 9
    assert not list(folder.iterdir())
    assert not left_running(folder)
    assert len(os.listdir("/dev/fd")) == files


def test_processes_left_running_are_seen(folder):
    """The check above can fail."""
    import subprocess

    process = subprocess.Popen(["sleep", "9"], env={"TMPDIR": str(folder)})
    try:
        assert left_running(folder) == [str(process.pid)]
    finally:
        process.kill()
        process.wait()


def test_tests_may_come_as_an_iterator(folder):
    assert code_reward(GOOD, iter(TESTS)) == 1.0


def test_expected_values_must_be_plain_data(folder):
    with pytest.raises(TypeError, match="JSON"):
        code_reward(GOOD, [("double(2)", {4})])
    assert not list(folder.iterdir())


def test_elsewhere_it_says_so(monkeypatch):
    monkeypatch.setattr(verifiers.os, "name", "nt")
    with pytest.raises(NotImplementedError, match="POSIX"):
        code_reward(GOOD, TESTS)


@pytest.mark.parametrize("name", VERIFIERS)
def test_a_card_runs_alone(name):
    source = (ROOT / FILE).read_text("utf-8")
    found = regions(source, FILE)
    space = {}
    exec(f"{found[f'{name}_imports']}\n\n{found[name]}", space)
    given = {
        "math_reward": (r"\boxed{1}", "1"),
        "code_reward": (GOOD, TESTS),
    }
    assert space[name](*given[name]) == 1.0


def test_there_are_enough_cases():
    assert len(EQUAL) + len(DIFFERENT) + len(RESPONSES) >= 60
    assert len(PROGRAMS) >= 25

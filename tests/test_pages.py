"""The pages parse, and agree with snippets, claims and pitfalls."""

import inspect
import re
from importlib import import_module

import pytest

from drill.show import result_names
from drill.twins import LANGUAGES, ROOT, functions, pages, verifiers
from tools import pages as reader
from tools.pages import PageError, documents, included, page, slugs, tokens

README = ROOT / "README.md"


def name(file):
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_are_the_public_functions(language):
    for slug in slugs(language):
        this = page(language, slug)
        cards = [card.function for card in this.cards]
        wanted = functions(this.folder) + verifiers(this.folder)
        assert cards == wanted, f"{language}/{slug}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_symbols_name_what_a_function_takes_and_returns(language):
    for slug in slugs(language):
        this = page(language, slug)
        for card in this.cards:
            file = "verifiers" if "python" in card.code else "with_numpy"
            module = f"snippets.{this.folder}.{file}"
            function = getattr(import_module(module), card.function)
            wanted = {*inspect.signature(function).parameters}
            wanted |= {*result_names(function)}
            missing = wanted - {each.name for each in card.symbols}
            assert not missing, f"{language}/{slug}, {card.function}"


def test_every_folder_of_snippets_has_a_page():
    assert [slug.replace("-", "_") for slug in slugs("en")] == pages()


def test_a_function_name_stands_on_one_page():
    names = [
        name for each in pages() for name in functions(each) + verifiers(each)
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("file", documents(), ids=name)
def test_documents_parse(file):
    """Headings have ids, fences are known, blocks close, includes resolve."""
    front, made = tokens(file)
    where = file.relative_to(ROOT)
    for key in ("title", "description"):
        assert front.get(key), f"{where}:1: the front matter has no {key}"
    ids = [token.info for token in made if token.kind == "heading"]
    ids += [
        token.options["attrs"]["id"]
        for token in made
        if "id" in token.options.get("attrs", {})
    ]
    twice = {each for each in ids if ids.count(each) > 1}
    assert not twice, f"{where}: {twice} more than once"
    levels = [token.level for token in made if token.kind == "heading"]
    assert levels.count(1) == 1 and levels[0] == 1, f"{where}: one # heading"
    assert reader.body(file)


def test_a_page_includes_records_of_its_language():
    for file, number, target in included():
        language = file.relative_to(ROOT).parts[1]
        if target.startswith("docs/recorded/"):
            here = f"{name(file)}:{number}"
            assert target.split(".")[-2] == language, here


def test_recorded_files_are_included():
    """A record nobody shows is dead; Chinese ones wait for their page."""
    shown = {target for _, _, target in included()}
    for file in sorted((ROOT / "docs" / "recorded").rglob("*.en.*")):
        assert name(file) in shown, f"no page includes {name(file)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_asked_once(language):
    asked = {}
    for slug in slugs(language):
        this = page(language, slug)
        for part in (this, *this.cards):
            for question in part.questions:
                here = f"docs/{language}/cheatsheets/{slug}.md:{question.line}"
                first = asked.setdefault(question.number, here)
                assert first == here, (
                    f"{here}: {question.number} is in {first}"
                )


def test_the_readme_has_the_two_commands():
    text = README.read_text("utf-8")
    for command in ("make serve", "make test"):
        assert re.search(rf"^ *{command}$", text, re.MULTILINE), command


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" {#gae-claims}", "", "a heading ends with {#id}"),
        (" {#gae}", " {#gea}", ":1: no card {#gae}"),
        ("/// memory | In one line", "", "closes no block"),
        ("/// memory |", "/// question |", "expected a block '/// memory'"),
        ("```python\nimport numpy", "```py\nimport numpy", "not 'py'"),
        ("```python\nimport numpy", "~~~python\nimport numpy", "backticks"),
        ("```python\nimport numpy", " ```python\nimport numpy", "indented"),
        ("expected-output", "skip", "the only comment is expected-output"),
        ("mean nothing", "mean\n <!--pytest.mark.skip-->", "the only comment"),
        ("mean nothing", "mean\n    ```python", "an indented fence"),
        ("mean nothing", "mean\n> ```python", "a quoted fence"),
        ("### Claims {", '=== "X"\n\n### Claims {', "write tabs as"),
        (
            "<!--pytest-codeblocks:expected-output-->\n",
            "",
            "it prints follows",
        ),
        ("```text\n[0.125", "a\n\n```text\n[0.125", "stands between"),
        ("print(advantages)\nprint(returns)\n```\n", "```\n\na\n", "between"),
        ("### Claims {", "```text\nx\n```\n\n### Claims {", "output follows"),
        ("### Claims {#gae-claims}", "Claims\n----", "headings with #"),
        ("### Claims {#gae-claims}", "<h3>Claims</h3>", "headings with #"),
        ("### Claims", "# Claims", "section has three marks"),
        ("## Generalised", "### Generalised", "heading has two marks"),
        ("/// question | 14.", "/// questoin | 14.", "a block is one of"),
        ("## How this", "/// tab | X\n\n## How this", "is not closed"),
        ("---\n\n# PPO", "\n# PPO", "the front matter is not closed"),
        (':gae"', ':8:10"', "shows snippets/ppo_gae/with_numpy.py: imports"),
        ("with_numpy.py:gae", "with_numpy.py:geo", "the code shows"),
        ("/// tab | PyTorch", "/// tab | Torch", "expected a tab PyTorch"),
        ("/// question | 13.", "/// question | 12.", "has the id q13"),
        ("claims/gae.en.md", "pitfalls/gae.en.md", "expected the include"),
        ("/// question | 13.", "!!! question", "write blocks as ///"),
        ("$$\n\\begin", "\\begin", "the formula is not closed"),
        ("A = 0\n", "A = 0\n\n\n", "longer than 8 lines"),
        ("| $r_t$ | `rewards`", "| r_t | `rewards`", "a row of symbols reads"),
        ("{gae: 5", "{gae: 6", "asked: gae is not 1 to 5"),
        ("description: ", "descr: ", "no description"),
        ("asked: {gae", "asked: {{gae", "front matter: while"),
        ("{gae: 5", "{gae: true", "asked: gae is not 1 to 5"),
        ("{#gae-questions}", "{#gae-question}", "outside the questions of"),
        ("/// question | 14.", "- x\n\n/// question | 14.", "outside the"),
        ("### Claims {#gae-c", "///\n\n### Claims {#gae-c", "closes no block"),
        ("mean nothing", "x\n\n    torch.wrong()", "code that is not run"),
        ("mean nothing", "x\n<pre><code>", "write code in a fence"),
        ("attrs: {id: q13}", "attrs: {id: q13", "no option"),
        ("{#ppo-gae}", "{#ppo}", "the # heading has the id ppo-gae"),
    ],
)
def test_a_broken_page_is_named(tmp_path, monkeypatch, old, new, message):
    text = (ROOT / "docs/en/cheatsheets/ppo-gae.md").read_text("utf-8")
    assert old in text
    folder = tmp_path / "docs/en/cheatsheets"
    folder.mkdir(parents=True)
    (folder / "ppo-gae.md").write_text(text.replace(old, new, 1), "utf-8")
    for kept in ("snippets", "docs/recorded", "mkdocs.yml"):
        (tmp_path / kept).symlink_to(ROOT / kept)
    monkeypatch.setattr(reader, "ROOT", tmp_path)
    with pytest.raises(PageError) as error:
        page("en", "ppo-gae")
    assert str(error.value).startswith("docs/en/cheatsheets/ppo-gae.md:")
    assert message in str(error.value)


@pytest.mark.parametrize(
    "line",
    ["--8<-- 'README.md'", ' --8<-- "README.md"', '--8<-- "tests/empty.md"'],
)
def test_another_kind_of_include_is_named(tmp_path, monkeypatch, line):
    page_file = tmp_path / "page.md"
    page_file.write_text(f"# T {{#t}}\n\n{line}\n", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/empty.md").write_text("\n", "utf-8")
    (tmp_path / "mkdocs.yml").symlink_to(ROOT / "mkdocs.yml")
    monkeypatch.setattr(reader, "ROOT", tmp_path)
    reader._includer.cache_clear()
    with pytest.raises(PageError, match=r"page\.md:3: .*include"):
        reader.body(page_file)
    reader._includer.cache_clear()


@pytest.mark.parametrize(
    "target",
    [
        "snippets/ppo_gae/with_numpy.py:nothing",
        "snippets/ppo_gae/nothing.py",
        "snippets/ppo_gae/nothing.py:gae",
    ],
)
def test_a_broken_include_is_named(tmp_path, monkeypatch, target):
    page_file = tmp_path / "page.md"
    page_file.write_text(f'# T {{#t}}\n\n--8<-- "{target}"\n', "utf-8")
    monkeypatch.setattr(reader, "ROOT", tmp_path)
    (tmp_path / "mkdocs.yml").symlink_to(ROOT / "mkdocs.yml")
    (tmp_path / "snippets").symlink_to(ROOT / "snippets")
    reader._includer.cache_clear()
    with pytest.raises(PageError, match=r"page\.md:3: "):
        reader.body(page_file)
    reader._includer.cache_clear()

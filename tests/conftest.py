"""Shared by the tests: which pages and sides there are, the built site."""

import subprocess
import sys
from pathlib import Path

import pytest

from drill.twins import ROOT, claims, entries, functions, pages

SIDES = ("numpy", "torch")


def pytest_generate_tests(metafunc):
    """One test for each page, function, claim or entry that is asked for."""
    wanted = metafunc.fixturenames
    if "entry" in wanted:
        made = [
            pytest.param(
                entry, side, id=f"{entry.function}.{entry.name}-{side}"
            )
            for page in pages()
            for entry in entries(page)
            for side in entry.edits
        ]
        metafunc.parametrize("entry, side", made)
        return
    if "side" in wanted:
        metafunc.parametrize("side", SIDES)
    for name, found in (("claim", claims), ("function", functions)):
        if name in wanted:
            made = [(page, each) for page in pages() for each in found(page)]
            metafunc.parametrize(f"page, {name}", made)
            return
    if "page" in wanted:
        metafunc.parametrize("page", pages())


def pytest_collection_modifyitems(items):
    """The test of the tests comes last."""
    items.sort(key=lambda item: item.path.name == "test_breakage.py")


@pytest.fixture(
    params=["cpu", "meta", pytest.param("cuda", marks=pytest.mark.cuda)]
)
def device(request):
    """Where torch code runs; `pytest -m cuda` adds the GPU."""
    import torch

    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU here")
    return request.param


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Both languages, built strictly into one folder."""
    folder = tmp_path_factory.mktemp("site")
    for config, below in (("mkdocs.yml", "."), ("mkdocs.zh.yml", "zh")):
        built = subprocess.run(
            [
                *(sys.executable, "-m", "mkdocs", "build", "--strict"),
                *("--config-file", str(ROOT / config)),
                *("--site-dir", str(folder / below)),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert built.returncode == 0, built.stdout + built.stderr
    return Path(folder)

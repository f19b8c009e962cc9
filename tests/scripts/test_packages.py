"""`scripts/packages`: what it takes for the same numbers, and that every program has its record."""

import importlib.machinery
import importlib.util
import json
import math
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "packages"
LOADER = importlib.machinery.SourceFileLoader("scripts_packages", str(SCRIPT))


@pytest.fixture(scope="module")
def packages():
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
    LOADER.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"loss": 1.0}, {"loss": 1.00005}),
        ({"loss": [1e6, 2.0]}, {"loss": [1e6 + 50, 2.0]}),
        ({"loss": math.nan, "top": math.inf}, {"loss": math.nan, "top": math.inf}),
        ({"text": "a", "ids": [1, 2], "done": True}, {"text": "a", "ids": [1, 2], "done": True}),
        ({"loss": 1.0}, {"loss": 1}),
    ],
)
def test_the_same(packages, expected, found):
    assert list(packages.differences(expected, found)) == []


@pytest.mark.parametrize(
    ("expected", "found", "where"),
    [
        ({"loss": 1.0}, {"loss": 1.0002}, ".loss"),
        ({"loss": 1.0}, {"loss": math.nan}, ".loss"),
        ({"loss": [1.0, 2.0]}, {"loss": [1.0]}, ".loss"),
        ({"loss": [1.0, 2.0]}, {"loss": [1.0, 3.0]}, ".loss[1]"),
        ({"ids": [1, 2]}, {"ids": [1, 3]}, ".ids[1]"),
        ({"ids": 1}, {"ids": True}, ".ids"),
        ({"text": "a"}, {"text": "b"}, ".text"),
        ({"loss": 1.0}, {}, ".loss"),
        ({}, {"loss": 1.0}, ".loss"),
    ],
)
def test_not_the_same(packages, expected, found, where):
    (difference,) = packages.differences(expected, found)
    assert difference.startswith(where)


def test_every_program_is_pinned_says_what_it_does_and_has_numbers_of_pytorch(packages):
    result = packages.programs([])
    assert result
    assert {file.stem for file in packages.RECORDED.glob("*.json")} == {each.name for each in result}
    for each in result:
        recorded = json.loads((packages.RECORDED / f"{each.name}.json").read_text("utf-8"))
        assert each.says.endswith("."), each.name
        assert all("==" in requirement for requirement in each.requires), each.name
        assert recorded["versions"]["torch"].startswith("2.13.0"), each.name
        for requirement in each.requires:
            name, _, version = requirement.partition("==")
            assert recorded["versions"][name.partition("[")[0]] == version, each.name
        assert recorded["numbers"], each.name

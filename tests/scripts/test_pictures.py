"""`scripts/pictures`: every example has a picture of what it has learned, on a page of the site."""

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "pictures"
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
QUICK = "digits"  # in the gate; the others are drawn at night

loader = importlib.machinery.SourceFileLoader("pictures", str(SCRIPT))
pictures = importlib.util.module_from_spec(importlib.util.spec_from_loader("pictures", loader))
loader.exec_module(pictures)


def test_every_example_has_a_picture_on_the_page():
    page = (ROOT / "docs" / "examples.md").read_text("utf-8")
    assert sorted(pictures.HEADINGS) == EXAMPLES
    assert sorted(re.findall(r"^!\[[^\]]{20,}\]\(examples/(\w+)\.svg\)$", page, re.M)) == EXAMPLES
    assert all(f"`{name}.py`" in page for name in EXAMPLES)
    assert sorted(path.stem for path in (ROOT / "docs" / "examples").iterdir()) == EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_stands_alone(name):
    """It is XML, fetches nothing, runs nothing, and everything in it is on its paper."""
    text = (ROOT / "docs" / "examples" / f"{name}.svg").read_text("utf-8")
    check(ElementTree.fromstring(text))
    assert len(text) < 60_000


def check(root):
    _, _, width, height = map(float, root.get("viewBox").split())
    assert not [each for each in root.iter() if each.tag.endswith(("script", "foreignObject"))]
    assert all(each.get("href", "data:image/png").startswith("data:image/png") for each in root.iter())
    for each in root.iter():
        x, y = float(each.get("x", 0)), float(each.get("y", 0))
        assert 0 <= x + float(each.get("width", 0)) <= width and 0 <= y + float(each.get("height", 0)) <= height


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == QUICK else pytest.mark.nightly) for name in EXAMPLES]
)
def test_a_picture_is_drawn_of_what_the_program_says(name, tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("tqdm")
    command = [sys.executable, SCRIPT, name, "--quick", "--to", tmp_path]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert finished.returncode == 0, finished.stderr
    root = ElementTree.fromstring((tmp_path / f"{name}.svg").read_text("utf-8"))
    check(root)
    words = " ".join(each.text or "" for each in root.iter())
    assert re.search(r": \d+(\.\d+)?", words), words  # what was printed last


def test_curves_lie_on_their_axis():
    parts, below = pictures.chart([("guess", [0, 1, 2], [1.0, 10.0, 100.0])], 50, height=100, logarithmic=True)
    line = next(each for each in parts if each.startswith("<polyline"))
    heights = [float(point.split(",")[1]) for point in re.search(r'points="([^"]+)"', line)[1].split()]
    assert heights == [150, 100, 50] and below > 150
    assert [each for each in (1, 2, 5, 10, 20, 50, 100) if not any(f">{each}<" in part for part in parts)] == []


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-2.3, 1.9), (0.011, 0.013), (0, 4000)])
def test_ticks_are_few_and_within(low, high):
    result = pictures.ticks(low, high)
    assert 2 <= len(result) <= 7 and low <= result[0] and result[-1] <= high

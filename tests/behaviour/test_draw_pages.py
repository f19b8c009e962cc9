"""Pictures where they are looked at: in a browser, which is asked what it shows, and in a notebook that is run."""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess

import pytest

import rushlight as torch
from rushlight import nn

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# Runs in the page: measures what is shown, opens all that opens, closes it again, points at a box.
VISITOR = """
const report = { states: [], problems: [] };

function covers(one) {
  const box = one.getBBox();
  return [box.x, box.y, box.x + box.width, box.y + box.height];
}
function apart(a, b) {
  return a[2] <= b[0] + 0.5 || b[2] <= a[0] + 0.5 || a[3] <= b[1] + 0.5 || b[3] <= a[1] + 0.5;
}
function holds(a, b) {
  return a[0] <= b[0] + 0.5 && a[1] <= b[1] + 0.5 && a[2] >= b[2] - 0.5 && a[3] >= b[3] - 0.5;
}
function look(state) {
  const boxes = [...document.querySelectorAll("svg .box")].map((each) => [each, covers(each.querySelector("rect"))]);
  const frames = [...document.querySelectorAll("svg .frame")].map((each) => covers(each.querySelector("rect")));
  const named = (each) => state + ": " + each.textContent;
  boxes.forEach(([one, place], number) => {
    for (const [other, next] of boxes.slice(number + 1)) {
      if (!apart(place, next)) report.problems.push(named(one) + " overlaps " + other.textContent);
    }
    for (const frame of frames) {
      if (!apart(place, frame) && !holds(frame, place)) report.problems.push(named(one) + " leaves a frame");
    }
    for (const words of one.querySelectorAll("text")) {
      if (!holds(place, covers(words))) report.problems.push(named(one) + " has words outside");
    }
  });
  frames.forEach((one, number) => frames.slice(number + 1).forEach((other) => {
    if (!apart(one, other) && !holds(one, other) && !holds(other, one)) report.problems.push(state + ": frames cross");
  }));
  const edges = [...boxes.map((each) => each[1]), ...frames];
  for (const wire of document.querySelectorAll("svg .wire > path:first-child")) {
    const length = wire.getTotalLength();
    for (const end of [wire.getPointAtLength(0), wire.getPointAtLength(length)]) {
      const met = edges.some(([left, top, right, bottom]) => end.x >= left - 1 && end.x <= right + 1 &&
        Math.min(Math.abs(end.y - top), Math.abs(end.y - bottom)) < 1);
      if (!met) report.problems.push(state + ": a wire ends nowhere");
    }
  }
  report.states.push({ state, boxes: boxes.length, frames: frames.length });
}
function click(selector, state) {
  for (let number = 0; number < 12; number++) {
    const next = document.querySelector(selector);
    if (!next) break;
    next.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    look(state);
  }
}

look("first");
click("svg .box.group.opens", "open");
click("svg .repeat > .opens:nth-of-type(2)", "turns");
click("svg .frame > .opens", "close");
const box = document.querySelector("svg .box");
box.dispatchEvent(new PointerEvent("pointerenter", { clientX: 50, clientY: 50 }));
report.facts = document.querySelector(".facts").hidden ? null : document.querySelector(".facts").textContent;
const before = document.querySelector("svg.rushlight-graph").getAttribute("viewBox");
document.querySelector(".tools button").click();
report.zoomed = before !== document.querySelector("svg.rushlight-graph").getAttribute("viewBox");
const shown = document.createElement("pre");
shown.id = "report";
shown.textContent = JSON.stringify(report);
document.body.append(shown);
"""


@pytest.fixture(scope="module")
def browser():
    result = next(filter(None, map(shutil.which, BROWSERS)), None)
    return result or pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")


def visited(browser, folder, shown):
    """What a visitor to a page with a picture reports."""
    page = folder / "page.html"
    page.write_text(f"<!doctype html><body>{shown}<script>{VISITOR}</script></body>", "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    command = [browser, *options, "--virtual-time-budget=5000", "--window-size=1000,800", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    result = re.search(r'<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)
    assert result, done.stderr
    return json.loads(result[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def encoder(layers):
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), layers)


def test_groups_open_and_close_and_nothing_overlaps(browser, tmp_path):
    report = visited(browser, tmp_path, torch.draw(encoder(8), torch.ones(2, 3, 8)).html())
    assert report["problems"] == []
    boxes = {
        state: [each["boxes"] for each in report["states"] if each["state"] == state] for state in ("open", "turns")
    }
    first, last = report["states"][0], report["states"][-1]
    assert first["boxes"] < boxes["open"][-1] < max(boxes["turns"])
    assert last["boxes"] == 1 and last["frames"] == 0
    assert report["zoomed"]


def test_a_loop_of_plain_operations(browser, tmp_path):
    weight, hidden = torch.ones(3, 3, requires_grad=True), torch.zeros(1, 3)
    for _ in range(20):
        hidden = torch.tanh(torch.ones(1, 3) @ weight + hidden @ weight)
    report = visited(browser, tmp_path, torch.draw(hidden.sum()).html())
    assert report["problems"] == []
    assert {"first", "turns", "close"} <= {each["state"] for each in report["states"]}


def test_pointing_at_a_box_tells_its_facts(browser, tmp_path):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    report = visited(browser, tmp_path, torch.draw(x.exp().sum(), backward=True).html())
    assert report["problems"] == []
    assert "node: ExpBackward0" in report["facts"]
    assert "keeps out: (2,), 8 bytes: [2.718, 7.389]" in report["facts"]


# Runs in a page of its own: how much of the window the picture takes, and where a box stands that has been closed.
MEASURER = """
const place = document.querySelector("svg.rushlight-graph").getBoundingClientRect();
const legend = document.querySelector(".legend").getBoundingClientRect();
const frame = document.querySelector("svg .frame > .opens");
if (frame) frame.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const box = document.querySelector("svg .box.group"), heads = [];
if (box) {
  const { x, y, width } = box.querySelector("rect").getBBox();
  for (const wire of document.querySelectorAll("svg .wire > path:first-child")) {
    const end = wire.getPointAtLength(wire.getTotalLength());
    if (Math.abs(end.y - y) < 1) heads.push((end.x - x) / width);
  }
}
const shown = document.createElement("pre");
shown.id = "report";
shown.textContent = JSON.stringify({
  window: [innerWidth, innerHeight], picture: [place.width, place.height], legend: legend.height, heads,
});
document.body.append(shown);
"""


def measured(browser, folder, picture):
    """What a page that was saved looks like in a window of 1000 by 800."""
    page = picture.save(folder / "page.html")
    page.write_text(page.read_text("utf-8").replace("</body>", f"<script>{MEASURER}</script></body>"), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    command = [browser, *options, "--virtual-time-budget=5000", "--window-size=1000,800", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return json.loads(re.search(r'<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)[1])


def test_a_page_of_its_own_fills_the_window(browser, tmp_path):
    report = measured(browser, tmp_path, torch.draw(encoder(2), torch.ones(2, 3, 8)))
    (width, height), (wide, high) = report["window"], report["picture"]
    assert wide == pytest.approx(width, abs=1) and high + report["legend"] == pytest.approx(height, abs=2)
    assert report["legend"] > 10


def test_a_box_that_is_closed_stands_where_its_wires_are(browser, tmp_path):
    weight, hidden = torch.ones(3, 3, requires_grad=True), torch.zeros(3)
    for _ in range(12):
        hidden = torch.tanh(weight @ hidden)
    report = measured(browser, tmp_path, torch.draw(hidden.sum()))
    assert report["heads"] and sum(report["heads"]) / len(report["heads"]) == pytest.approx(0.5, abs=0.1)


def test_the_page_needs_nothing_from_elsewhere():
    page = torch.draw(torch.ones(2, requires_grad=True) * 2).html()
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)=|@import|\bfetch\(", page)


def test_words_of_a_program_are_no_markup():
    x = torch.ones(2, requires_grad=True)
    picture = torch.draw(x * 2, names={"</script><b>": x})
    assert "</script><b>" not in picture.html() and "</script><b>" not in picture.svg()
    assert "<b>" not in picture.mermaid().replace("&lt;b&gt;", "")


# ---- a notebook


CELLS = [
    "import rushlight as torch\nfrom rushlight import nn",
    "w = torch.linspace(-1, 1, 50, requires_grad=True)\nw",
    "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())\nnet",
    "torch.draw((w * w).sum(), backward=True)",
    "print(w[:3])",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What the cells show, for a user who has configured nothing; nothing is written to the home folder."""
    nbformat = pytest.importorskip("nbformat", reason="nbclient, of the extra `test`, runs the notebook")
    nbclient = pytest.importorskip("nbclient", reason="nbclient, of the extra `test`, runs the notebook")
    pytest.importorskip("ipykernel", reason="ipykernel, of the extra `test`, runs the notebook")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in CELLS])
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name)))
        nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell["outputs"] for cell in notebook["cells"]]


def test_a_tensor_in_a_notebook(outputs):
    ((shown,),) = (outputs[1],)
    assert shown["data"]["text/plain"].startswith("tensor([-1.0000, -0.9592")
    page = shown["data"]["text/html"]
    assert "<pre>tensor([-1.0000, -0.9592" in page
    assert "50, torch.float32, on cpu, 200 bytes" in page
    assert "from -1 to 1" in page and "a leaf: accumulated in .grad, none yet" in page
    assert page.count("<rect") == 24


def test_a_module_in_a_notebook(outputs):
    ((shown,),) = (outputs[2],)
    assert shown["data"]["text/plain"].startswith("Sequential(\n  (0): Linear(")
    page = shown["data"]["text/html"]
    assert "Linear(in_features=3, out_features=4, bias=True)" in page
    assert "16 of 16 parameters trained, 64 bytes, in training mode" in page


def test_a_picture_in_a_notebook(outputs):
    ((shown,),) = (outputs[3],)
    assert set(shown["data"]) == {"text/html", "image/svg+xml", "text/plain"}
    assert shown["data"]["text/plain"] == "Picture(2 steps, 1 leaf)"
    assert 'class="rushlight-view' in shown["data"]["text/html"]
    assert shown["data"]["image/svg+xml"].startswith("<svg")


def test_the_picture_of_a_notebook_in_a_browser(outputs, browser, tmp_path):
    report = visited(browser, tmp_path, outputs[3][0]["data"]["text/html"])
    assert report["problems"] == []
    assert report["states"][0]["boxes"] == 3 and "node: MulBackward0" in report["facts"]


def test_what_a_program_prints_is_as_it_was(outputs):
    ((shown,),) = (outputs[4],)
    assert shown["text"] == "tensor([-1.0000, -0.9592, -0.9184], grad_fn=<SliceBackward0>)\n"


# ---- the pages of the documentation


PAGE = """
```pycon
>>> import rushlight as torch
>>> x = torch.ones(2, requires_grad=True)
>>> x.numpy()
Traceback (most recent call last):
RuntimeError: ...

```

Between.

```pycon
>>> torch.draw(x * 2)
Picture(1 step, 1 leaf)

```
"""


def test_a_page_shows_what_its_examples_draw():
    place = pathlib.Path(__file__).parents[2] / "docs" / "pictures.py"
    specification = importlib.util.spec_from_file_location("pictures", place)
    pictures = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(pictures)
    drawn = pictures.with_pictures(PAGE)
    assert drawn.count('class="rushlight-view') == 1
    assert drawn.index("Picture(1 step, 1 leaf)") < drawn.index('class="rushlight-view')
    assert pictures.with_pictures("no pictures") == "no pictures"


@pytest.mark.parametrize("name", ["</script><img src=x>", "<!--<script>", "<b onclick=alert(1)>"])
def test_names_of_a_program_are_no_markup(tmp_path, name):
    """A class may have any name: in a page it is text."""
    odd = type(name, (nn.Linear,), {})
    picture = torch.draw(nn.Sequential(odd(2, 2)), torch.ones(1, 2))
    page = picture.save(tmp_path / "graph.html").read_text("utf-8")
    assert name not in page and page.count("<script>") == page.count("</script>") == 1
    assert name not in picture.save(tmp_path / "graph.svg").read_text("utf-8")

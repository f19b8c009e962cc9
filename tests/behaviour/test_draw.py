"""Pictures of graphs: what is in them, that nothing overlaps, and that big ones are drawn quickly."""

import io
import itertools
import random
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.picture.colours import PALETTES

SVG = "{http://www.w3.org/2000/svg}"
TOLERANCE = 0.11  # coordinates are written with one digit after the point


class Rectangle(NamedTuple):
    """What an SVG rectangle covers."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other):
        return (
            min(self.right, other.right) - max(self.left, other.left) > TOLERANCE
            and min(self.bottom, other.bottom) - max(self.top, other.top) > TOLERANCE
        )

    def holds(self, other):
        return (
            self.left <= other.left + TOLERANCE
            and self.top <= other.top + TOLERANCE
            and self.right >= other.right - TOLERANCE
            and self.bottom >= other.bottom - TOLERANCE
        )

    def has_on_edge(self, x, y):
        """Whether a point is on the upper or the lower edge."""
        on_edge = min(abs(y - self.top), abs(y - self.bottom)) < TOLERANCE
        return on_edge and self.left - TOLERANCE <= x <= self.right + TOLERANCE


def rectangle(element):
    x, y, width, height = (float(element.get(name)) for name in ("x", "y", "width", "height"))
    return Rectangle(x, y, x + width, y + height)


class Drawing:
    """An SVG picture, read back."""

    def __init__(self, svg):
        self.root = ElementTree.fromstring(svg)
        groups = [(set(each.get("class", "").split()), each) for each in self.root.iter(f"{SVG}g")]
        self.boxes = [(rectangle(each.find(f"{SVG}rect")), each) for kinds, each in groups if "box" in kinds]
        self.frames = [(rectangle(each.find(f"{SVG}rect")), each) for kinds, each in groups if "frame" in kinds]
        self.labels = [rectangle(each.find(f"{SVG}rect")) for kinds, each in groups if "sent" in kinds]
        self.wires = [each.find(f"{SVG}path").get("d") for kinds, each in groups if "wire" in kinds]

    def titles(self):
        return [[text.text for text in each.findall(f"{SVG}text")] for _, each in self.boxes]

    def check(self):
        """Everything that makes a picture legible."""
        positions = [place for place, _ in self.boxes] + self.labels
        for one, other in itertools.combinations(positions, 2):
            assert not one.overlaps(other)
        for (frame, element), place in itertools.product(self.frames, positions):
            assert frame.holds(place) or not frame.overlaps(place), element.find(f"{SVG}text").text
        for (one, _), (other, _) in itertools.combinations(self.frames, 2):
            assert one.holds(other) or other.holds(one) or not one.overlaps(other)
        for frame, element in self.frames:
            assert not any(text_place(element.find(f"{SVG}text")).overlaps(place) for place in positions)
            assert frame.holds(text_place(element.find(f"{SVG}text")))
        for place, element in self.boxes:
            assert all(place.holds(text_place(text)) for text in element.findall(f"{SVG}text"))
        self.check_wires()

    def check_wires(self):
        ends = [place for place, _ in self.boxes + self.frames]
        for wire in self.wires:
            numbers = [float(each) for each in re.findall(r"-?[\d.]+", wire)]
            assert any(place.has_on_edge(*numbers[:2]) for place in ends)
            assert any(place.has_on_edge(*numbers[-2:]) for place in ends)
            heights = numbers[1::2]
            assert heights == sorted(heights), "a wire leads down all the way"


def text_place(element):
    """About what a text covers, by the width that letters have at most."""
    title = "title" in (element.get("class") or "")
    words, x, y = element.text, float(element.get("x")), float(element.get("y"))
    width = len(words) * (5.5 if title else 6.6)
    left = x - width / 2 if element.get("text-anchor") == "middle" else x
    return Rectangle(left, y - 9, left + width, y + 2)


def encoder(layers):
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), layers)


def ten_nodes():
    w, b = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    return torch.draw(((w * 3 + b) * torch.tanh(w) - torch.exp(b)).sqrt(), backward=True)


def losses_of_steps(count):
    """The sum of a loss for each step of a recurrence."""
    cell, losses = torch.nn.LSTMCell(8, 8), []
    state = torch.zeros(2, 8), torch.zeros(2, 8)
    for _ in range(count):
        state = cell(torch.ones(2, 8), state)
        losses.append((state[0] * state[0]).sum().sigmoid() + state[1].tanh().mean())
    return sum(losses)


def ladder(rungs):
    """A graph without repetition: each step takes two of the last ones, chosen at random."""
    choose = random.Random(0).choice
    steps = [torch.ones(2, requires_grad=True) for _ in range(5)]
    for _ in range(rungs):
        steps.append(choose((torch.add, torch.maximum, torch.sub))(choose(steps[-5:]), choose(steps[-5:])))
    return torch.stack(steps[-5:]).sum()


def recurrent(steps):
    weight, hidden, states = torch.ones(3, 3, requires_grad=True), torch.zeros(1, 3), []
    for _ in range(steps):
        hidden = torch.tanh(torch.ones(1, 3) @ weight + hidden @ weight)
        states.append(hidden)
    return torch.draw(torch.stack(states).sum())


PICTURES = {
    "10 nodes": ten_nodes,
    "60 nodes, modules": lambda: torch.draw(encoder(1), torch.ones(2, 3, 8)),
    "200 nodes, modules": lambda: torch.draw(encoder(4), torch.ones(2, 3, 8)),
    "200 nodes, no modules": lambda: torch.draw(encoder(4)(torch.ones(2, 3, 8))),
    "200 nodes, all of them": lambda: torch.draw(ladder(200), visible=None),
    "400 nodes, a loop": lambda: recurrent(100),
    "2000 nodes, modules": lambda: torch.draw(encoder(36), torch.ones(2, 3, 8)),
    "2000 nodes, no modules": lambda: torch.draw(encoder(36)(torch.ones(2, 3, 8))),
    "2000 nodes, no repetition": lambda: torch.draw(ladder(2000)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_overlaps_and_wires_end_at_boxes(name):
    drawing = Drawing(PICTURES[name]().svg())
    assert len(drawing.boxes) > 5
    assert drawing.wires
    drawing.check()


def test_an_overlap_would_be_seen():
    svg = ten_nodes().svg()
    first = re.search(r'<g class="box leaf">.*?<rect x="([\d.]+)" y="([\d.]+)"', svg, re.DOTALL)
    moved = re.sub(
        r'(<g class="box result">.*?<rect) x="[\d.]+" y="[\d.]+"',
        rf'\1 x="{first[1]}" y="{first[2]}"',
        svg,
        flags=re.DOTALL,
    )
    with pytest.raises(AssertionError):
        Drawing(moved).check()


def test_two_thousand_nodes_take_less_than_two_seconds():
    model, loss, steps = encoder(36), ladder(2000), losses_of_steps(230)
    model(torch.ones(2, 3, 8))

    def seconds(work):
        start = time.thread_time()  # of this thread alone: the machine may be busy
        work()
        return time.thread_time() - start

    def tries(work):
        return min(seconds(work) for _ in range(3))

    assert tries(lambda: torch.draw(model, torch.ones(2, 3, 8)).svg()) < 2
    assert tries(lambda: torch.draw(loss).svg()) < 2
    assert tries(lambda: torch.draw(loss, visible=None).svg()) < 2
    assert tries(lambda: torch.draw(loss).html()) < 2
    assert tries(lambda: torch.draw(steps).html()) < 2  # 1,840 nodes, of which wires lead past all that follow


# ---- what a picture says


def shown(picture):
    """All words of the boxes."""
    return [" ".join(words) for words in Drawing(picture.svg()).titles()]


def test_leaves_have_the_names_of_the_callers_variables():
    slope, shift = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    assert {"slope (2,)", "shift (2,)"} <= set(shown(torch.draw(slope * 2 + shift)))
    assert {"a (2,)", "leaf (2,)"} <= set(shown(torch.draw(slope * 2 + shift, names={"a": slope})))


def test_a_module_is_called_and_its_parameters_named():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    picture = torch.draw(net, torch.ones(5, 3))
    assert {"net.0.weight (4, 3)", "net.2.bias (2,)"} <= set(shown(picture))
    frames = [each.find(f"{SVG}text").text for _, each in Drawing(picture.svg()).frames]
    assert frames == ["Sequential", "0: Linear", "1: ReLU", "2: Linear"]
    assert all(each.grad is None for each in net.parameters())


def test_gradients_stand_at_boxes_and_wires():
    x = torch.tensor(3.0, requires_grad=True)
    picture = torch.draw(x * x + 2 * x, backward=True)
    assert "x scalar = 3 grad 8" in shown(picture)
    labels = {wire.label for wire in picture.sheet.wires}
    assert labels == {"3", "2", "1", ""}  # x * x sends 3 twice, 2 * x sends 2, the sum 1 to both; none goes to 2
    assert "2 scalar" in shown(picture)


def test_the_gradients_are_those_that_backward_accumulates():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([[0.5, -1.0], [2.0, 3.0]], requires_grad=True)
    loss = torch.sigmoid(w @ x).prod()
    picture = torch.draw(loss, backward=True)
    loss.backward()
    gradient = ", ".join(f"{each:.4g}" for each in x.grad.tolist())
    assert f"x (2,) grad [{gradient}]" in shown(picture)
    assert f"w (2, 2) grad norm {w.grad.norm():.4g}" in shown(picture)


def test_a_detached_leaf_is_found_by_its_memory():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    scale = torch.tensor([3.0, 4.0])
    picture = torch.draw((x * x.detach() * scale).sum())
    assert {box.title for box in picture.sheet.boxes if box.kind == "cut"} == {"x.detach()"}
    assert {box.title for box in picture.sheet.boxes if box.kind == "constant"} == {"scale"}


def test_drawing_leaves_no_trace():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    seen = []
    y.register_hook(seen.append)
    x.register_hook(seen.append)
    loss = y.sum()
    torch.draw(loss, backward=True)
    assert x.grad is None and y.grad is None and seen == []
    loss.backward()
    assert x.grad.tolist() == [2.0, 4.0] and y.grad.tolist() == [1.0, 1.0] and len(seen) == 2


def test_a_gradient_to_start_from():
    x = torch.ones(2, requires_grad=True)
    picture = torch.draw(x * 3, backward=torch.tensor([1.0, 10.0]))
    assert "x (2,) grad [3, 30]" in shown(picture)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        torch.draw(x * 3, backward=True)


def test_a_graph_that_was_freed_cannot_show_gradients():
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    assert {each.split()[0] for each in shown(torch.draw(loss))} == {"mul", "x", "sum"}
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.draw(loss, backward=True)


def test_where_the_gradient_is_cut_is_seen():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.draw.recording() as record:
        with torch.no_grad():
            scale = x * 2
        y = (x * x.detach() + scale).sum()
    picture = torch.draw(y, recording=record)
    cuts = [box for box in picture.sheet.boxes if box.kind == "cut"]
    assert {box.title for box in cuts} == {"detach()", "no_grad"}
    assert any("x * x.detach()" in value for box in cuts for name, value in box.facts if name == "line")
    assert {wire.kind for wire in picture.sheet.wires} == {"gradient", "cut"}


def test_saved_values_are_reported():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    picture = torch.draw(x.exp().sum())
    facts = dict(next(box for box in picture.sheet.boxes if box.title == "exp").facts)
    assert facts["keeps out"].startswith("(3,), 12 bytes: [2.718, 7.389, 20.09]")
    assert facts["node"] == "ExpBackward0"


def test_what_repeats_is_folded_and_counted():
    drawing = Drawing(recurrent(100).svg())
    assert "tanh, mm, add x 99" in [each.find(f"{SVG}text").text for _, each in drawing.frames]
    assert len(drawing.boxes) < 20


def test_layers_that_repeat_are_folded():
    frames = [each.find(f"{SVG}text").text for _, each in Drawing(PICTURES["2000 nodes, modules"]().svg()).frames]
    assert "TransformerEncoderLayer x 35" in frames


def test_a_leaf_is_one_box_however_many_use_it():
    weight = torch.ones(2, requires_grad=True)
    loss = (weight.exp() + weight.sin() + weight.cos() + weight.tanh() + weight.sqrt()).sum()
    assert shown(torch.draw(loss)).count("weight (2,)") == 1
    assert repr(torch.draw(loss)).endswith("1 leaf)")


def test_tensors_whose_names_are_out_of_scope_are_one_box_each():
    def loss():
        weight, data = torch.ones(2, requires_grad=True), torch.ones(2)
        return (weight * data * weight * data * weight * data * weight * data).sum()

    boxes = torch.draw(loss()).sheet.boxes
    assert sum(box.kind == "leaf" for box in boxes) == 1
    assert sum(box.kind == "constant" for box in boxes) == 1


def test_parts_of_one_tensor_are_boxes_of_their_own():
    weight, data = torch.ones(2, requires_grad=True), torch.arange(4.0)
    boxes = torch.draw((weight * data[:2] * data[2:]).sum()).sheet.boxes
    assert sum(box.kind == "constant" for box in boxes) == 2


class Block(nn.Module):
    """A layer with a shortcut, if its input has the shape of its output."""

    def __init__(self, inputs):
        super().__init__()
        self.first, self.second = nn.Linear(inputs, 8), nn.Linear(8, 8)

    def forward(self, x):
        y = self.second(self.first(x).relu())
        return x + y if x.shape == y.shape else y


@pytest.mark.parametrize(("inputs", "layers"), [(3, 8), (8, 8), (3, 6)])
def test_blocks_fold_although_the_first_differs(inputs, layers):
    net = nn.Sequential(*(Block(8 if number else inputs) for number in range(layers)), nn.Linear(8, 1))
    frames = [each.find(f"{SVG}text").text for _, each in Drawing(torch.draw(net, torch.ones(2, inputs)).svg()).frames]
    assert f"Block x {layers - 1}" in frames


def test_three_large_layers_fold():
    frames = [
        each.find(f"{SVG}text").text for _, each in Drawing(torch.draw(encoder(3), torch.ones(2, 3, 8)).svg()).frames
    ]
    assert "TransformerEncoderLayer x 2" in frames


def test_a_legend_says_what_boxes_and_wires_mean():
    x, data = torch.ones(2, requires_grad=True), torch.ones(2)
    root = Drawing(torch.draw((x * data).sum()).svg()).root
    entries = [each for each in root.iter(f"{SVG}g") if "legend" in each.get("class", "").split()]
    assert [each.find(f"{SVG}text").text for each in entries] == [
        "leaf that requires grad", "operation", "result", "no gradient", "value down, gradient back up", "value only",
    ]  # fmt: skip
    height = float(root.get("height"))
    assert all(float(each.find(f"{SVG}text").get("y")) < height - 16 for each in entries)
    assert entries[0].get("class") == "legend leaf"


def test_a_tensor_without_history_is_said_to_have_none():
    assert shown(torch.draw(torch.ones(2, 3))) == ["tensor without history (2, 3)"]


def test_what_cannot_be_drawn():
    with pytest.raises(TypeError, match="expected a tensor, module, node or several, not int"):
        torch.draw(3)
    with pytest.raises(TypeError, match="give the tensor itself and not its grad_fn"):
        torch.draw((torch.ones((), requires_grad=True) * 2).grad_fn, backward=True)
    with pytest.raises(TypeError, match="inputs are for a module or a function, and Tensor is none"):
        torch.draw(torch.ones(2), torch.ones(2))
    with pytest.raises(ValueError, match="there is no picture of the form '.gif'"):
        torch.draw(torch.ones(2)).save("picture.gif")


def test_a_custom_function_and_several_outputs():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.arange(6.0, requires_grad=True)
    first, second = Double.apply(x).split(3)
    picture = torch.draw({"loss": [first.sum(), second.prod()]}, backward=True)
    assert "Double" in {box.title for box in picture.sheet.boxes}
    assert "x (6,) grad [2, 2, 2, 160, 120, 96]" in shown(picture)
    Drawing(picture.svg()).check()


def test_a_hundred_thousand_steps_are_read_up_to_a_limit():
    x = torch.ones((), requires_grad=True)
    for _ in range(100_000):
        x = x + 1
    picture = torch.draw(x, limit=500)
    assert repr(picture) == "Picture(500 steps, 0 leaves)"
    assert "older steps" in {box.title for box in picture.sheet.boxes}


# ---- other forms


def test_mermaid_and_dot():
    x = torch.tensor(3.0, requires_grad=True)
    picture = torch.draw(x * x, backward=True)
    assert picture.mermaid().splitlines()[:4] == [
        "flowchart TB",
        '  n1["mul<br/>scalar<br/>grad 1"]:::result',
        '  n0(["x<br/>scalar<br/>= 3<br/>grad 6"]):::leaf',
        '  n0 -->|"3"| n1',
    ]
    assert 'n0 -> n1 [label="3"]' in picture.dot()
    grouped = torch.draw(nn.Sequential(nn.Linear(1, 1), nn.Tanh()), torch.ones(1, 1))
    assert grouped.mermaid().count("subgraph") == grouped.mermaid().count("  end\n") == 3
    assert grouped.dot().count("{") == grouped.dot().count("}")


def test_png_has_the_size_of_the_picture(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="PNG pictures are drawn by Pillow, of the extra `viz`")
    picture = ten_nodes()
    for theme, paper in (("light", (255, 255, 255)), ("dark", (20, 24, 31))):
        (tmp_path / "picture.png").write_bytes(picture.png(scale=1.5, theme=theme))
        with image.open(tmp_path / "picture.png") as opened:
            assert opened.size == (round((picture.scene.width + 32) * 1.5), round((picture.scene.height + 32) * 1.5))
            assert opened.getpixel((0, 0)) == paper
            assert len(opened.getcolors(1 << 20)) > 50


def test_without_pillow_png_says_what_to_install():
    program = """
import sys
sys.modules["PIL"] = None
import rushlight as torch
picture = torch.draw(torch.ones(2, requires_grad=True) * 2)
assert picture.svg()
try:
    picture.png()
except ModuleNotFoundError as error:
    print(error.__notes__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "rushlight[viz]" in done.stdout, done.stderr


@pytest.mark.parametrize("ending", [".svg", ".html", ".mmd", ".dot"])
def test_files(tmp_path, ending):
    picture = ten_nodes()
    path = picture.save(tmp_path / f"picture{ending}")
    assert path.read_text("utf-8")


def test_recording_costs_nothing_outside():
    net = nn.Linear(2, 2)
    with torch.draw.recording() as record:
        net(torch.ones(1, 2))
    net(torch.ones(1, 2))
    assert [call.title for call in record.calls] == ["Linear"]
    assert not any(getattr(net, kind) for kind in nn.modules.module.HOOKS)


def test_a_call_that_fails_is_over():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(3, 2))
    with torch.draw.recording() as record:
        with pytest.raises(RuntimeError):
            net(torch.ones(1, 2))
        net[0](torch.ones(1, 2))
    assert [call.title for call in record.calls] == ["Sequential", "0: Linear", "1: Linear", "Linear"]
    assert record.calls[-1].around is None


# ---- colours


def luminance(colour):
    """How light a colour is. https://www.w3.org/TR/WCAG21/#dfn-relative-luminance"""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_wires_stand_out(theme):
    colours = PALETTES[theme]
    for kind, (fill, edge) in colours.boxes.items():
        assert contrast(colours.text, fill) >= 7, kind
        if kind in ("step", "result", "parameter", "leaf", "cut", "group"):
            assert contrast(edge, colours.paper) >= 2.5, kind
    frames = [colours.boxes[kind][0] for kind in ("module", "repeat", "turn", "stretch")]
    for ground in (colours.paper, *frames):
        assert contrast(colours.faint, ground) >= 4.5
        assert contrast(colours.line, ground) >= 3
        assert contrast(colours.severed, ground) >= 3
    assert contrast(colours.gradient, colours.paper) >= 4.5


def test_a_graph_of_fx_is_drawn():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)
            self.scale = nn.Parameter(torch.ones(3))

        def forward(self, x):
            return torch.relu(self.layer(x)) * self.scale + x

    traced = torch.fx.symbolic_trace(nn.Sequential(Block(), Block()))
    torch.fx.passes.shape_prop.ShapeProp(traced).propagate(torch.ones(2, 3))
    sheet = torch.draw(traced).sheet
    assert [box.title for box in sheet.boxes][:5] == ["input", "0.layer", "relu", "0.scale", "mul"]
    assert all(box.lines for box in sheet.boxes)
    assert [group.title for group in sheet.whole.members] == ["0", "1"]
    assert {(wire.source, wire.target) for wire in sheet.wires} >= {(0, 1), (1, 2), (2, 4), (3, 4)}
    assert sheet.boxes[-1].kind == "result"
    for drawn in (traced.graph, torch.jit.load(saved(traced))):
        assert "relu" in torch.draw(drawn).mermaid()
    ElementTree.fromstring(torch.draw(traced).svg())
    assert repr(torch.draw(traced, torch.ones(2, 3))) == "Picture(8 steps, 6 leaves)"  # the backward graph of a call


def saved(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return file

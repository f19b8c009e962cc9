"""`torch.utils.tensorboard`: what a program writes, as TensorBoard's own reader reads it, and as PyTorch writes it."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import rushlight as torch

pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader  # noqa: E402
from tensorboard.compat.proto.graph_pb2 import GraphDef  # noqa: E402

from rushlight.utils.tensorboard import SummaryWriter  # noqa: E402

# Calls whose events are those of PyTorch, byte for byte.
CALLS = {
    "a number": "w.add_scalar('x', 1.5, 3)",
    "a tensor of one number": "w.add_scalar('x', torch.tensor([0.1]), 3)",
    "a number of NumPy": "w.add_scalar('x', np.float64(0.1))",
    "the newer form": "w.add_scalar('x', 2.5, 1, new_style=True)",
    "double precision": "w.add_scalar('x', 0.1, 1, new_style=True, double_precision=True)",
    "several numbers": "w.add_scalars('group/x', {'a': 1.0, 'b': 2.0}, 1)",
    "a tensor": "w.add_tensor('x', torch.arange(6.0).view(2, 3), 1)",
    "a tensor of integers": "w.add_tensor('x', torch.arange(6), 1)",
    "a histogram": "w.add_histogram('x', numbers, 1)",
    "a histogram of ten bins": "w.add_histogram('x', numbers, 1, bins=10)",
    "a histogram with fewer bins": "w.add_histogram('x', numbers, 1, bins='auto', max_bins=5)",
    "a histogram of one number": "w.add_histogram('x', torch.zeros(5), 1)",
    "a counted histogram": "w.add_histogram_raw('x', 0, 2, 3, 4.0, 6.0, [1, 2], [1, 2], 1)",
    "an image": "w.add_image('x', image, 1)",
    "an image of one channel": "w.add_image('x', image[:1], 1)",
    "an image without channels": "w.add_image('x', image[0], 1, dataformats='HW')",
    "an image of bytes": "w.add_image('x', (image * 255).to(torch.uint8), 1)",
    "images": "w.add_images('x', torch.stack([image] * 10), 1)",
    "images with channels last": "w.add_images('x', torch.stack([image] * 3).mT, 1, dataformats='NCWH')",
    "a text": "w.add_text('x', 'hello **there**', 2)",
    "a curve": "w.add_pr_curve('x', labels, predictions, 1)",
    "a curve with weights": "w.add_pr_curve('x', labels, predictions, 1, 20, np.array([1.0, 2.0, 1.0, 1.0, 1.0]))",
    "charts": "w.add_custom_scalars({'c': {'m': ['Multiline', ['a', 'b']], 'g': ['Margin', ['a', 'b', 'c']]}})",
    "one chart": "w.add_custom_scalars_multilinechart(['a', 'b'], 'category', 'title')",
    "sound": "w.add_audio('x', torch.linspace(-1, 2, 100), 1, sample_rate=8000)",
    "points": "w.add_mesh('x', image[:, :3, :3], image[:, :3, :3] * 255, torch.tensor([[[0, 1, 2]]] * 3), {'a': 1})",
    "hyperparameters": "w.add_hparams({'lr': 0.1, 'k': 'a', 'on': True}, {'loss': 0.5}, {'k': ['a', 'b']}, 'run')",
    "a step that was purged": "SummaryWriter(w.log_dir, purge_step=5).close()",
}
PREPARE = """
rng = np.random.default_rng(0)
numbers = torch.from_numpy(rng.standard_normal(1000).astype("float32"))
image = torch.from_numpy(rng.random((3, 8, 9)).astype("float32"))
labels, predictions = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0.1, 0.6, 0.9, 0.7, 0.5])
"""
PYTORCH = """
import json, os, sys
import numpy as np, torch
from torch.utils.tensorboard import SummaryWriter
exec(sys.argv[2])
for name, call in json.loads(sys.argv[3]).items():
    w = SummaryWriter(os.path.join(sys.argv[1], name))
    exec(call)
    w.close()
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """The folder of what PyTorch writes."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    folder = tmp_path_factory.mktemp("theirs")
    command = [sys.executable, "-c", PYTORCH, str(folder), PREPARE, json.dumps(CALLS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def events(folder):
    """The summaries in all files of a folder: by run and tag, the step and the value as bytes."""
    result = {}
    for place, _, files in os.walk(folder):
        for file in files:
            for event in EventFileLoader(os.path.join(place, file)).Load() if "tfevents" in file else ():
                for each in event.summary.value:
                    value = each.SerializeToString(deterministic=True)
                    result[os.path.relpath(place, folder), each.tag] = event.step, value
                if event.HasField("session_log"):
                    result["session"] = event.step, event.session_log.status
    return result


@pytest.mark.parametrize("name", CALLS)
def test_events_are_those_of_pytorch(name, theirs, tmp_path):
    names = {"torch": torch, "np": np, "SummaryWriter": SummaryWriter}
    exec(PREPARE, names)
    names["w"] = SummaryWriter(tmp_path / name)
    exec(CALLS[name], names)
    names["w"].close()
    known = events(theirs / name)
    if name == "hyperparameters":  # its values are a mapping, whose order is not fixed
        known.pop(("run", "_hparams_/session_start_info"))
        assert events(tmp_path / name).items() >= known.items()
    else:
        assert events(tmp_path / name) == known != {}


@pytest.fixture
def reader(tmp_path):
    """A function: what TensorBoard reads after a program has written."""

    def read(*calls):
        with SummaryWriter(tmp_path) as writer:
            for call in calls:
                call(writer)
        accumulator = EventAccumulator(str(tmp_path), size_guidance={"images": 0, "scalars": 0, "histograms": 0})
        accumulator.Reload()
        return accumulator

    return read


def test_a_training_run_is_read_back(reader):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []

    def train(writer):
        for step in range(5):
            optimizer.zero_grad()
            loss = (model(torch.ones(2, 3)) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            writer.add_scalar("loss", loss, step)
            writer.add_histogram("weight", model.weight, step)

    read = reader(train)
    assert [event.step for event in read.Scalars("loss")] == [0, 1, 2, 3, 4]
    assert [event.value for event in read.Scalars("loss")] == pytest.approx(losses)
    assert [event.histogram_value.num for event in read.Histograms("weight")] == [3.0] * 5


def test_half_precision_can_be_written(reader):
    read = reader(
        lambda writer: writer.add_scalar("half", torch.tensor(1.5, dtype=torch.float16)),
        lambda writer: writer.add_scalar("brain", torch.tensor(2.5, dtype=torch.bfloat16)),
        lambda writer: writer.add_histogram("weights", torch.ones(3, dtype=torch.bfloat16)),
    )
    assert read.Scalars("half")[0].value == 1.5 and read.Scalars("brain")[0].value == 2.5
    assert read.Histograms("weights")[0].histogram_value.sum == 3.0


def graph_of(folder):
    """The nodes of the graph in a folder, by name."""
    for file in os.listdir(folder):
        for event in EventFileLoader(os.path.join(folder, file)).Load():
            if event.HasField("graph_def"):
                return {node.name: node for node in GraphDef.FromString(event.graph_def).node}
    return None


def test_the_graph_of_a_model_has_its_modules_and_shapes(tmp_path):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU())
            self.scale = torch.nn.Parameter(torch.ones(8))

        def forward(self, x):
            return torch.sigmoid(self.body(x) * self.scale)

    model = Net().train()
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, torch.ones(2, 4))
    nodes = graph_of(tmp_path)
    operations = {node.op: node for node in nodes.values()}
    assert {"Linear", "ReLU", "Parameter", "mul", "sigmoid", "IO Node"} <= set(operations)
    assert operations["Linear"].name.startswith("Net/body/0/")
    assert list(operations["ReLU"].input) == [operations["Linear"].name]
    sizes = operations["Linear"].attr["_output_shapes"].list.shape[0].dim
    assert [each.size for each in sizes] == [2, 8]
    assert all(name in nodes for node in nodes.values() for name in node.input)
    assert model.training


def test_a_model_that_cannot_be_traced_raises(tmp_path):
    class Branching(torch.nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with SummaryWriter(tmp_path) as writer, pytest.raises(torch.fx.proxy.TraceError):
        writer.add_graph(Branching(), torch.ones(2))


def test_an_embedding_is_files_for_the_projector(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        pictures = torch.rand(4, 3, 5, 6)
        for step in (1, 1, 2):
            writer.add_embedding(torch.arange(8.0).view(4, 2), ["a", "b", "c", "d"], pictures, step, "words")
        writer.add_embedding(torch.ones(2, 2), [["a", 1], ["b", 2]], metadata_header=["name", "number"])
        with pytest.raises(AssertionError, match="#labels should equal with #data points"):
            writer.add_embedding(torch.ones(2, 2), ["a"])
    assert (tmp_path / "00001/words/tensors.tsv").read_text() == "0.0\t1.0\n2.0\t3.0\n4.0\t5.0\n6.0\t7.0\n"
    assert (tmp_path / "00001/words/metadata.tsv").read_text() == "a\nb\nc\nd\n"
    assert (tmp_path / "00000/default/metadata.tsv").read_text() == "name\tnumber\na\t1\nb\t2\n"
    from PIL import Image

    with Image.open(tmp_path / "00001/words/sprite.png") as sprite:
        assert sprite.size == (12, 10)
    text = (tmp_path / "projector_config.pbtxt").read_text()
    assert text.count("embeddings {") == 3

    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

    config = text_format.Parse(text, ProjectorConfig())
    assert [each.tensor_name for each in config.embeddings] == ["words:00001", "words:00002", "default:00000"]


def test_videos_are_animated_pictures(reader):
    from PIL import Image

    frames = torch.stack([torch.full((3, 8, 6), each) for each in (0.0, 0.5, 1.0)])
    read = reader(lambda writer: writer.add_video("x", torch.stack([frames, frames]), 1, fps=2))
    picture = Image.open(io.BytesIO(read.Images("x")[0].encoded_image_string))
    assert (picture.size, picture.n_frames, picture.info["duration"]) == ((12, 8), 3, 500)


def test_figures_are_images(reader):
    figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed").Figure(
        figsize=(2, 1), dpi=50
    )
    figure.add_subplot().plot([1, 2])
    read = reader(
        lambda writer: writer.add_figure("x", figure), lambda writer: writer.add_figure("two", [figure, figure])
    )
    assert (read.Images("x")[0].width, read.Images("x")[0].height) == (100, 50)
    assert (read.Images("two")[0].width, read.Images("two")[0].height) == (200, 50)


def test_boxes_are_drawn_on_images(reader):
    image = torch.zeros(3, 20, 30)
    boxes = torch.tensor([[2, 3, 10, 12]])
    read = reader(lambda writer: writer.add_image_with_boxes("x", image, boxes, labels=["a"], rescale=2))
    assert (read.Images("x")[0].width, read.Images("x")[0].height) == (60, 40)
    with pytest.raises(RuntimeError, match="The number of labels and bounding boxes do not match."):
        reader(lambda writer: writer.add_image_with_boxes("x", image, boxes, labels=["a", "b"]))


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda w: w.add_scalar("x", torch.ones(2)), AssertionError, "Tensor should contain one element"),
        (lambda w: w.add_scalar("x", [1.0]), NotImplementedError, "numpy array or torch tensor are expected"),
        (lambda w: w.add_histogram("x", torch.ones(0)), ValueError, "The input has no element."),
        (lambda w: w.add_histogram_raw("x", 0, 1, 1, 1, 1, [1], []), ValueError, r"len\(bucket_limits\)"),
        (lambda w: w.add_hparams([], {}), TypeError, "parameter: hparam_dict should be a dictionary"),
        (lambda w: w.add_hparams({"a": [1]}, {}), ValueError, "value should be one of int, float, str, bool"),
        (lambda w: w.add_image("x", torch.ones(2, 2)), AssertionError, "size of input tensor and input format"),
        (lambda w: w.add_image("x", torch.ones(2, 2), dataformats="HH"), AssertionError, "dimension shordhand twice"),
    ],
)
def test_wrong_arguments_are_refused_as_by_pytorch(call, kind, message, tmp_path):
    with SummaryWriter(tmp_path) as writer, pytest.raises(kind, match=message):
        call(writer)


def test_a_writer_opens_a_new_file_after_it_was_closed(tmp_path):
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("x", 1.0, 1)
    writer.close()
    writer.add_scalar("x", 2.0, 2)
    writer.close()
    writer.close()
    accumulator = EventAccumulator(str(tmp_path))
    accumulator.Reload()
    assert {event.value for event in accumulator.Scalars("x")} <= {1.0, 2.0}
    assert writer.get_logdir() == str(tmp_path)


def test_a_folder_is_made_for_each_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SummaryWriter(comment="_mine").close()
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("_mine")


def without(*packages):
    """Runs a program in which packages are absent; returns what it prints."""
    program = f"""
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {packages!r} else find(name, *rest)
try:
    from rushlight.utils.tensorboard import SummaryWriter
    writer = SummaryWriter(sys.argv[1])
    writer.add_scalar("x", 1.5, 2)
    writer.add_histogram("h", [1.0] and __import__("rushlight").ones(3))
    writer.add_hparams({{"lr": 0.1}}, {{"loss": 1.0}}, run_name="run")
    writer.close()
except ModuleNotFoundError as error:
    print(error, error.__notes__)
print([name for name in ("tensorboard", "tensorboardX") if name in sys.modules])
"""
    return lambda folder: subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True)


def test_without_packages_the_import_says_what_to_install(tmp_path):
    done = without("tensorboard", "tensorboardX")(str(tmp_path))
    assert done.stdout.startswith("No module named 'tensorboard' [")
    assert "python -m pip install 'rushlight[tensorboard]'" in done.stdout


def test_the_other_package_writes_the_same_events(tmp_path):
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    done = without("tensorboard")(str(tmp_path))
    assert done.stdout == "['tensorboardX']\n", done.stderr
    accumulator = EventAccumulator(str(tmp_path))
    accumulator.Reload()
    assert [(event.step, event.value) for event in accumulator.Scalars("x")] == [(2, 1.5)]


def test_the_root_does_not_import_tensorboard():
    program = "import rushlight, sys; rushlight.utils; print('tensorboard' in sys.modules, 'PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False False\n"

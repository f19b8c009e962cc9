"""Checkpoints in both directions: what PyTorch wrote is read here, and what is written here PyTorch reads."""

import collections
import importlib
import inspect
import io
import re
import warnings
import zipfile

import pytest

import rushlight
from rushlight.serialization.names import written_name

torch = pytest.importorskip("torch")

BOTH = pytest.mark.parametrize(("writer", "reader"), [(torch, rushlight), (rushlight, torch)], ids=["in", "out"])
DTYPES = [
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
]  # fmt: skip


def sent(writer, reader, value, **options):
    """A value after a journey from one library to the other."""
    file = io.BytesIO()
    writer.save(value, file)
    file.seek(0)
    return reader.load(file, **options)


def layout_of(tensor):
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), str(tensor.dtype), tensor.requires_grad


def bits(tensor):
    """The bytes under a tensor, in the order of its memory."""
    return list(tensor.untyped_storage())


@BOTH
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_every_dtype_keeps_its_bits(writer, reader, name):
    tensor = writer.tensor([0, 1, 2, 100]).to(getattr(writer, name))
    arrived = sent(writer, reader, tensor)
    assert layout_of(arrived) == layout_of(tensor)
    assert bits(arrived) == bits(tensor)


LAYOUTS = {
    "zero dimensions": lambda torch: torch.tensor(3.5),
    "empty": lambda torch: torch.empty(0, 3),
    "transposed": lambda torch: torch.arange(6.0).reshape(2, 3).T,
    "every second": lambda torch: torch.arange(6)[1::2],
    "expanded": lambda torch: torch.arange(3.0).expand(2, 3),
    "channels last": lambda torch: torch.zeros(1, 2, 3, 3).to(memory_format=torch.channels_last),
    "requires grad": lambda torch: torch.ones(2, requires_grad=True),
    "a result": lambda torch: torch.ones(2, requires_grad=True) * 2,
    "meta": lambda torch: torch.empty(2, 3, device="meta").T,
}


@BOTH
@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_every_layout_arrives_as_it_was(writer, reader, make):
    tensor = make(writer)
    arrived = sent(writer, reader, tensor)
    assert layout_of(arrived) == layout_of(tensor)
    assert arrived.is_leaf
    if not tensor.is_meta:
        assert arrived.tolist() == tensor.tolist()


def test_conjugates_that_pytorch_left_for_later_are_computed():
    tensor = torch.tensor([1 + 2j])
    arrived = sent(torch, rushlight, [tensor, tensor.conj()])
    assert [each.tolist() for each in arrived] == [[1 + 2j], [1 - 2j]]
    assert sent(torch, rushlight, tensor.conj().imag).tolist() == [-2]


@BOTH
def test_views_share_memory_again(writer, reader):
    whole = writer.arange(6.0)
    arrived = sent(writer, reader, {"whole": whole, "parts": [whole[2:], whole.reshape(2, 3).T]})
    arrived["whole"][3] = 30
    assert arrived["parts"][0].tolist() == [2, 30, 4, 5]
    assert arrived["parts"][1].tolist() == [[0, 30], [1, 4], [2, 5]]


VALUES = {
    "numbers": lambda torch: [1, -1, 2**40, 10**30, 0.5, True, None, 1j],
    "text and bytes": lambda torch: ["a", "ä😀", "\ud800", b"\x00\xff", bytearray(b"xy"), ""],
    "containers": lambda torch: {"t": (1, (2, 3), ()), "s": {1, 2}, "l": [[]], 3: {}, ("a", 1): 2},
    "ordered": lambda torch: collections.OrderedDict([("b", 1), ("a", 2)]),
    "counter": lambda torch: collections.Counter("abca"),
    "dtypes": lambda torch: [torch.float32, torch.bfloat16, torch.bool, torch.complex64],
    "devices": lambda torch: [torch.device("cpu"), torch.device("cuda:1"), torch.device("meta")],
    "sizes": lambda torch: [torch.Size([2, 3]), torch.Size([])],
    "layout": lambda torch: torch.strided,
    "long list": lambda torch: list(range(3000)),
}


@BOTH
@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES.keys())
def test_values_that_are_no_tensors(writer, reader, make):
    arrived, expected = sent(writer, reader, make(writer)), make(reader)
    assert arrived == expected
    assert repr(arrived) == repr(expected)


@BOTH
def test_the_same_object_twice_is_one_object_again(writer, reader):
    tensor, shared = writer.ones(2), [1]
    cycle = {"tensor": tensor, "again": tensor, "lists": [shared, shared]}
    cycle["self"] = cycle
    arrived = sent(writer, reader, cycle)
    assert arrived["tensor"] is arrived["again"]
    assert arrived["lists"][0] is arrived["lists"][1]
    assert arrived["self"] is arrived


@BOTH
def test_parameters_buffers_and_attributes(writer, reader):
    marked = writer.ones(2)
    marked.note = "kept"
    frozen = writer.nn.Parameter(writer.ones(2), requires_grad=False)
    noted = writer.nn.Parameter(writer.ones(2))
    noted.note = [1]
    arrived = sent(writer, reader, [marked, frozen, noted, writer.nn.Buffer(writer.ones(1))])
    assert [type(each).__name__ for each in arrived] == ["Tensor", "Parameter", "Parameter", "Tensor"]
    assert [each.requires_grad for each in arrived] == [False, False, True, False]
    assert arrived[0].note == "kept" and arrived[2].note == [1]


@BOTH
def test_the_state_of_a_generator_goes_on(writer, reader):
    writer.manual_seed(7)
    writer.randn(3)
    state = sent(writer, reader, writer.get_rng_state())
    reader.set_rng_state(state)
    assert reader.rand(4).tolist() == writer.rand(4).tolist()


@BOTH
def test_a_generator_itself_goes_on(writer, reader):
    generator = writer.Generator().manual_seed(5)
    writer.rand(3, generator=generator)
    arrived = sent(writer, reader, generator, weights_only=False)
    assert reader.rand(4, generator=arrived).tolist() == writer.rand(4, generator=generator).tolist()


def network(torch):
    nn = torch.nn
    return nn.Sequential(
        collections.OrderedDict(
            convolution=nn.Conv2d(1, 3, 3, padding=1), normalisation=nn.BatchNorm2d(3), activation=nn.ReLU(),
            flat=nn.Flatten(), out=nn.Linear(48, 2),
        )
    )  # fmt: skip


def trained(torch, model, optimizer, steps):
    """Losses of some steps on data that both libraries draw alike."""
    torch.manual_seed(1)
    losses = []
    for _ in range(steps):
        loss = model(torch.randn(4, 1, 4, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


OPTIMIZERS = {
    "sgd": lambda torch, parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "adam": lambda torch, parameters: torch.optim.Adam(parameters, lr=0.01, amsgrad=True),
    "adamw": lambda torch, parameters: torch.optim.AdamW(parameters, lr=0.01),
}


@BOTH
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_training_goes_on_in_the_other_library(writer, reader, make):
    writer.manual_seed(0)
    model = network(writer)
    optimizer = make(writer, model.parameters())
    trained(writer, model, optimizer, 3)
    checkpoint = sent(writer, reader, {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3})
    assert checkpoint["model"]._metadata.keys() == model.state_dict()._metadata.keys()
    other = network(reader)
    other.load_state_dict(checkpoint["model"])
    other_optimizer = make(reader, other.parameters())
    other_optimizer.load_state_dict(checkpoint["optimizer"])
    expected = trained(writer, model, optimizer, 3)
    assert trained(reader, other, other_optimizer, 3) == pytest.approx(expected, rel=1e-4)


def minimised(point, optimizer, steps):
    """Losses on the way down the valley of Rosenbrock, of two pairs of numbers."""

    def closure():
        optimizer.zero_grad()
        loss = ((1 - point[::2]) ** 2 + 100 * (point[1::2] - point[::2] ** 2) ** 2).sum()
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(steps)]


@BOTH
def test_a_history_grows_on_in_the_other_library(writer, reader):
    start = [-1.5, 2.0, 0.5, -0.3]
    points = [torch.tensor(start, dtype=torch.float64, requires_grad=True) for torch in (writer, reader)]
    makers = zip((writer, reader), points, strict=True)
    optimizers = [torch.optim.LBFGS([point], lr=1e-2, max_iter=4, history_size=20) for torch, point in makers]
    minimised(points[0], optimizers[0], 2)
    checkpoint = sent(writer, reader, {"point": points[0].detach(), "optimizer": optimizers[0].state_dict()})
    points[1].data.copy_(checkpoint["point"])
    optimizers[1].load_state_dict(checkpoint["optimizer"])
    expected, result = (minimised(point, each, 3) for point, each in zip(points, optimizers, strict=True))
    assert result == pytest.approx(expected, rel=1e-6)


@BOTH
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_a_model_and_its_optimizer_travel_whole(writer, reader, make):
    writer.manual_seed(0)
    model = network(writer)
    optimizer = make(writer, model.parameters())
    trained(writer, model, optimizer, 2)
    other, other_optimizer = sent(writer, reader, (model, optimizer), weights_only=False)
    assert type(other) is reader.nn.Sequential and type(other_optimizer).__name__ == type(optimizer).__name__
    assert repr(other) == repr(model)
    assert other_optimizer.param_groups[0]["params"][0] is other.convolution.weight
    expected = trained(writer, model, optimizer, 3)
    assert trained(reader, other, other_optimizer, 3) == pytest.approx(expected, rel=1e-4)


# Layers with arguments; all others are made without.
ARGUMENTS = {
    "FractionalMaxPool2d": (2, 1), "FractionalMaxPool3d": (2, 1),
    "Linear": (2, 3), "Bilinear": (2, 3, 4),  "Embedding": (5, 2), "EmbeddingBag": (5, 2), "GLU": (), "PReLU": (),
    "Flatten": (), "Unflatten": (1, (2, 2)), "LayerNorm": (4,), "GroupNorm": (2, 4), "RMSNorm": (4,),
    "LocalResponseNorm": (2,), "CrossEntropyLoss": (), "Threshold": (1, 2), "PixelShuffle": (2,),
    "PixelUnshuffle": (2,), "ChannelShuffle": (2,), "MultiheadAttention": (4, 2), "LSTM": (2, 3), "GRU": (2, 3),
    "RNN": (2, 3), "LSTMCell": (2, 3), "GRUCell": (2, 3), "RNNCell": (2, 3), "TransformerEncoderLayer": (4, 2),
    "TransformerDecoderLayer": (4, 2), "Transformer": (4, 2, 1, 1),
}  # fmt: skip
NUMBERED = {"Conv": (2, 3, 2), "ConvTranspose": (2, 3, 2), "BatchNorm": (3,), "InstanceNorm": (3,)}


# Container, NLLLoss2d, and Transformer with these arguments, warn whenever they are made. The hooks by which lazy
# layers find their sizes are of a class with a private name, which differs.
HELD_BACK = re.compile("Container|NLLLoss2d|Transformer$|Lazy")


def made(torch, name):
    kind = getattr(torch.nn, name)
    stem = name.rstrip("123d")
    return kind(*ARGUMENTS.get(name, NUMBERED.get(stem, (2,) if "Pool" in name or "Pad" in name else ())))


def layers():
    for name, kind in sorted(vars(rushlight.nn).items()):
        is_layer = inspect.isclass(kind) and issubclass(kind, rushlight.nn.Module) and hasattr(torch.nn, name)
        if is_layer and not HELD_BACK.match(name):
            try:
                made(rushlight, name)
            except (TypeError, ValueError):
                continue  # wants more arguments than this table has
            yield name


@BOTH
@pytest.mark.parametrize("name", list(layers()))
def test_every_layer_travels_whole(writer, reader, name):
    layer = made(writer, name)
    arrived = sent(writer, reader, layer, weights_only=False)
    assert type(arrived) is getattr(reader.nn, name)
    assert repr(arrived) == repr(layer)
    assert arrived.state_dict().keys() == layer.state_dict().keys()
    for key, value in arrived.state_dict().items():
        assert value.tolist() == layer.state_dict()[key].tolist()
    assert vars(arrived).keys() == vars(made(reader, name)).keys()


def test_every_public_class_is_written_under_its_name_in_pytorch():
    for place in ("nn", "optim", "optim.lr_scheduler"):
        ours = importlib.import_module(f"rushlight.{place}")
        theirs = importlib.import_module(f"torch.{place}")
        for name, kind in vars(ours).items():
            if inspect.isclass(kind) and inspect.isclass(getattr(theirs, name, None)):
                there = getattr(theirs, name)
                assert written_name(kind) == (there.__module__, there.__qualname__)


def double(module, arguments):
    """A hook that a pickle can name."""
    return (arguments[0] * 2,)


@BOTH
def test_hooks_of_a_module_travel_with_it(writer, reader):
    layer = writer.nn.Linear(1, 1, bias=False)
    layer.weight.data.fill_(1.0)
    layer.register_forward_pre_hook(double)
    arrived = sent(writer, reader, layer, weights_only=False)
    assert arrived(reader.ones(1)).item() == 2


@BOTH
def test_functions_of_the_library_are_stored_by_name(writer, reader):
    arrived = sent(writer, reader, [writer.nn.functional.relu, writer.nn.functional.gelu], weights_only=False)
    assert [each(reader.tensor(-1.0)).item() for each in arrived] == pytest.approx([0, -0.158655], abs=1e-5)


SAME = {
    "tensor": lambda torch: torch.arange(5.0),
    "views": lambda torch: (lambda x: [x, x[1:], x.T])(torch.arange(4).reshape(2, 2)),
    "state": lambda torch: torch.nn.BatchNorm1d(2).state_dict(),
    "mixed": lambda torch: {"a": [torch.float16, torch.Size([2])], "b": torch.ones(1, dtype=torch.uint16), 1: b"x"},
    "the same number of bytes": lambda torch: [torch.ones(2), torch.ones(1, dtype=torch.float64)],
    "parameters": lambda torch: [torch.nn.Parameter(torch.ones(2)), torch.empty(0), torch.empty(2, device="meta")],
    "nothing": lambda torch: None,
}


@pytest.mark.parametrize("make", SAME.values(), ids=SAME.keys())
def test_the_file_is_that_of_pytorch_byte_for_byte(make):
    ours, theirs = io.BytesIO(), io.BytesIO()
    rushlight.save(make(rushlight), ours)
    torch.save(make(torch), theirs)
    ours, theirs = ours.getvalue(), theirs.getvalue()
    # All but the record that identifies the file, which is a hash of PyTorch's own
    end = theirs.index(b".data/serialization_id")
    assert ours[:end] == theirs[:end]
    assert len(ours) == len(theirs)
    assert zipfile.ZipFile(io.BytesIO(ours)).testzip() is None


@pytest.mark.parametrize("view", [False, True])
def test_the_format_before_zip_is_read(view):
    tensor = torch.arange(6.0)
    value = {"a": tensor, "b": tensor[2:].reshape(2, 2).T if view else torch.tensor([1j]), "c": torch.empty(0), "d": 1}
    file = io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=False)
    for trusting in (False, True):
        file.seek(0)
        arrived = rushlight.load(file, weights_only=not trusting)
        assert arrived["a"].tolist() == tensor.tolist()
        assert arrived["b"].tolist() == value["b"].tolist()
        assert arrived["c"].tolist() == [] and arrived["d"] == 1
    arrived["a"][2] = 9
    assert (arrived["b"].tolist()[0] == [9, 4]) == view


def test_whole_modules_in_the_format_before_zip_are_read():
    file = io.BytesIO()
    layer = torch.nn.Linear(2, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the source of the class, which PyTorch stores with it
        torch.save(layer, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    arrived = rushlight.load(file, weights_only=False)
    assert type(arrived) is rushlight.nn.Linear
    assert arrived.weight.tolist() == layer.weight.tolist()


@pytest.mark.parametrize("name", ["int16", "float32", "bfloat16", "complex64", "float64"])
def test_files_of_the_other_byte_order_are_read(name):
    tensor = torch.tensor([1, 2, 300]).to(getattr(torch, name))
    other = tensor.clone()
    other.untyped_storage().byteswap(tensor.dtype)
    file = io.BytesIO()
    torch.save(other, file)
    raw = file.getvalue()
    start = raw.index(b"little")
    swapped = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as source, zipfile.ZipFile(swapped, "w") as target:
        for each in source.namelist():
            target.writestr(each, b"big" if each.endswith("byteorder") else source.read(each))
    swapped.seek(0)
    assert start
    assert rushlight.load(swapped).tolist() == tensor.tolist()


def test_checksums_that_were_not_computed_are_not_compared():
    file = io.BytesIO()
    torch.serialization.set_crc32_options(False)
    try:
        torch.save(torch.ones(2), file)
    finally:
        torch.serialization.set_crc32_options(True)
    file.seek(0)
    assert rushlight.load(file).tolist() == [1, 1]


@pytest.mark.parametrize("mmap", [False, True])
def test_files_at_a_path(tmp_path, mmap):
    path = tmp_path / "modell.ä.pt"
    torch.save({"x": torch.arange(4.0)}, path)
    assert rushlight.load(path, mmap=mmap)["x"].tolist() == [0, 1, 2, 3]
    rushlight.save({"x": rushlight.arange(3.0)}, path)
    assert torch.load(path, mmap=mmap)["x"].tolist() == [0, 1, 2]


def test_the_public_names_are_those_of_pytorch():
    assert set(rushlight.serialization.__all__) <= set(torch.serialization.__all__)
    for name in ("save", "load"):
        ours, theirs = (inspect.signature(getattr(each, name)) for each in (rushlight, torch))
        assert list(ours.parameters) == list(theirs.parameters)
        assert [each.default for each in ours.parameters.values()] == [
            each.default for each in theirs.parameters.values()
        ]


# ---- the format before the zip archive, and what there is not here


@pytest.mark.parametrize("careful", [True, False])
def test_the_old_format_travels_in_both_directions(careful):
    for writer, reader in ((rushlight, torch), (torch, rushlight), (rushlight, rushlight)):
        written = contents_of(writer)
        file = io.BytesIO()
        writer.save(written, file, _use_new_zipfile_serialization=False)
        file.seek(0)
        read = reader.load(file, weights_only=careful)
        assert list(read) == list(written)
        for name, value in written.items():
            if not hasattr(value, "stride"):
                assert str(read[name]) == str(value)
                continue
            assert (str(read[name].dtype), read[name].shape, read[name].stride()) == (
                str(value.dtype), value.shape, value.stride(),
            )  # fmt: skip
            assert read[name].tolist() == value.tolist()
            assert read[name].requires_grad == value.requires_grad
        read["whole"][2] = 77
        assert read["part"][0] == read["turned"][2, 0] == 77


def contents_of(library):
    whole = library.arange(6.0)
    kinds = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float64", "complex64")
    return {
        "whole": whole, "part": whole[2:4], "turned": whole.view(2, 3).t(), "none": library.zeros(0, 3), "epoch": 5,
        "parameter": library.nn.Parameter(library.ones(2)), "size": library.Size([1, 2]), "dtype": library.float32,
        "conjugate": library.tensor([1 + 2j, 3j]).conj(), "list": [1, "a", None, True], "device": library.device("cpu"),
        **{name: library.tensor([1, 0, 1]).to(getattr(library, name)) for name in kinds},
    }  # fmt: skip


def strange_tensors():
    ones = torch.ones(2, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is in beta state
        return {
            "per tensor": ("quantized", torch.quantize_per_tensor(ones, 0.1, 0, torch.qint8)),
            "unsigned": ("quantized", torch.quantize_per_tensor(ones, 0.1, 2, torch.quint8)),
            "large": ("quantized", torch.quantize_per_tensor(ones, 0.1, 0, torch.qint32)),
            "per channel": (
                "quantized",
                torch.quantize_per_channel(ones, torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0, torch.qint8),
            ),
            "nested": ("nested", torch.nested.nested_tensor([ones[0]])),
            "jagged": ("nested", torch.nested.nested_tensor([ones[0], ones[1]], layout=torch.jagged)),
        }  # fmt: skip


@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize("name", ["per tensor", "unsigned", "large", "per channel", "nested", "jagged"])
def test_a_tensor_of_a_strange_kind_is_named_and_the_rest_is_listed(name, modern):
    kind, strange = strange_tensors()[name]
    file = io.BytesIO()
    stored = {"w": torch.ones(1), "layers": {"q": strange}, "again": [strange], "after": 7, "v": torch.zeros(3)}
    torch.save(stored, file, _use_new_zipfile_serialization=modern)
    result = rushlight.inspect(file)
    assert list(result.tensors) == ["w", "v"] and result.values == {"after": "7"}
    assert result.unreadable == {"layers.q": kind, "again.0": kind}
    assert f"layers.q is a {kind} tensor, which load() cannot read" in repr(result)
    for careful in (True, False):
        file.seek(0)
        with pytest.raises(RuntimeError, match=rf"^rushlight has no such tensors as .*: layers.q \({kind}\), again.0 "):
            rushlight.load(file, weights_only=careful)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"])
def test_sparse_tensors_are_exchanged(layout, modern):
    blocks = (1, 2) if layout.startswith("sparse_bs") else None
    for writer, reader in ((torch, rushlight), (rushlight, torch), (rushlight, rushlight)):
        x = writer.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse(layout=getattr(writer, layout), blocksize=blocks)
        stored = {
            "x": x,
            "uncoalesced": writer.sparse_coo_tensor([[1, 1]], [1.0, 2.0], (2,)),
            "p": writer.nn.Parameter(x),
        }
        file = io.BytesIO()
        writer.save(stored, file, _use_new_zipfile_serialization=modern)
        for careful in (True, False):
            file.seek(0)
            loaded = reader.load(file, weights_only=careful)
            assert [repr(loaded[name]) for name in stored] == [repr(each) for each in stored.values()]
            assert loaded["p"].requires_grad and not loaded["x"].requires_grad
        file.seek(0)
        assert list(rushlight.inspect(file).tensors) == list(stored)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("modern", [True, False])
def test_a_file_with_indices_out_of_range_is_refused(modern):
    file = io.BytesIO()
    with torch.sparse.check_sparse_tensor_invariants(enable=False):
        torch.save(torch.sparse_coo_tensor([[0, 7]], [1.0, 2.0], (2,)), file, _use_new_zipfile_serialization=modern)
    for careful in (True, False):
        file.seek(0)
        with pytest.raises(
            RuntimeError, match="^size is inconsistent with indices: for dim 0, size is 2 but found index 7"
        ):
            rushlight.load(file, weights_only=careful)


def test_a_torchscript_archive_is_listed_and_refused(tmp_path):
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 3)
            self.register_buffer("scale", torch.ones(2))

        def forward(self, x):
            return self.inner(x * self.scale)

    path = str(tmp_path / "scripted.pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated
        torch.jit.save(torch.jit.trace(Scaled(), torch.ones(1, 2)), path)
    result = rushlight.inspect(path)
    assert result.kind.startswith("TorchScript archive")
    assert {name: each.shape for name, each in result.tensors.items()} == {
        "inner.weight": (3, 2), "inner.bias": (3,), "scale": (2,),
    }  # fmt: skip
    with pytest.raises(RuntimeError, match="^Cannot use ``weights_only=True`` with TorchScript archives"):
        rushlight.load(path)
    with pytest.raises(RuntimeError, match="^rushlight cannot run TorchScript archives"):
        rushlight.load(path, weights_only=False)


def test_empty_storages_of_several_dtypes_are_stored_side_by_side():
    for library in (torch, rushlight):
        for modern in (True, False):
            empty = library.tensor([], dtype=library.float32)
            storage = library.TypedStorage(wrap_storage=empty.untyped_storage(), dtype=library.int64, _internal=True)
            file = io.BytesIO()
            library.save([empty, storage], file, _use_new_zipfile_serialization=modern)
            for reader in (torch, rushlight):
                file.seek(0)
                one, other = reader.load(file)
                assert (str(one.dtype), one.shape) == ("torch.float32", (0,))
                assert other._size() == 0  # PyTorch's file gives both the dtype of the first
                assert library is torch or str(other.dtype) == "torch.int64"


@BOTH
@pytest.mark.parametrize("make", [lambda t: t.nn.LazyLinear(3), lambda t: t.nn.Sequential(t.nn.LazyBatchNorm1d())])
@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_lazy_layers_travel_with_their_hooks(writer, reader, make):
    model = sent(writer, reader, make(writer), weights_only=False)
    assert model(reader.ones(2, 5)).shape[0] == 2
    assert not any(isinstance(p, reader.nn.UninitializedParameter) for p in model.parameters())


@BOTH
def test_a_hook_travels_with_its_module(writer, reader):
    layer = writer.nn.Linear(2, 2)
    layer._register_load_state_dict_pre_hook(print, with_module=True)
    layer = sent(writer, reader, layer, weights_only=False)
    (hook,) = layer._load_state_dict_pre_hooks.values()
    assert hook.with_module and hook.module() is layer and hook.hook is print
    with pytest.raises(RuntimeError, match="You are trying to revive the hook of a dead Module!"):
        hook.__setstate__({"hook": print, "with_module": True, "module": None})

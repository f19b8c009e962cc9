"""The safetensors format: the functions of `safetensors.torch`, without PyTorch and without copying."""

import subprocess
import sys

import pytest

import rushlight as torch

pytest.importorskip("safetensors", reason="the package is optional")
from rushlight.serialization import safetensors as ours  # noqa: E402

DTYPES = [
    "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "bfloat16", "float32",
    "float64", "float8_e4m3fn", "float8_e5m2", "complex64",
]  # fmt: skip


@pytest.fixture
def theirs():
    """The functions for PyTorch."""
    pytest.importorskip("torch")
    return pytest.importorskip("safetensors.torch")


def tensors(library):
    x = library.arange(6.0).reshape(2, 3)
    return {"x": x, "half": x.bfloat16(), "nothing": library.empty(0, 3), "number": library.tensor(3)}


def listed(found):
    return {name: (str(each.dtype), tuple(each.shape), each.tolist()) for name, each in found.items()}


def test_files_go_both_ways(theirs, tmp_path):
    import torch as pytorch

    expected = listed(tensors(torch))
    ours.save_file(tensors(torch), tmp_path / "ours.safetensors", {"by": "us"})
    theirs.save_file(tensors(pytorch), tmp_path / "theirs.safetensors")
    assert listed(theirs.load_file(tmp_path / "ours.safetensors")) == expected
    assert listed(ours.load_file(tmp_path / "theirs.safetensors")) == expected
    assert listed(theirs.load(ours.save(tensors(torch)))) == expected
    assert listed(ours.load(theirs.save(tensors(pytorch)))) == expected


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_comes_back(tmp_path, name):
    x = torch.tensor([0, 1, 2]).to(getattr(torch, name))
    ours.save_file({"x": x}, tmp_path / "x.safetensors")
    loaded = ours.load_file(tmp_path / "x.safetensors")["x"]
    assert loaded.dtype is x.dtype and loaded.tolist() == x.tolist()


def test_the_tensors_look_into_the_mapped_file(tmp_path):
    path = tmp_path / "x.safetensors"
    ours.save_file({"x": torch.zeros(3), "y": torch.ones(2)}, path)
    loaded = ours.load_file(path)
    loaded["x"] += 1
    assert loaded["x"].tolist() == [1, 1, 1] and loaded["y"].tolist() == [1, 1]
    assert ours.load_file(path)["x"].tolist() == [0, 0, 0]
    assert not loaded["x"].numpy().flags.owndata


def test_load_knows_the_ending(tmp_path):
    path = tmp_path / "x.safetensors"
    ours.save_file({"x": torch.arange(3)}, path)
    assert torch.load(path)["x"].tolist() == [0, 1, 2]
    assert torch.load(path, map_location="meta")["x"].is_meta
    with pytest.raises(RuntimeError, match="^Loading safetensors file with dict map_location is not supported"):
        torch.load(path, map_location={"cpu": "meta"})


def test_what_cannot_be_stored(tmp_path):
    x = torch.arange(4.0).reshape(2, 2)
    with pytest.raises(ValueError, match="^You are trying to save a non contiguous tensor: `x`"):
        ours.save({"x": x.T})
    with pytest.raises(RuntimeError, match="^Some tensors share memory"):
        ours.save({"x": x, "y": x[1:]})
    with pytest.raises(ValueError, match="^Key `x` is invalid, expected torch.Tensor"):
        ours.save({"x": 1})
    assert listed(ours.load(ours.save({"x": x[:1], "y": x[1:]})))["y"][2] == [[2, 3]]


def test_a_file_cut_off_at_any_byte_is_refused(tmp_path):
    whole = ours.save({"x": torch.ones(4)})
    path = tmp_path / "x.safetensors"
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(RuntimeError, match="is no whole safetensors file"):
            ours.load_file(path)
        with pytest.raises(RuntimeError, match="are no whole safetensors file"):
            ours.load(whole[:end])


def test_an_error_keeps_the_old_file(tmp_path):
    path = tmp_path / "x.safetensors"
    ours.save_file({"x": torch.ones(1)}, path)
    with pytest.raises(TypeError):
        ours.save_file({"x": torch.zeros(1)}, path, metadata={"a": 1})
    assert ours.load_file(path)["x"].tolist() == [1]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_without_the_package_the_error_names_it(tmp_path):
    program = "import sys; sys.modules['safetensors'] = None\nimport rushlight\nrushlight.load('x.safetensors')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert "RuntimeError: Attempting to load a safetensors file but safetensors is not installed." in done.stderr

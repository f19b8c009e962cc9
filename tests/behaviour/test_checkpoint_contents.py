"""`rushlight.inspect`, `python -m rushlight inspect` and `convert`: checkpoints without loading or trusting them."""

import argparse
import io
import os
import pickle

import numpy as np
import pytest

import rushlight
from rushlight.cli import convert, inspect


def stored(torch, value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file


def model_of(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))


NAMES = ["0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked"]


def test_the_tensors_of_a_state_dict(torch):
    result = rushlight.inspect(stored(torch, {"model": model_of(torch).state_dict(), "epoch": 3, "note": "x" * 99}))
    assert list(result.tensors) == [f"model.{name}" for name in NAMES]
    assert result.tensors["model.0.weight"] == ((3, 2), "float32", 24) and result.bytes == 92
    assert result.values == {"epoch": "3", "note": "'" + "x" * 36 + "..."}
    assert result.refused == [] and "collections.OrderedDict" in result.names
    assert str(result).splitlines()[0] == "zip archive of torch.save: 7 tensors, 92 bytes"


def test_a_whole_model_is_looked_at_and_not_made(torch):
    result = rushlight.inspect(stored(torch, model_of(torch)))
    assert list(result.tensors) == NAMES
    assert any(name.endswith("Linear") for name in result.refused)
    assert "load() would refuse: " in str(result)


def test_the_old_format(torch):
    if torch is rushlight:
        pytest.skip("rushlight reads the old format and does not write it")
    result = rushlight.inspect(stored(torch, model_of(torch).state_dict(), _use_new_zipfile_serialization=False))
    assert list(result.tensors) == NAMES and result.kind == "file of torch.save before PyTorch 1.6"


class Hostile:
    def __reduce__(self):
        return os.system, ("exit 1",)


def test_nothing_of_a_hostile_file_runs(torch, monkeypatch):
    file = stored(torch, {"trap": Hostile(), "weight": torch.ones(2), "options": argparse.Namespace(rate=0.1)})
    monkeypatch.setattr(os, "system", lambda command: pytest.fail("it ran"))
    result = rushlight.inspect(file)
    assert list(result.tensors) == ["weight"] and f"{os.system.__module__}" not in result.tensors
    assert any(name.endswith(".system") for name in result.refused) and "argparse.Namespace" in result.refused
    assert set(result.values) == {"trap", "options"}


def test_tangled_containers_end(torch):
    knot = [torch.ones(1)]
    for _ in range(60):
        knot = [knot, knot]
    ring = {"weight": torch.ones(1)}
    ring["again"] = ring
    assert len(rushlight.inspect(stored(torch, knot)).tensors) == 1
    assert list(rushlight.inspect(stored(torch, ring)).tensors) == ["weight"]


def test_a_damaged_file_is_an_error(torch, tmp_path, capsys):
    content = stored(torch, {"weight": torch.ones(100)}).getvalue()
    path = tmp_path / "half.pt"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        rushlight.inspect(path)
    assert inspect.main([str(path)]) == 1 and str(path) in capsys.readouterr().err
    assert convert.main([str(path), str(tmp_path / "out.npz")]) == 1


@pytest.mark.parametrize("ending", ["npz", "safetensors", "pt"])
def test_tensors_are_written_in_another_format(torch, ending, tmp_path, capsys):
    model = model_of(torch)
    source, target = tmp_path / "whole.pt", tmp_path / f"weights.{ending}"
    torch.save({"model": model, "epoch": 3}, source)
    assert convert.main([str(source), str(target), "--only", "model"]) == 0
    assert capsys.readouterr().out.startswith(f"{target}: 7 tensors, 92 bytes")
    expected = {name: each.detach().numpy() for name, each in model.state_dict().items()}
    result = dict(np.load(target)) if ending == "npz" else rushlight.load(target)
    assert result.keys() == expected.keys()
    assert all(np.array_equal(result[name], expected[name]) for name in expected)


def test_dtypes_that_numpy_lacks_and_names_that_mean_something(torch, tmp_path, capsys):
    source, target, back = tmp_path / "a.pt", tmp_path / "b.npz", tmp_path / "c.safetensors"
    torch.save({"file": torch.tensor([1.5, 2.5], dtype=torch.bfloat16), "allow_pickle": torch.arange(3)}, source)
    assert convert.main([str(source), str(target)]) == 0
    assert "stored as float32, which NumPy knows: file" in capsys.readouterr().out
    assert np.load(target)["file"].tolist() == [1.5, 2.5]
    assert convert.main([str(target), str(back)]) == 0 and convert.main([str(source), str(back)]) == 0
    assert rushlight.load(back)["file"].dtype is rushlight.bfloat16


def test_what_cannot_be_converted(tmp_path, capsys):
    with pytest.raises(SystemExit):
        convert.main(["a.pt", "b.txt"])
    assert "TO ends in .npz" in capsys.readouterr().err
    source = tmp_path / "a.pt"
    rushlight.save({"epoch": 3}, source)
    assert convert.main([str(source), str(tmp_path / "b.npz")]) == 1
    assert "has no tensors" in capsys.readouterr().err

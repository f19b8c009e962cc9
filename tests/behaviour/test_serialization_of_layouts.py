"""Checkpoints without the memory of their tensors, locations of a program's own, and versions of modules."""

import importlib
import io
import types
import warnings

import pytest


@pytest.fixture
def serialization(torch):
    return importlib.import_module(f"{torch.__name__}.serialization")


def saved(torch, value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file.getvalue()


def test_saved_without_memory(torch):
    x = torch.arange(1.0, 7.0).reshape(2, 3)
    with torch.serialization.skip_data():
        content = saved(torch, {"x": x, "row": x[0], "half": x.bfloat16()})
    assert len(content) == len(saved(torch, {"x": x, "row": x[0], "half": x.bfloat16()}))
    loaded = torch.load(io.BytesIO(content))
    assert loaded["x"].tolist() == [[0.0] * 3] * 2 and loaded["half"].dtype == torch.bfloat16
    loaded["x"][0, 1] = 5.0
    assert loaded["row"].tolist() == [0.0, 5.0, 0.0]  # they still share memory


def test_loaded_without_memory(torch):
    x = torch.ones(2, 3)
    content = saved(torch, [x, x.t()])
    with torch.serialization.skip_data():
        one, other = torch.load(io.BytesIO(content))
    assert one.shape == (2, 3) and other.stride() == (1, 3)
    assert one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
    assert torch.load(io.BytesIO(content))[0].tolist() == x.tolist()


def test_the_format_before_the_zip_archive(torch):
    x = torch.ones(2)
    content = saved(torch, x, _use_new_zipfile_serialization=False)
    with torch.serialization.skip_data():
        assert torch.load(io.BytesIO(content)).shape == (2,)
        with pytest.raises(RuntimeError, match="Cannot use skip_data=True with _use_new_zipfile_serialization=False"):
            saved(torch, x, _use_new_zipfile_serialization=False)
    assert torch.load(io.BytesIO(content)).tolist() == [1.0, 1.0]


def test_nothing_is_skipped_after_an_error(torch):
    with pytest.raises(KeyError), torch.serialization.skip_data():
        raise KeyError
    assert torch.load(io.BytesIO(saved(torch, torch.ones(1)))).tolist() == [1.0]


@pytest.fixture
def packages(serialization):
    """The registered packages, restored after the test."""
    name = "_package_registry" if hasattr(serialization, "_package_registry") else "locations"
    registered = getattr(serialization, name)
    registered = getattr(registered, "PACKAGES", registered)
    before = list(registered)
    yield
    registered[:] = before


def test_a_location_of_the_programs_own(torch, packages):
    asked = []

    def tagger(storage):
        return "shelf:3" if storage.nbytes() == 12 else None

    def deserializer(storage, location):
        asked.append((storage.nbytes(), location))
        return storage if location.startswith("shelf") else None

    content = saved(torch, torch.ones(3))
    torch.serialization.register_package(5, tagger, deserializer)
    assert torch.serialization.location_tag(torch.ones(3).untyped_storage()) == "shelf:3"
    assert torch.serialization.location_tag(torch.ones(4).untyped_storage()) == "cpu"
    marked = saved(torch, [torch.ones(3), torch.ones(4)])
    assert [each.tolist() for each in torch.load(io.BytesIO(marked))] == [[1.0] * 3, [1.0] * 4]
    assert asked == [(12, "shelf:3"), (16, "cpu")]
    assert b"shelf:3" in marked and b"shelf:3" not in content


def test_lower_numbers_are_asked_first(torch, packages):
    torch.serialization.register_package(11, lambda storage: "late", lambda storage, location: None)
    assert torch.serialization.location_tag(torch.ones(3).untyped_storage()) == "cpu"
    torch.serialization.register_package(9, lambda storage: "early", lambda storage, location: None)
    assert torch.serialization.location_tag(torch.ones(3).untyped_storage()) == "early"
    content = saved(torch, torch.ones(3))
    with pytest.raises(
        RuntimeError,
        match=r"don't know how to restore data location of torch.storage.UntypedStorage \(tagged with early",
    ):
        torch.load(io.BytesIO(content))
    assert torch.load(io.BytesIO(content), map_location="cpu").tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("version", "required", "answer"),
    [("0.3.1", (0, 3, 1), True), ("0.3.0", (0, 3, 1), False), ("2.0.0.dev1", (1, 9), True), ("1", ("1",), True)],
)
def test_versions(serialization, version, required, answer):
    module = types.SimpleNamespace(__name__="dill", __version__=version)
    assert serialization.check_module_version_greater_or_equal(module, required) is answer


@pytest.mark.parametrize("version", ["0.x.1", "0"])
def test_versions_that_cannot_be_read(serialization, version):
    module = types.SimpleNamespace(__name__="dill", __version__=version)
    words = f"'dill' module version string is malformed '{version}' and cannot be compared with tuple \\(0, 3, 1\\)"
    with pytest.raises(RuntimeError, match=words):
        serialization.check_module_version_greater_or_equal(module, (0, 3, 1))
    with pytest.warns(UserWarning, match=words):
        assert serialization.check_module_version_greater_or_equal(module, (0, 3, 1), error_if_malformed=False)


def test_the_warning_can_be_filtered(torch):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=torch.serialization.SourceChangeWarning)
        assert issubclass(torch.serialization.SourceChangeWarning, Warning)

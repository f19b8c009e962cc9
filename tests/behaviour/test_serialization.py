"""`torch.save` and `torch.load`: paths, files, devices, mapping, and what is refused by default."""

import collections
import gzip
import io
import os
import pickle
import subprocess
import sys
import types
import zipfile

import pytest


def saved(torch, value, **options):
    """A file that holds a value, at its beginning."""
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return file


def test_a_path_a_path_object_and_a_file(torch, tmp_path):
    x = torch.arange(3.0)
    for f in (str(tmp_path / "x.pt"), tmp_path / "y.pt"):
        torch.save(x, f)
        assert torch.load(f).tolist() == [0, 1, 2]
    with open(tmp_path / "z.pt", "wb") as file:
        torch.save(x, file)
    with open(tmp_path / "z.pt", "rb") as file:
        assert torch.load(file).tolist() == [0, 1, 2]


def test_a_file_need_not_begin_at_its_beginning(torch):
    file = io.BytesIO()
    file.write(b"something else ")
    start = file.tell()
    torch.save([torch.ones(2)], file)
    file.seek(start)
    assert torch.load(file)[0].tolist() == [1, 1]


def test_a_pipe_can_be_written_to(torch):
    class Pipe:
        def __init__(self):
            self.content = b""

        def write(self, content):
            self.content += bytes(content)
            return len(content)

        def flush(self):
            pass

    pipe = Pipe()
    torch.save(torch.ones(3), pipe)
    assert torch.load(io.BytesIO(pipe.content)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("mmap", [None, True])
def test_loaded_tensors_can_be_written_to(torch, tmp_path, mmap):
    torch.save(torch.zeros(3), tmp_path / "x.pt")
    x = torch.load(tmp_path / "x.pt", mmap=mmap)
    x += 1
    assert x.tolist() == [1, 1, 1]
    assert torch.load(tmp_path / "x.pt").tolist() == [0, 0, 0]


def test_a_shared_mapping_writes_to_the_file(torch, tmp_path):
    from mmap import MAP_PRIVATE, MAP_SHARED

    torch.save(torch.zeros(3), tmp_path / "x.pt")
    with torch.serialization.set_default_mmap_options(MAP_SHARED):
        torch.load(tmp_path / "x.pt", mmap=True)[1] = 5
    assert torch.serialization.get_default_mmap_options() == MAP_PRIVATE
    assert torch.load(tmp_path / "x.pt", mmap=True).tolist() == [0, 5, 0]


MAP_LOCATIONS = {
    "name": lambda torch: "meta",
    "device": lambda torch: torch.device("meta"),
    "dictionary": lambda torch: {"cpu": "meta"},
}


@pytest.mark.parametrize("make", MAP_LOCATIONS.values(), ids=MAP_LOCATIONS.keys())
def test_map_location_says_where_tensors_go(torch, make):
    loaded = torch.load(saved(torch, {"x": torch.ones(2, 3).T}), map_location=make(torch))
    assert loaded["x"].device.type == "meta"
    assert loaded["x"].shape == (3, 2) and loaded["x"].stride() == (1, 3)


def test_map_location_as_a_function(torch):
    seen = []

    def keep(storage, location):
        seen.append((type(storage).__name__, storage.nbytes(), location))
        return storage

    x = torch.arange(4.0)
    assert torch.load(saved(torch, [x, x[1:], torch.ones(1)]), map_location=keep)[1].tolist() == [1, 2, 3]
    assert seen == [("UntypedStorage", 16, "cpu"), ("UntypedStorage", 4, "cpu")]
    assert torch.load(saved(torch, x), map_location=lambda storage, location: None).tolist() == [0, 1, 2, 3]


def test_map_location_that_is_no_place(torch):
    file = saved(torch, torch.ones(1))
    with pytest.raises(RuntimeError, match="don't know how to restore data location of torch.storage.UntypedStorage"):
        torch.load(file, map_location="elsewhere")
    file.seek(0)
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but torch.cuda.is_avail"):
        torch.load(file, map_location="cuda:0")
    file.seek(0)
    with pytest.raises(TypeError):
        torch.load(file, map_location=5)


class Point:
    """A class of the program."""

    def __init__(self, x):
        self.x = x


def function_of_the_program():
    raise AssertionError("called")


def test_a_class_of_the_program_is_refused_until_it_is_named(torch):
    file = saved(torch, Point(torch.ones(1)))
    with pytest.raises(pickle.UnpicklingError, match="^Weights only load failed. This file can still be loaded, to do"):
        torch.load(file)
    file.seek(0)
    assert torch.serialization.get_unsafe_globals_in_checkpoint(file) == [f"{__name__}.Point"]
    for before in ([Point], [(Point, f"{__name__}.Point")]):
        file.seek(0)
        with torch.serialization.safe_globals(before):
            assert torch.load(file).x.tolist() == [1]
            assert before[0] in torch.serialization.get_safe_globals()
    assert before[0] not in torch.serialization.get_safe_globals()
    others = torch.serialization.get_safe_globals()
    torch.serialization.add_safe_globals([Point])
    file.seek(0)
    assert type(torch.load(file)) is Point
    torch.serialization.clear_safe_globals()
    torch.serialization.add_safe_globals(others)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"add_safe_globals\(\[.*Point\]\)"):
        torch.load(file)
    file.seek(0)
    assert torch.load(file, weights_only=False).x.tolist() == [1]


def test_a_class_that_was_allowed_is_not_called_as_a_function(torch):
    file = saved(torch, function_of_the_program)
    with torch.serialization.safe_globals([function_of_the_program]):
        assert torch.load(file) is function_of_the_program


def test_whole_modules_want_trust(torch):
    file = saved(torch, torch.nn.Linear(2, 1))
    with pytest.raises(pickle.UnpicklingError, match="GLOBAL torch.nn.modules.linear.Linear was not an allowed global"):
        torch.load(file)
    file.seek(0)
    assert isinstance(torch.load(file, weights_only=False), torch.nn.Linear)


def test_a_layer_can_be_allowed(torch):
    file = saved(torch, torch.nn.Flatten())
    with torch.serialization.safe_globals([torch.nn.Flatten, set]):
        assert torch.load(file).end_dim == -1


class Calls:
    """An object whose pickle calls a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (Calls(os.system, "false"), "Trying to load unsupported GLOBAL posix.system whose module posix is blocked"),
        (Calls(eval, "1 + 1"), "GLOBAL eval was not an allowed global by default"),
        (Calls(getattr, {}, "pop"), "GLOBAL getattr was not an allowed global by default"),
        (Calls(__import__, "os"), "GLOBAL __import__ was not an allowed global by default"),
        (Calls(collections.deque, [1]), "GLOBAL collections.deque was not an allowed global by default"),
    ],
    ids=["system", "eval", "getattr", "import", "deque"],
)
@pytest.mark.skipif(os.name != "posix", reason="the function is called nt.system there")
def test_a_hostile_pickle_runs_nothing(torch, call, message):
    with pytest.raises(pickle.UnpicklingError, match=message):
        torch.load(saved(torch, [torch.ones(1), call]))


def test_blocked_modules_stay_blocked(torch):
    file = saved(torch, Calls(os.system, "false"))
    name = f"{os.system.__module__}.system"
    with torch.serialization.safe_globals([(os.system, name)]):
        with pytest.raises(pickle.UnpicklingError, match="is blocked"):
            torch.load(file)


def test_other_protocols_can_be_written_but_want_trust(torch):
    value = {"x": torch.ones(2), "kind": torch.float16, "size": torch.Size([1])}
    for protocol in (2, 3, 4, 5):
        loaded = torch.load(saved(torch, value, pickle_protocol=protocol), weights_only=False)
        assert loaded["x"].tolist() == [1, 1] and loaded["kind"] is torch.float16 and loaded["size"] == (1,)
    with pytest.warns(UserWarning, match="Detected pickle protocol 4 in the checkpoint"):
        with pytest.raises(pickle.UnpicklingError, match="(?s)^Weights only load failed.*Unsupported operand 149"):
            torch.load(saved(torch, value, pickle_protocol=4))


def test_the_environment_can_force_either_reader(torch, monkeypatch):
    file = saved(torch, Point(1))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected"):
        assert torch.load(file).x == 1
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file, weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="^Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD`"):
        torch.load(file)
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file, weights_only=False)


def test_a_pickle_module_of_ones_own(torch):
    file = saved(torch, torch.ones(2), pickle_module=pickle)
    assert torch.load(file, weights_only=False, pickle_module=pickle).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        torch.load(file, weights_only=True, pickle_module=pickle)


def test_a_pickler_of_ones_own(torch):
    class Pickler(pickle._Pickler):
        def save_str(self, value):
            super().save_str(value.upper() if value == "shout" else value)

        dispatch = {**pickle._Pickler.dispatch, str: save_str}

    module = types.SimpleNamespace(Pickler=Pickler, Unpickler=pickle.Unpickler, __name__="own")
    assert torch.load(saved(torch, ["shout", torch.float16], pickle_module=module)) == ["SHOUT", torch.float16]


def test_a_pickler_that_extends_the_one_in_c(torch):
    class Pickler(pickle.Pickler):
        def __init__(self, file, protocol=None, buffer_callback=None):
            super().__init__(file, protocol, buffer_callback=buffer_callback)
            self.asked = 0

        def reducer_override(self, value):
            self.asked += 1
            if isinstance(value, types.SimpleNamespace):
                return dict, (sorted(vars(value).items()),)
            return NotImplemented

        def dump(self, value):
            super().dump(value)
            totals.append(self.asked)

    totals = []
    module = types.SimpleNamespace(Pickler=Pickler, Unpickler=pickle.Unpickler, __name__="extended")
    stored = {"model": torch.nn.Linear(2, 1), "settings": types.SimpleNamespace(rate=0.1), "dtype": torch.float16}
    result = torch.load(saved(torch, stored, pickle_module=module), weights_only=False)
    assert result["settings"] == {"rate": 0.1}
    assert result["dtype"] is torch.float16
    assert torch.equal(result["model"].weight, stored["model"].weight)
    assert totals[0] > 0


def test_a_pickler_of_another_kind_is_refused():
    import rushlight as torch

    module = types.SimpleNamespace(Pickler=type("Pickler", (), {}), __name__="other")
    with pytest.raises(TypeError, match="^other.Pickler cannot write PyTorch's names"):
        torch.save(torch.ones(1), io.BytesIO(), pickle_module=module)


def test_a_name_that_is_not_here_says_so():
    import rushlight as torch

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("archive/data.pkl", b"\x80\x02ctorch.nowhere\nThing\n.")
    file.seek(0)
    with pytest.raises(ModuleNotFoundError) as caught:
        torch.load(file, weights_only=False)
    assert caught.value.__notes__ == ["The checkpoint refers to torch.nowhere.Thing, which rushlight does not have."]


def test_an_archive_that_was_packed_again():
    import rushlight as torch

    file, again = saved(torch, {"x": torch.arange(3)}), io.BytesIO()
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(again, "w") as target:
        target.mkdir("archive")
        for name in reversed(source.namelist()):
            target.writestr(name, source.read(name))
    again.seek(0)
    assert torch.load(again)["x"].tolist() == [0, 1, 2]


def test_what_is_no_file(torch, tmp_path):
    with pytest.raises(AttributeError, match="^expected 'f' to be string, path, or a file-like object with a 'write'"):
        torch.save(1, 5)
    with pytest.raises(AttributeError, match="You can only torch.load from a file that is seekable"):
        torch.load(5)
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "missing.pt")
    with pytest.raises(RuntimeError, match="^Parent directory .* does not exist"):
        torch.save(1, tmp_path / "missing" / "x.pt")
    with pytest.raises(RuntimeError, match="open file failed with strerror: Is a directory"):
        torch.save(1, tmp_path)
    with pytest.raises(EOFError):
        torch.load(io.BytesIO())
    with pytest.raises(ValueError, match="^f must be a file path in order to use the mmap argument"):
        torch.load(saved(torch, 1), mmap=True)


def test_one_memory_of_two_dtypes_is_refused(torch):
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="^Cannot save multiple tensors or storages that view the same data as diff"):
        torch.save([x, x.view(torch.int32)], io.BytesIO())


class Marked:
    """A subclass of tensors, made for each library."""

    kinds: dict = {}

    @classmethod
    def of(cls, torch):
        name = f"Marked_{torch.__name__}"
        if torch not in cls.kinds:
            cls.kinds[torch] = globals()[name] = type(name, (torch.Tensor,), {"__module__": __name__})
        return cls.kinds[torch]


def test_subclasses_keep_their_class_and_attributes(torch):
    kind = Marked.of(torch)
    x = torch.ones(2).as_subclass(kind)
    x.note = "kept"
    file = saved(torch, x)
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global"):
        torch.load(file)
    file.seek(0)
    with torch.serialization.safe_globals([kind]):
        loaded = torch.load(file)
    assert type(loaded) is kind and loaded.note == "kept" and loaded.tolist() == [1, 1]


def test_saving_from_and_to_a_simulated_gpu():
    import rushlight as torch

    with torch.cuda.simulate():
        x = torch.arange(3.0, device="cuda")
        file = saved(torch, [x, x[1:]])
        loaded, view = torch.load(file)
        assert loaded.is_cuda and loaded.tolist() == [0, 1, 2]
        view.fill_(7)
        assert loaded.tolist() == [0, 7, 7]
        for place in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage):
            file.seek(0)
            assert torch.load(file, map_location=place)[0].device.type == "cpu"
        for place in ("cuda", lambda storage, location: storage.cuda()):
            assert torch.load(saved(torch, torch.ones(2)), map_location=place).is_cuda
        file.seek(0)
        with pytest.raises(RuntimeError, match="on CUDA device 3 but torch.cuda.device_count"):
            torch.load(file, map_location="cuda:3")
    file.seek(0)
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        torch.load(file)


def test_nothing_of_it_is_imported_before_it_is_named():
    program = "import sys, rushlight; print(*sys.modules); rushlight.save; print(rushlight.serialization.load)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    modules, *rest = done.stdout.splitlines()
    assert "rushlight.serialization" not in modules and "zipfile" not in modules.split()
    assert rest and not done.stderr


class Counting(io.BytesIO):
    """A file that notes how it is read."""

    def __init__(self, content=b""):
        super().__init__(content)
        self.calls = set()

    def readinto(self, memory):
        self.calls.add("readinto")
        return super().readinto(memory)


@pytest.mark.parametrize("modern", [True, False])
def test_memory_is_read_where_it_stays(torch, modern):
    file = Counting()
    torch.save(torch.arange(10.0), file, _use_new_zipfile_serialization=modern)
    file.seek(0)
    assert torch.load(file).tolist() == list(range(10))
    assert "readinto" in file.calls


@pytest.mark.parametrize("modern", [True, False])
def test_a_file_that_is_open_has_everything_that_was_saved(torch, tmp_path, modern):
    stored = {"x": torch.arange(6.0), "y": [torch.ones(2, dtype=torch.bfloat16)]}
    with open(tmp_path / "open.pt", "wb") as file:
        torch.save(stored, file, _use_new_zipfile_serialization=modern)
        assert torch.load(tmp_path / "open.pt")["x"].tolist() == [0, 1, 2, 3, 4, 5]
    packed = tmp_path / "packed.gz"
    with gzip.open(packed, "wb") as file:
        torch.save(stored, file, _use_new_zipfile_serialization=modern)
    with gzip.open(packed, "rb") as file:
        assert torch.load(file)["y"][0].tolist() == [1, 1]


def test_the_old_format_behind_other_content(torch):
    file = io.BytesIO()
    file.write(b"a head")
    torch.save(torch.arange(3.0), file, _use_new_zipfile_serialization=False)
    torch.save({"again": torch.ones(1)}, file, _use_new_zipfile_serialization=False)
    file.seek(6)
    assert torch.load(file).tolist() == [0, 1, 2]
    assert torch.load(file)["again"].tolist() == [1]


def test_what_map_location_may_be_is_a_type_for_annotations(torch):
    def loaded(path, map_location: torch.serialization.MAP_LOCATION = None):
        return torch.load(path, map_location=map_location)

    assert {torch.device, str, dict[str, str], type(None)} <= set(torch.serialization.MAP_LOCATION.__args__)

"""Checkpoints that are damaged, hostile or interrupted: a clear error, nothing run, nothing lost.

These stories run under rushlight alone: PyTorch reads a changed byte silently, and some of them end its process.
"""

import builtins
import contextlib
import errno
import io
import os
import pickle
import random
import stat
import struct
import subprocess
import sys
import warnings
import zipfile

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.serialization import archive
from rushlight.serialization.names import ALLOWED

# What a damaged file may raise: never anything that is not about the file.
DAMAGE = (RuntimeError, pickle.UnpicklingError, EOFError, ValueError)
VALUE = {"x": torch.arange(6.0), "n": 3, "p": torch.nn.Parameter(torch.ones(2))}


def checkpoint(value=VALUE):
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


WHOLE = checkpoint()


def same(loaded):
    return (
        loaded.keys() == VALUE.keys()
        and loaded["x"].tolist() == VALUE["x"].tolist()
        and loaded["n"] == 3
        and loaded["p"].tolist() == [1, 1]
    )


def packed(pickled, records=(), compression=zipfile.ZIP_STORED):
    """A checkpoint of any pickle and records, as an attacker would make it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as target:
        target.writestr("archive/data.pkl", pickled)
        target.writestr("archive/byteorder", "little")
        for name, content in records:
            target.writestr(name, content)
    file.seek(0)
    return file


def refused_or_unharmed(damaged):
    try:
        return same(torch.load(io.BytesIO(bytes(damaged))))
    except DAMAGE:
        return True


# ---- damage


@pytest.mark.parametrize("start", range(8))
def test_a_file_cut_off_at_any_byte_is_refused(start):
    for end in range(start, len(WHOLE), 8):
        with pytest.raises(DAMAGE):
            torch.load(io.BytesIO(WHOLE[:end]))


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@settings(max_examples=200, deadline=None)
@given(st.integers(0, 8 * len(WHOLE) - 1))
def test_a_flipped_bit_is_noticed_or_does_not_matter(position):
    damaged = bytearray(WHOLE)
    damaged[position // 8] ^= 1 << position % 8
    assert refused_or_unharmed(damaged)


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=40))
@example(0, b"\x80")  # no longer a zip file, but the start of a pickle of protocol 75
def test_overwritten_bytes_are_noticed_or_do_not_matter(position, content):
    damaged = bytearray(WHOLE)
    damaged[position : position + len(content)] = content[: len(WHOLE) - position]
    assert refused_or_unharmed(damaged)


def test_changed_numbers_are_noticed():
    numbers = VALUE["x"].numpy().tobytes()
    damaged = WHOLE.replace(numbers, numbers[:-1] + b"\x00")
    assert damaged != WHOLE
    with pytest.raises(
        RuntimeError, match="^PytorchStreamReader failed reading file data/0: its bytes differ from its"
    ):
        torch.load(io.BytesIO(damaged))


def test_a_mapped_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "x.pt"
    for end in range(0, len(WHOLE), 37):
        path.write_bytes(WHOLE[:end])
        with pytest.raises(DAMAGE):
            torch.load(path, mmap=True)


def old_format() -> bytes:
    file = io.BytesIO()
    stored = {"x": torch.arange(6.0), "y": [torch.ones(2, dtype=torch.bfloat16)]}
    torch.save(stored, file, _use_new_zipfile_serialization=False)
    return file.getvalue()


def test_the_old_format_cut_off_at_any_byte_is_refused():
    whole = old_format()
    for end in range(len(whole)):
        for read in (torch.load, torch.inspect):
            with pytest.raises(DAMAGE):
                read(io.BytesIO(whole[:end]))


def test_the_old_format_with_any_byte_changed_is_read_or_refused():
    whole = old_format()
    chance = random.Random(0)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        for read in (torch.load, torch.inspect):
            with contextlib.suppress(*DAMAGE), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of an unknown protocol
                read(io.BytesIO(bytes(damaged)))


# ---- archives that lie


def test_compressed_records_are_refused():
    bomb = packed(pickle.dumps(0, 2), [("archive/data/0", bytes(10**6))], zipfile.ZIP_DEFLATED)
    with pytest.raises(RuntimeError, match="the record is compressed"):
        torch.load(bomb)


def test_records_that_overlap_are_refused():
    file = io.BytesIO()
    writer = archive.ArchiveWriter(file, "archive")
    writer.write("data.pkl", pickle.dumps(0, 2))
    writer.write("data/0", bytes(1000))
    writer.entries += [writer.entries[-1]._replace(name=f"archive/data/{number}".encode()) for number in range(1, 50)]
    writer.close()
    file.seek(0)
    with pytest.raises(RuntimeError, match="names another record|overlaps another one"):
        torch.load(file)


@pytest.mark.parametrize(
    "name", ["../../evil", "/etc/passwd", "archive/../../evil", "archive//x", "archive\\..\\evil", "other/x", "x"]
)
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(RuntimeError, match="is no name of a record|names another record"):
        torch.load(packed(pickle.dumps(0, 2), [(name, b"")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_records_of_one_name_are_refused():
    with pytest.raises(RuntimeError, match="two records have one name"):
        torch.load(packed(pickle.dumps(0, 2), [("archive/data.pkl", pickle.dumps(1, 2))]))


def test_an_archive_without_an_object_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("archive/other", b"")
    file.seek(0)
    with pytest.raises(RuntimeError, match="^PytorchStreamReader failed locating file data.pkl: file not found"):
        torch.load(file)


# ---- hostile pickles, opcode by opcode

TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n"


def storage(count, key=b"0", kind=b"ctorch\nFloatStorage\n"):
    """The opcodes that refer to memory."""
    return b"(" + text(b"storage") + kind + text(key) + text(b"cpu") + number(count) + b"tQ"


def text(content):
    return b"X" + struct.pack("<I", len(content)) + content


def number(value):
    content = value.to_bytes(9, "little", signed=True)
    return b"\x8a" + bytes([len(content)]) + content


def view(offset, size, stride, memory=None):
    """The opcodes of a tensor that looks into four floats."""
    lengths = b"".join(b"(" + b"".join(map(number, each)) + b"t" for each in (size, stride))
    memory = storage(4) if memory is None else memory
    return b"\x80\x02" + TENSOR + b"(" + memory + number(offset) + lengths + b"\x89" + b"}" + b"tR."


FOUR = [("archive/data/0", bytes(16))]


def test_the_hostile_opcodes_are_well_formed():
    assert torch.load(packed(view(0, [2, 2], [2, 1]), FOUR)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    "pickled",
    [
        view(0, [5], [1]),
        view(4, [1], [1]),
        view(-1, [1], [1]),
        view(0, [-1], [1]),
        view(0, [2], [-1]),
        view(0, [2], [2**62]),
        view(2**62, [1], [1]),
        view(0, [2**62, 2**62], [0, 0]),
        view(0, [2**70], [0]),
        view(0, [1, 1], [1]),
        view(0, [1] * 100, [1] * 100),
        view(0, [1], [1], storage(5)),
        view(0, [1], [1], storage(-4)),
        view(0, [1], [1], storage(2**60)),
        view(0, [1], [1], storage(4, b"../0")),
        view(0, [1], [1], storage(4, b"9")),
        view(0, [1], [1], storage(4, kind=b"ctorch\nSize\n")),
        view(0, [1], [1], storage(4, kind=b"N")),
        view(0, [1], [1], b"N"),
        view(0, [1], [1], b"ctorch\nfloat32\n"),
    ],
)
def test_tensors_that_reach_beyond_their_memory_are_refused(pickled):
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        torch.load(packed(pickled, FOUR))


@pytest.mark.parametrize(
    "opcodes",
    {
        "nothing on the stack": b".",
        "no mark": b"t.",
        "a mark too many": b"(.",
        "memo that is empty": b"h\x05.",
        "append to a number": b"K\x01K\x02a.",
        "set an item of a list": b"]K\x01K\x02s.",
        "odd number of items": b"}(K\x01u.",
        "list as a key": b"}]Ns.",
        "dictionary as a key": b"}}Ns.",
        "tensor class with a state": b"ctorch\nTensor\n}b.",
        "function with a state": b"ctorch._utils\n_rebuild_tensor_v2\nN}" + text(b"x") + b"Ns\x86b.",
        "state for a list": b"]}b.",
        "state for a class": b"ccollections\nOrderedDict\n}b.",
        "call of a number": b"K\x01)R.",
        "call of a dtype": b"ctorch\nfloat32\n)R.",
        "call of the tensor class": b"ctorch\nTensor\nJ\xff\xff\xff\x7f\x85R.",
        "call of a storage": b"ctorch\nFloatStorage\n)R.",
        "arguments that are a list": b"ccollections\nOrderedDict\n]R.",
        "arguments that do not fit": b"ccollections\nOrderedDict\n(K\x01K\x02tR.",
        "a set of a number": b"c__builtin__\nset\nK\x01\x85R.",
        "a set of lists": b"c__builtin__\nset\n](]]e\x85R.",
        "a size of text": b"ctorch\nSize\n(" + text(b"a") + b"t\x85R.",
        "a device of nowhere": b"ctorch\ndevice\n" + text(b"nowhere") + b"\x85R.",
        "a very long bytearray": b"c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R.",
        "another codec": b"c_codecs\nencode\n" + text(b"a") + text(b"zip") + b"\x86R.",
        "text that is cut off": b"X\xff\xff\xff\x7fabc.",
        "text that is no UTF-8": b"X\x01\x00\x00\x00\xff.",
        "a number that is cut off": b"\x8a\xff\x01.",
        "a name without an end": b"ctorch\nSi",
        "a name within a name": b"ctorch\nTensor.__init__\n.",
        "a name of ours": b"crushlight\nload\n.",
        "the reader itself": b"ctorch\nload\n.",
        "an extension": b"\x82\x01.",
        "an instance": b"(ios\nsystem\n.",
        "build by class": b"(cos\nsystem\no.",
        "stacked name": text(b"os") + text(b"system") + b"\x93.",
        "persistent identity in text": b"Pabc\n.",
        "persistent identity of a list": b"]Q.",
        "persistent identity of a number": b"K\x01Q.",
        "persistent identity of another kind": b"(" + text(b"module") + b"NNNNtQ.",
        "object of a function": b"ctorch._utils\n_rebuild_tensor_v2\n)\x81.",
        "tensor through another function": (
            b"ctorch._tensor\n_rebuild_from_type_v2\n(ccollections\nOrderedDict\nctorch\nTensor\n)}tR."
        ),
        "tensor of no class": b"ctorch._tensor\n_rebuild_from_type_v2\n("
        + TENSOR
        + b"ccollections\nOrderedDict\n)}tR.",
        "parameter of a dtype": b"ctorch.nn.parameter\nParameter\nctorch\nfloat32\n\x85\x81.",
        "parameter of a number": b"ctorch._utils\n_rebuild_parameter\n(K\x01\x88}tR.",
        "meta of a size without end": (
            b"ctorch._utils\n_rebuild_meta_tensor_no_storage\n(ctorch\nfloat32\n"
            + number(2**62) * 2
            + b"\x86("
            + number(1)
            + number(2**62)
            + b"t\x89tR."
        ),
        "a layout of no name": b"ctorch.serialization\n_get_layout\n" + text(b"torch.sparse_xyz") + b"\x85R.",
    }.items(),
    ids=lambda item: item[0],
)
def test_hostile_opcodes_are_refused(opcodes):
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        torch.load(packed(b"\x80\x02" + opcodes[1], FOUR))


def test_internals_of_a_tensor_cannot_be_set():
    state = b"}" + text(b"_array") + b"Ns"
    inner = b"(" + storage(4) + b"K\x00(K\x04t(K\x01t\x89}t"
    pickled = (
        b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n(" + TENSOR + b"ctorch\nTensor\n" + inner + state + b"tR."
    )
    with pytest.raises(pickle.UnpicklingError, match="sets attributes by which tensors work"):
        torch.load(packed(pickled, FOUR))
    harmless = pickled.replace(text(b"_array"), text(b"note"))
    assert torch.load(packed(harmless, FOUR)).note is None


HOSTILE_KEYS = {
    "deep": b"}" + b")" + b"\x85" * 1_000_000 + b"Ns.",
    "wide": b"}" + b")" + b"q\x00h\x00\x86" * 60 + b"Ns.",
    "in a set": b"c__builtin__\nset\n]" + b")" + b"\x85" * 1_000_000 + b"a\x85R.",
    "in an ordered dictionary": b"ccollections\nOrderedDict\n]" + b")" + b"\x85" * 1_000_000 + b"N\x86a\x85R.",
}


@pytest.mark.parametrize("opcodes", HOSTILE_KEYS.values(), ids=HOSTILE_KEYS.keys())
def test_keys_that_are_nested_deeply_do_not_end_the_process(opcodes):
    with pytest.raises(pickle.UnpicklingError, match="nested too deeply"):
        torch.load(packed(b"\x80\x02" + opcodes))


def test_values_that_are_nested_deeply_are_read_and_freed():
    loaded = torch.load(packed(b"\x80\x02" + b"]" * 1_000_000 + b"a" * 999_999 + b"."))
    assert len(loaded) == 1
    del loaded


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_do_more_than_raise(content):
    try:
        torch.load(packed(b"\x80\x02" + content, FOUR))
    except DAMAGE:
        pass


PIECES = [
    *(f"c{name.rpartition('.')[0]}\n{name.rpartition('.')[2]}\n".encode() for name in ALLOWED),
    *[storage(4), number(0), number(1), number(-1), number(2**40), text(b"cpu"), text(b"a"), text(b"conj")] * 4,
    *[b"N", b"\x88", b"\x89", b")", b"]", b"}", b"\x8f", view(0, [2, 2], [2, 1])[2:-1]] * 8,
    *[b"(", b"t", b"\x85", b"\x86", b"\x87", b"R", b"b", b"\x81", b"a", b"e", b"s", b"u", b"Q"] * 12,
    *[b"q\x00", b"h\x00", b"q\x01", b"h\x01"] * 12,
]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_no_program_of_allowed_pieces_does_more_than_raise(pieces):
    try:
        torch.load(packed(b"\x80\x02" + b"".join(pieces) + b".", FOUR))
    except DAMAGE:
        pass


# ---- interruption


@pytest.fixture
def old(tmp_path):
    """A checkpoint that is there already."""
    path = tmp_path / "model.pt"
    torch.save("old", path)
    return path


def only(path):
    """Whether the folder holds this file and nothing left over."""
    return [each.name for each in path.parent.iterdir()] == [path.name]


class Breaks:
    """An object in the middle of which pickling fails."""

    def __reduce__(self):
        raise InterruptedError("here")


def test_an_error_in_the_middle_keeps_the_old_file(old):
    with pytest.raises(InterruptedError):
        torch.save([torch.ones(1000), Breaks()], old)
    assert torch.load(old) == "old" and only(old)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_keeps_the_old_file(old, monkeypatch, error):
    def write(self, content):
        if len(content) > 100_000:
            raise error
        return original(self, content)

    original = archive.ArchiveWriter._put
    monkeypatch.setattr(archive.ArchiveWriter, "_put", write)
    with pytest.raises(type(error)):
        torch.save(torch.ones(100_000), old)
    monkeypatch.undo()
    assert torch.load(old) == "old" and only(old)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_at_the_end_keeps_the_old_file(old, monkeypatch, step):
    def fail(*arguments):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(OSError, match="Input/output error"):
            torch.save("new", old)
    assert torch.load(old) == "old" and only(old)


KILLED = """
import os, sys
import rushlight as torch

torch.serialization.archive.ArchiveWriter.close = lambda self: os._exit(9)
torch.save(torch.ones(1000), sys.argv[1])
"""


def test_a_process_that_is_killed_keeps_the_old_file(old):
    done = subprocess.run([sys.executable, "-c", KILLED, str(old)], capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    assert torch.load(old) == "old"


def test_the_new_file_is_on_the_disk_before_it_has_its_name(old, monkeypatch):
    steps = []
    for name in ("fsync", "replace"):
        original = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, name=name, original=original: (steps.append(name), original(*a)))
    torch.save("new", old)
    assert steps == ["fsync", "replace", "fsync"]
    assert torch.load(old) == "new"


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_the_new_file_keeps_mode_and_links(old):
    old.chmod(0o640)
    link = old.with_name("link.pt")
    link.symlink_to(old.name)
    torch.save("new", link)
    assert link.is_symlink() and torch.load(old) == "new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    torch.save("nothing", os.devnull)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_fresh_file_has_the_mode_of_any_fresh_file(tmp_path):
    torch.save(1, tmp_path / "x.pt")
    (tmp_path / "y").touch()
    assert (tmp_path / "x.pt").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_saving_over_a_mapped_file_leaves_what_was_mapped(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.zeros(5000), path)
    mapped = torch.load(path, mmap=True)
    torch.save(torch.ones(1), path)
    assert mapped.sum().item() == 0


def test_no_code_of_the_file_runs(monkeypatch):
    ran = []
    monkeypatch.setattr(builtins, "eval", ran.append)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(packed(b"\x80\x02c__builtin__\neval\n" + text(b"1") + b"\x85R."))
    assert not ran

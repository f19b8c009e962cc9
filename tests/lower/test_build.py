"""Building LLVM text, and the cache on disk: concurrent, damaged, missing."""

import ctypes
import errno
import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels import recurrent
from rushlight.lower import cache, llvm

ANSWER = "define i32 @answer() { ret i32 42 }"


def object_code():
    """Returns the object code of a kernel that differs without the skipped passes."""
    host = llvm.host()
    return host.machine.emit_object(host.optimised(recurrent.rnn_backward.written(()).text, llvm.BARE))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def call(text, symbol):
    return ctypes.CFUNCTYPE(ctypes.c_int32)(llvm.build(text, symbol)[symbol])()


def test_a_function_is_looked_up_by_its_symbol():
    assert call(ANSWER, "answer") == 42


def test_two_modules_may_define_the_same_symbol():
    assert (call(ANSWER, "answer"), call(ANSWER.replace("42", "43"), "answer")) == (42, 43)


@pytest.mark.parametrize("passes", llvm.SKIPPED, ids="-".join)
def test_passes_are_skipped_for_one_module_only(passes):
    """LLVM's options are global: what other libraries compile afterwards is unchanged."""
    before = object_code()
    with pytest.raises(KeyError), llvm.llvm_options(llvm.SKIPPED[passes]):
        during = object_code()
        raise KeyError
    assert object_code() == before != during


def test_options_are_not_set_for_unsupported_versions(monkeypatch):
    monkeypatch.setattr(llvm, "SUPPORTED_VERSIONS", range(0))
    before = object_code()
    with llvm.llvm_options(llvm.SKIPPED[llvm.BARE]):
        assert object_code() == before


def test_functions_of_the_c_library_can_be_called():
    text = "declare i32 @abs(i32)\ndefine i32 @answer() {\n %a = call i32 @abs(i32 -5)\n ret i32 %a }"
    assert call(text, "answer") == 5


def test_a_loop_uses_the_widest_vectors_of_the_host():
    text = """
    define void @twice(ptr noalias %out, ptr noalias %in) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [0, %entry], [%j, %loop]
      %p = getelementptr float, ptr %in, i64 %i
      %q = getelementptr float, ptr %out, i64 %i
      %x = load float, ptr %p
      %y = fadd float %x, %x
      store float %y, ptr %q
      %j = add i64 %i, 1
      %c = icmp ult i64 %j, 1048576
      br i1 %c, label %loop, label %end
    end:
      ret void
    }"""
    if "+avx512f" not in llvm.host().features:
        pytest.skip("a host without 512-bit vectors")
    assert "zmm" in llvm.assembly(text)


def test_a_second_process_reads_the_object_code_from_the_cache(folder):
    call(ANSWER, "answer")
    (entry,) = folder.iterdir()
    program = f"from rushlight.lower import cache; print(len(cache.read({entry.name!r})))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert int(printed) == len(cache.read(entry.name)) > 0


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:40] + b"?" + data[41:], lambda data: b""]
)
def test_a_damaged_entry_is_compiled_again(folder, damage):
    call(ANSWER, "answer")
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    assert cache.read(entry.name) is None
    assert call(ANSWER, "answer") == 42
    assert entry.read_bytes() == whole


def test_an_entry_under_another_name_is_invalid(folder):
    cache.write("one", b"content")
    (folder / "one").rename(folder / "other")
    assert cache.read("other") is None


def test_an_entry_of_another_machine_is_kept(folder, monkeypatch):
    call(ANSWER, "answer")
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    monkeypatch.setattr(llvm.host(), "cpu", "another")
    assert call(ANSWER, "answer") == 42
    assert len(list(folder.iterdir())) == 2
    assert entry.read_bytes() == whole


def nowhere(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "file" / "cache"))


def homeless(tmp_path, monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("RUSHLIGHT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.Path, "home", home)


def read_only(tmp_path, monkeypatch):
    def opened(path, mode="rb", *rest, **named):
        if "x" in mode:
            raise OSError(errno.EROFS, "Read-only file system")
        return plain(path, mode, *rest, **named)

    plain = cache.Path.open
    monkeypatch.setattr(cache.Path, "open", opened)


def not_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "key_of", lambda *parts: "key")
    (tmp_path / "cache" / "key").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [nowhere, homeless, read_only, not_a_file])
def test_an_unusable_cache_is_ignored_silently(spoil, folder, tmp_path, monkeypatch):
    spoil(tmp_path, monkeypatch)
    assert call(ANSWER, "answer") == 42
    assert not folder.exists() or [path.name for path in folder.iterdir() if path.is_file()] == []


def test_a_relative_cache_folder_is_not_used(monkeypatch, tmp_path):
    monkeypatch.delenv("RUSHLIGHT_CACHE")
    monkeypatch.setattr(cache.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache.folder() == cache.Path.home() / ".cache" / "rushlight"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "rushlight"


def test_a_write_that_fails_leaves_no_files(folder, monkeypatch):
    def refuse(*names):
        raise PermissionError

    monkeypatch.setattr(cache.Path, "replace", refuse)
    cache.write("key", b"content")
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="limits on the size of files are the system's")
def test_a_full_disk_leaves_no_entry(folder):
    """A file size limit simulates a full disk: the system refuses in the middle of a write."""
    program = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from rushlight.lower import cache
cache.write("small", b"content")
cache.write("large", b"content" * 1000)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert [path.name for path in folder.iterdir()] == ["small"]
    assert cache.read("small") == b"content"


@pytest.mark.skipif(os.name != "posix", reason="permissions are the system's")
def test_an_entry_can_be_read_by_users_who_can_read_the_folder(folder):
    before = os.umask(0o022)
    try:
        cache.write("key", b"content")
    finally:
        os.umask(before)
    assert (folder / "key").stat().st_mode & 0o777 == 0o644


def test_files_of_a_killed_writer_are_removed_later(folder):
    folder.mkdir()
    for name, age in ((".old", 2 * cache.ABANDONED), (".young", 0), ("entry", 2 * cache.ABANDONED)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age,) * 2)
    cache.write("key", b"content")
    assert sorted(path.name for path in folder.iterdir()) == [".young", "entry", "key"]


def test_a_killed_writer_leaves_no_partial_entries(folder):
    program = "from rushlight.lower import cache\nwhile True: cache.write('key', b'content' * 100_000)"
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", program])
        while cache.read("key") is None:
            assert writer.poll() is None
        writer.kill()
        writer.wait()
        assert cache.read("key") == b"content" * 100_000
        (folder / "key").unlink()


USE = """
import numpy as np
from rushlight.lower import elementwise, llvm
compiled = []
optimised = llvm.Host.optimised
llvm.Host.optimised = lambda *given: compiled.append(given) or optimised(*given)
kernel = elementwise.Kernels("floor_divide", elementwise.function_of("floor_divide")).of_arrays(("a", "b"))
x = np.arange(100_000, dtype=np.float32)
assert (kernel(x, np.float32(7)) == x // 7).all()
print(len(compiled))
"""


def test_concurrent_compilation_by_two_processes(folder):
    """Both finish and leave whole entries; a third process compiles nothing."""
    both = [subprocess.Popen([sys.executable, "-c", USE], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert all(int(x.communicate()[0]) >= 0 and x.returncode == 0 for x in both)
    assert all(cache.read(path.name) for path in folder.iterdir())
    third = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, check=True)
    assert int(third.stdout) == 0


def test_concurrent_writers_leave_one_whole_entry(folder):
    program = "from rushlight.lower import cache\nfor _ in range(200): cache.write('key', b'content' * 1000)"
    writers = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]
    while any(writer.poll() is None for writer in writers):
        assert cache.read("key") in (None, b"content" * 1000)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert [path.name for path in folder.iterdir()] == ["key"]

"""Machine code from text, and its cache: concurrent, damaged, not there."""

import ctypes
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.compiler import cache, llvm

ANSWER = "define i32 @answer() { ret i32 42 }"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def call(text, symbol):
    return ctypes.CFUNCTYPE(ctypes.c_int32)(llvm.build(text, symbol)[symbol])()


def test_a_function_is_found_by_its_symbol():
    assert call(ANSWER, "answer") == 42


def test_two_modules_may_define_the_same_symbol():
    assert (call(ANSWER, "answer"), call(ANSWER.replace("42", "43"), "answer")) == (42, 43)


def test_functions_of_the_c_library_are_found():
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


def test_the_second_process_finds_the_object_code(folder):
    call(ANSWER, "answer")
    (entry,) = folder.iterdir()
    program = f"from rushlight.compiler import cache; print(len(cache.read({entry.name!r})))"
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


def test_without_a_folder_to_write_to_nothing_is_kept_and_nothing_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "file" / "cache"))
    assert call(ANSWER, "answer") == 42


def test_a_write_that_fails_leaves_no_files(folder, monkeypatch):
    def refuse(*names):
        raise PermissionError

    monkeypatch.setattr(cache.os, "replace", refuse)
    cache.write("key", b"content")
    assert list(folder.iterdir()) == []


def test_writers_at_once_leave_one_whole_entry(folder):
    program = "from rushlight.compiler import cache\nfor _ in range(200): cache.write('key', b'content' * 1000)"
    writers = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]
    while any(each.poll() is None for each in writers):
        assert cache.read("key") in (None, b"content" * 1000)
    assert [each.returncode for each in writers] == [0, 0, 0]
    assert [each.name for each in folder.iterdir()] == ["key"]

"""Machine code of restricted Python is found by its source: nothing is translated that another process has compiled."""

import functools
import importlib
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight import kernels as families
from rushlight.kernels import reduce, tiles
from rushlight.lower import cache, source_keys
from rushlight.lower import native as natives
from rushlight.lower.language import Builtin, Imported
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.llvm import Host
from rushlight.lower.machine_types import Element, float32, float64, int64, pointer
from rushlight.lower.native import Native, native

T = Element("T")
FACTOR = 3


@native
def scaled(value: int64) -> int64:
    return value * FACTOR


@native
def twice_scaled(value: int64) -> int64:
    return scaled(value) * 2


@native
def first(array: pointer(T)) -> T:
    return array[0]


@pytest.fixture(autouse=True)
def settled(tmp_path, monkeypatch):
    """The cache is empty, and the translator's files count as older than the process."""
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(source_keys, "STARTED", float("inf"))
    source_keys.digest_of_translator.cache_clear()
    yield
    source_keys.digest_of_translator.cache_clear()


@pytest.fixture
def translated(monkeypatch):
    """The names of the functions that are translated."""
    names, module = [], natives.module

    def counted(functions, *args):
        names.extend([each.__name__ for each in functions])
        return module(functions, *args)

    monkeypatch.setattr(natives, "module", counted)
    return names


def again(f):
    """Returns a function as another process has it: not loaded yet."""
    return Native(f.plain)


def key(f, *types):
    bound = dict(zip(f.variables, types, strict=True))
    source = source_keys.source_of([f], bound, f.passes, True, f.inlined, f.halves)
    return source and source.key


def test_what_is_compiled_is_not_translated_again(translated):
    assert again(twice_scaled).machine()(7) == 42
    assert again(twice_scaled).machine()(7) == 42
    assert translated == ["twice_scaled"]


def test_each_choice_of_types_has_its_own_code(translated):
    for kind, types in ((np.float32, float32), (np.float64, float64)) * 2:
        assert again(first).machine(types)(np.full(1, 0.1, kind)) == kind(0.1)
    assert translated == ["first", "first"]


def test_another_value_of_a_name_is_another_function(translated, monkeypatch):
    assert again(twice_scaled).machine()(7) == 42
    monkeypatch.setitem(globals(), "FACTOR", 5)  # read by a function that it calls
    assert again(twice_scaled).machine()(7) == 70
    assert len(translated) == 2


def test_numbers_of_different_types_have_different_names(monkeypatch):
    keys = set()
    for value in (1, 1.0, True, -1):
        monkeypatch.setitem(globals(), "FACTOR", value)
        keys.add(key(twice_scaled))
    assert len(keys) == 4


def test_closures_have_different_names(translated):
    def adding(number):
        @native
        def added(value: int64) -> int64:
            return value + number

        return added

    assert [adding(number).machine()(1) for number in (1, 2, 1)] == [2, 3, 2]
    assert translated == ["added", "added"]


@pytest.mark.parametrize("option", ["separate", "rounded", "inlined", "cold", "halves", "as_written", "light", "alone"])
def test_options_are_part_of_the_name(option):
    assert key(Native(scaled.plain, **{option: True})) != key(scaled)


@pytest.mark.parametrize("what", ["scales", "masks", "reads_ahead", "halves", "lanes", "name"])
def test_the_host_is_part_of_the_name(what, monkeypatch):
    before = key(scaled)
    monkeypatch.setattr(Host, what, "another")
    assert key(scaled) != before


def test_emitters_of_different_closures_have_different_names():
    kernel = [reduce.number(first) for first in (0, 1)]

    def calling(made):
        @native
        def called(value: int64) -> int64:
            return made(value)

        return called

    assert len({key(calling(each)) for each in kernel}) == 2
    assert key(calling(kernel[0])) == key(calling(reduce.number(0)))


def test_a_value_of_unknown_kind_gives_no_name_and_is_translated(translated):
    def emit(translation, value):
        return translation.converted(value, int64)

    unknown = Builtin(lambda value: value, emit)

    @native
    def called(value: int64) -> int64:
        return unknown(value)

    assert key(called) is None
    assert [again(called).machine()(4) for _ in range(2)] == [4, 4]
    assert translated == ["called", "called"]


def test_two_run_time_values_of_one_symbol_give_no_name():
    one, other = (Imported("test_value", pointer(int64), lambda at=at: at) for at in range(2))

    @native
    def both(value: int64) -> int64:
        return one[value] + other[value]

    assert key(both) is None


def test_run_time_values_are_set_when_code_is_found_by_source(translated):
    helper = deferred(scaled)

    def calling():
        @native
        def outer(value: int64) -> int64:
            return helper(value)

        return outer

    assert calling().machine()(4) == 12
    translated.clear()
    assert calling().machine()(5) == 15
    assert translated == []


def test_files_that_may_have_changed_since_they_were_imported_give_no_names(monkeypatch):
    monkeypatch.setattr(source_keys, "STARTED", 0.0)
    source_keys.digest_of_translator.cache_clear()
    assert key(scaled) is None


@pytest.mark.parametrize("damage", ["entry", "object code"])
def test_a_missing_half_is_made_again(damage, translated, tmp_path):
    assert again(scaled).machine()(2) == 6
    name = key(scaled)
    (entry,) = [each.name for each in tmp_path.iterdir() if cache.read(each.name).startswith(b"[")]
    for file in tmp_path.iterdir():
        if (file.name == entry) is (damage == "entry"):
            file.unlink()
    assert again(scaled).machine()(2) == 6
    assert name is not None and translated == ["scaled", "scaled"]


@functools.cache
def all_kernels():
    modules = [
        importlib.import_module(f"rushlight.kernels.{each.name}") for each in pkgutil.iter_modules(families.__path__)
    ]
    return list({id(x): x for module in modules for x in vars(module).values() if isinstance(x, Native)}.values())


def test_all_kernels_have_names_with_their_run_time_values():
    incomplete = []
    for each in all_kernels():
        bound = dict.fromkeys(each.variables, float32)
        source = source_keys.source_of([each], bound)
        if source is None or not source.imported.keys() >= run_time_values(each, bound):
            incomplete.append(each)
    assert len(all_kernels()) > 300
    assert incomplete == []


def run_time_values(each, bound):
    """Returns the symbols that a kernel's module imports; none for types that it does not take."""
    try:
        return natives.module([each], bound, False).imported.keys()
    except (natives.NotTranslated, KeyError, AttributeError, TypeError):
        return set()


PROGRAM = """
from rushlight.lower import source_keys
source_keys.STARTED = float("inf")
from rushlight.kernels import tiles
f = tiles.run_tiles
print(source_keys.source_of([f], {}, f.passes, True, f.inlined, f.halves).key)
"""


def test_names_are_the_same_in_every_process():
    keys = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout.strip()
        for _ in range(2)
    ]
    assert keys == [key(tiles.run_tiles)] * 2

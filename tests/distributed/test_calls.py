"""What ranks of a machine write about their calls in shared memory, without MPI."""

import mmap

import pytest

from rushlight.distributed.calls import AREA, BODIES, ENTRIES, SITES, Calls, kind_of

GROUP = 3_000_000_017  # as a checksum of a name


def two_ranks():
    memory = mmap.mmap(-1, 2 * AREA)
    return [Calls(memory, rank, (0, 1)) for rank in (0, 1)]


def line(name):
    return compile("x = 1", f"{name}.py", "exec"), 0


@pytest.mark.parametrize("count", [SITES - 1, SITES, SITES + 1, 3 * SITES + 5])
def test_the_last_call_has_its_line_however_many_lines_there_are(count):
    mine, theirs = two_ranks()
    kind = kind_of("all_reduce", "float32", "SUM")
    for number in range(1, count + 1):
        mine.note(GROUP, (number, kind, number), (number,), line(f"program{number}"))
    last = theirs.last(0, GROUP)
    assert (last.sequence, last.shape) == (count, (count,)) and f"program{count}.py" in last.place
    assert mine.made() == {GROUP: count} and theirs.made() == {}


def test_calls_of_one_line_with_many_shapes():
    mine, theirs = two_ranks()
    kind, here = kind_of("broadcast", "int64", root=1), line("program")
    for number in range(1, 2 * BODIES):
        mine.note(GROUP, (number, kind, number), (number, 1), here)
    assert theirs.at(0, GROUP, number).shape == (number, 1) and theirs.at(0, GROUP, number - ENTRIES) is None
    assert len(mine.bodies) <= BODIES


def test_only_another_call_under_the_same_number_differs():
    mine, theirs = two_ranks()
    kind, other = kind_of("all_reduce", "float32", "SUM"), kind_of("all_reduce", "float32", "MAX")
    mine.note(GROUP, (5, kind, 3), (3,), line("mine"))
    assert theirs.other((0, 1), GROUP, 5, kind, 3) is None
    assert theirs.other((0, 1), GROUP, 5, other, 3) == theirs.other((0, 1), GROUP, 5, kind, 4) == 0
    assert theirs.other((0, 1), GROUP, 6, other, 3) is None and theirs.other((0, 1), GROUP + 1, 5, other, 3) is None
    mine.note(GROUP, (5 + ENTRIES, kind, 8), (2, 4), line("mine"))
    assert theirs.other((0, 1), GROUP, 5, other, 3) is None

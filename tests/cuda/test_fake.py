"""The fake CuPy refuses what CuPy refuses, in its words, and runs what streams queue when something waits."""

import gc
import weakref

import numpy as np
import pytest

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import WAITS
from rushlight.arrays.cuda.fake.namespace import cupy, cupyx

ON_CPU = np.ones(3)


def array(*shape):
    return cupy.arange(1.0, 1 + np.prod(shape)).reshape(shape)


REFUSED = {
    "a conversion to NumPy": (lambda x: np.asarray(x), TypeError, "Implicit conversion to a NumPy array"),
    "an array of the CPU as operand": (lambda x: x + ON_CPU, TypeError, "Unsupported type <class 'numpy.ndarray'>"),
    "one on the left": (lambda x: ON_CPU + x, TypeError, "Unsupported type <class 'numpy.ndarray'>"),
    "one in a function": (lambda x: cupy.concatenate([x, ON_CPU]), TypeError, "Unsupported type"),
    "one written into elements": (lambda x: x.__setitem__(slice(2), ON_CPU[:2]), TypeError, "Unsupported type"),
    "an order of a ufunc": (lambda x: cupy.exp(x, order="K"), TypeError, "Wrong arguments {'order': 'K'}"),
    "a mask of a ufunc": (lambda x: cupy.exp(x, where=x > 0), TypeError, "Wrong arguments"),
    "a reduction by the minimum": (lambda x: cupy.minimum.reduce(x), NotImplementedError, "cupy_minimum.reduce"),
    "a scan of maxima": (lambda x: cupy.maximum.accumulate(x), NotImplementedError, "cupy_maximum.accumulate"),
    "an unknown keyword": (lambda x: cupy.count_nonzero(x, keepdims=True), TypeError, "keepdims"),
    "an object dtype": (lambda x: cupy.zeros(2, object), ValueError, "Unsupported dtype object"),
    "float8": (lambda x: x.astype("float8_e4m3fn"), ValueError, "Unsupported dtype float8_e4m3fn"),
    "a bitwise operation of floats": (lambda x: cupy.bitwise_and(x, x), TypeError, "Wrong type"),
    "sorting a number": (lambda x: cupy.sort(x.sum()), np.exceptions.AxisError, "rank of zero"),
    "a function that CuPy has not": (lambda x: cupy.vecdot(x, x), AttributeError, "vecdot"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cupy_refuses(name):
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words.replace("(", r"\(")):
        call(array(3))


def test_an_array_is_no_array_of_numpys_and_elsewhere_in_memory():
    x = array(2, 3).copy()
    assert not isinstance(x, np.ndarray)
    assert x.data.ptr != x.cells.__array_interface__["data"][0]
    assert (x[1].data.ptr - x.data.ptr, x[1].base is x) == (24, True)


def test_results_without_dimensions_are_arrays():
    x = array(3)
    for result in (x.sum(), x[0], cupy.add(1, 2), cupy.exp(0.5), cupy.amax(x)):
        assert type(result) is cupy.ndarray and result.shape == ()


def test_dtypes_of_results_are_those_of_cupys_loops():
    half = cupy.ones(2, np.float16)
    assert cupyx.scipy.special.erf(half).dtype == np.float64  # CuPy's loop of float16 returns float64
    assert (half * 2).dtype == np.float16
    assert (cupy.ones(2, np.int8) + np.int16(1)).dtype == np.int16


def test_indices_out_of_range_wrap_around():
    x = array(3)
    assert x[cupy.array([3, -4])].tolist() == [1.0, 3.0]
    assert x.take(cupy.array([4])).tolist() == [2.0]


def test_duplicate_indices_accumulate():
    x = cupy.zeros(2)
    cupyx.scatter_add(x, cupy.array([1, 1]), 2.0)
    assert x.tolist() == [0.0, 4.0]
    with pytest.raises(TypeError, match="does not support dtype"):
        cupyx.scatter_add(cupy.zeros(2, np.int8), cupy.array([1]), 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("stream", [streams.DEFAULT, streams.Stream()], ids=["at once", "queued"])
def test_overflow_and_invalid_values_are_not_reported(stream):
    large, out = cupy.asarray([3e38, -3e38, 0, 1e20], "float32"), cupy.zeros(4, "float32")
    results = {
        "add": lambda: large + large, "log": lambda: cupy.log(large), "sum": lambda: cupy.add.reduce(large * large),
        "astype": lambda: large.astype("float16"), "out": lambda: cupy.multiply(large, large, out=out),
        "integers": lambda: large.astype("int8"),
    }  # fmt: skip
    with stream:
        computed = {name: make() for name, make in results.items()}
    stream.synchronize()
    assert computed["add"].get().tolist()[:3] == [np.inf, -np.inf, 0]
    assert np.isnan(computed["log"].get()[1]) and computed["sum"].get() == np.inf
    assert computed["out"].get().tolist() == out.get().tolist() == [np.inf, np.inf, 0, np.inf]


def test_what_waits_is_counted():
    x = array(2)
    WAITS.clear()
    y = (x * 2).sum()
    assert not WAITS
    bool(y > 1), float(y), y.item(), x.get(), x[x > 1]
    assert WAITS == {"bool": 1, "float": 1, "item": 1, "get": 1, "mask": 1}


@pytest.fixture
def found_reads(monkeypatch):
    """The pairs of streams, the reader and the writer, of reads that no wait orders."""
    pairs = []
    monkeypatch.setattr(streams, "LISTENERS", [lambda *pair: pairs.append(pair)])
    return pairs


def test_a_stream_runs_what_it_queued_when_something_waits():
    stream = cupy.cuda.Stream(non_blocking=True)
    x = array(2)
    with stream:
        y = x + 1
        y *= 10
    assert not stream.done
    x[:] = 5.0  # on the default stream, which does not wait for this one: a race
    stream.synchronize()
    assert (stream.done, y.tolist()) == (True, [60.0, 60.0])


def test_what_is_read_too_early_is_garbage(found_reads):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        y = array(2) + 1
    early = cupy.asarray(y).copy()
    stream.synchronize()
    assert early.tolist() != y.tolist() == [2.0, 3.0]
    assert set(found_reads) == {(cupy.cuda.Stream.null, stream)}


def test_an_event_orders_two_streams():
    first, second = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    event = cupy.cuda.Event()
    with first:
        x = array(2) * 3
        event.record()
    second.wait_event(event)
    with second:
        y = x + 1
    second.synchronize()
    assert y.tolist() == [4.0, 7.0]


def test_without_the_event_the_other_stream_reads_garbage(found_reads):
    first, second = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    with first:
        x = array(2) * 3
    with second:
        y = x + 1
    second.synchronize()
    assert y.tolist() != [4.0, 7.0] and found_reads == [(second, first)]


def test_a_stream_that_waited_keeps_no_stream_whose_work_is_done():
    waiting = cupy.cuda.Stream(non_blocking=True)
    for stream in (waiting, cupy.cuda.Stream.null):
        made = []
        for _ in range(3):
            other = cupy.cuda.Stream(non_blocking=True)
            with other:
                x = array(2) + 1
            stream.wait_event(other.record())
            stream.synchronize()
            made.append(weakref.ref(other))
            del other, x
        stream.wait_event(cupy.cuda.Stream(non_blocking=True).record())
        stream.synchronize()
        gc.collect()
        assert [ref() for ref in made] == [None] * 3


def test_the_default_stream_waits_for_blocking_streams():
    stream = cupy.cuda.Stream()
    with stream:
        x = array(2) * 3
    assert (x + 1).tolist() == [4.0, 7.0]


def test_functions_of_numpy_are_cupys_of_that_name():
    x = array(2, 2)
    assert type(np.sum(x)) is type(np.exp(x)) is cupy.ndarray
    with pytest.raises(TypeError):
        np.maximum.reduce(x)


@pytest.mark.parametrize("write", [
    lambda x, i: cupyx.scatter_add(x, i, 1.0), lambda x, i: cupy.put_along_axis(x, i, cupy.ones(2), 0),
])  # fmt: skip
def test_scattered_writes_are_queued(write):
    side, x, i = cupy.cuda.Stream(non_blocking=True), cupy.zeros(3), cupy.asarray([0, 2])
    with side:
        write(x, i)
    assert x.cells.tolist() == [0, 0, 0]
    side.synchronize()
    assert x.cells.tolist() == [1, 0, 1]


def test_indices_that_are_not_computed_yet_are_taken_at_once():
    side, x = cupy.cuda.Stream(non_blocking=True), cupy.arange(3.0)
    with side:
        y = x.take(cupy.asarray([1, 2]) - 1)
    side.synchronize()
    assert y.tolist() == [0, 1]

"""`torch.utils.benchmark`: measurements and tables as PyTorch shows them, and a timer that measures."""

import importlib
import random
import re

import pytest


@pytest.fixture
def benchmark(torch):
    return importlib.import_module(f"{torch.__name__}.utils.benchmark")


def shown(measurement):
    text = re.sub(r"^<.* object at 0x[0-9a-f]+>", "<object>", repr(measurement))
    named = measurement.title, measurement.as_row_name, measurement.significant_figures, measurement.has_warnings
    return text, named, [f"{each:.9e}" for each in (measurement.median, measurement.mean, measurement.iqr)]


def tables(module, measurements):
    """The tables in every style; None where PyTorch cannot make one."""
    results = []
    for how in range(8):
        compare = module.Compare(measurements)
        if how & 1:
            compare.trim_significant_figures()
        if how & 2:
            compare.colorize(rowwise=bool(how & 4))
        if how & 4:
            compare.highlight_warnings()
        try:
            results.append(str(compare))
        except TypeError:  # of measurements without a description, or with and without an environment
            results.append(None)
    return results


def drawn(seed):
    """What some measurements are made of."""
    draw = random.Random(seed)
    for _ in range(draw.randint(1, 8)):
        spec = {
            "stmt": draw.choice(["f(x)", "g(x)\nh(x)", "x+1"]),
            "setup": draw.choice(["pass", "x=1", "x=1\ny=2"]),
            "label": draw.choice([None, "label", "another label"]),
            "sub_label": draw.choice([None, "first", "second"]),
            "description": draw.choice(["small", "of great length"]),
            "env": draw.choice(["here", "elsewhere"]) if seed % 3 == 0 else None,
            "num_threads": draw.choice([1, 2]),
        }
        base, spread = 10 ** draw.uniform(-6, -3), 0.5 if seed % 2 else 0.99
        times = [base * draw.uniform(spread, 1.01) for _ in range(draw.randint(1, 9))]
        yield spec, times, draw.choice([1, 10, 100])


@pytest.mark.parametrize("seed", range(60))
def test_measurements_and_tables(pytorch, seed):
    import rushlight

    ours, theirs = [], []
    for library, result in ((rushlight, ours), (pytorch, theirs)):
        module = importlib.import_module(f"{library.__name__}.utils.benchmark")
        made = [module.Measurement(runs, times, module.TaskSpec(**spec)) for spec, times, runs in drawn(seed)]
        result += [*map(shown, made), *tables(module, made)]
    for one, other in zip(ours, theirs, strict=True):
        assert other is None or one == other


def test_a_statement_is_measured(torch, benchmark):
    x, calls = torch.ones(8), []
    timer = benchmark.Timer("f(x); torch.sum(x)", globals={"x": x, "f": calls.append}, label="sum", num_threads=1)
    measured = timer.timeit(200)
    assert len(calls) == 202 and measured.number_per_run == 200 and len(measured.raw_times) == 1
    assert 0 < measured.median == measured.mean < 1 and measured.iqr == 0
    assert "sum" in repr(measured) and "200 runs" in repr(measured)


def test_blocks_are_measured_until_time_is_over(torch, benchmark):
    seen = []
    timer = benchmark.Timer("x = 1 + 1", description="none")
    measured = timer.blocked_autorange(callback=lambda number, seconds: seen.append(number), min_run_time=0.02)
    assert sum(measured.raw_times) >= 0.02 and set(seen) == {measured.number_per_run}
    assert measured.number_per_run >= 1000 and len(seen) == len(measured.times)
    settled = timer.adaptive_autorange(threshold=0.5, min_run_time=0.01, max_run_time=1.0)
    assert len(settled.times) > 3
    assert "none" in str(benchmark.Compare([measured]))


def test_threads_are_set_for_the_measurement_alone(torch, benchmark):
    before, seen = torch.get_num_threads(), []
    benchmark.Timer("f(torch.get_num_threads())", globals={"f": seen.append}, num_threads=1).timeit(5)
    assert set(seen) == {1} and torch.get_num_threads() == before


def test_replicates_are_merged(torch, benchmark):
    spec = benchmark.TaskSpec("f(x)", "pass")
    merged = benchmark.Measurement.merge(
        [benchmark.Measurement(10, [1.0, 2.0], spec), benchmark.Measurement(1, [0.3], spec)]
    )
    assert [each.raw_times for each in merged] == [[0.1, 0.2, 0.3]] and merged[0].number_per_run == 1


@pytest.mark.parametrize(
    ("use", "error", "words"),
    [
        (lambda b: b.Timer(lambda: 1), ValueError, "^Currently only a `str` stmt is supported"),
        (lambda b: b.Timer("1", language="fortran"), ValueError, "^Invalid language `fortran`"),
        (lambda b: b.Timer("1", global_setup="x"), ValueError, r"^global_setup is C\+\+ only, got `x`"),
        (lambda b: b.Timer("1").repeat(), NotImplementedError, "^See `Timer.blocked_autorange.`"),
        (lambda b: b.Timer("1").autorange(), NotImplementedError, "^See `Timer.blocked_autorange.`"),
        (lambda b: b.Compare([3]), ValueError, "^Expected an instance of `Measurement`, got <class 'int'>"),
        (lambda b: b.Timer("1/0").timeit(1), ZeroDivisionError, "division by zero"),
        (lambda b: b.Measurement(1, [1.0], b.TaskSpec("f", "pass")).strange, AttributeError, "strange"),
    ],
)
def test_what_is_refused(torch, benchmark, use, error, words):
    with pytest.raises(error, match=words):
        use(benchmark)

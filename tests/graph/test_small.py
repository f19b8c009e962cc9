"""Small programs: values, layouts, writes, memory, threads; random programs against the operators one by one."""

import sys
import threading

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tensor import wrap
from rushlight.graph import small
from rushlight.graph.program import Program
from rushlight.graph.recording import record
from rushlight.graph.small import compile_small
from rushlight.lower import small_call

pytestmark = pytest.mark.skipif(not small.is_available(), reason="no machine code")

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, -1e-40, 1.0, -1.0, 3.4e38, 1e-30]


def check(function, inputs, others=(), gear="cold", tolerance=0.0):
    """Compiles a function for inputs, and compares it with its steps one by one. Returns the small program."""
    inputs = [wrap(each) if isinstance(each, np.ndarray) else each for each in inputs]
    trace = record(function, inputs)
    run, program = compile_small(trace, gear), Program(trace)
    assert run is not None, trace
    for given in ([each._array for each in inputs], *others):
        mine, theirs = [like(each) for each in given], [like(each) for each in given]
        with np.errstate(all="ignore"):
            made, wanted = run(*mine), program(*theirs)
        assert len(made) == len(wanted)
        for one, other in zip([*made, *mine], [*wanted, *theirs], strict=True):
            if other is None:
                assert one is None
                continue
            assert (one.shape, one.dtype, one.strides) == (other.shape, other.dtype, other.strides)
            if tolerance and one.dtype.kind == "f":
                size = max([largest(each) for each in (other, *mine)])
                np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * size)
            else:
                assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
                assert (
                    one.dtype.kind != "f" or np.array_equal(np.signbit(one), np.signbit(other)) or np.isnan(one).any()
                )
    return run


def largest(array):
    """Returns the largest magnitude of finite elements."""
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def like(array):
    """Returns a copy with the same strides."""
    if array.flags.c_contiguous or not array.size:
        return array.copy("K")
    extent = sum([(size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)]) + array.itemsize
    made = np.ndarray(array.shape, array.dtype, np.zeros(extent, np.uint8), 0, array.strides)
    made[...] = array
    return made


def draw(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


# ---- values


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 16, 17, 20, 33, 64, 65, 100, 257])
def test_every_length_is_computed_whole(count, dtype):
    check(lambda x, y: [x * y + 1, x > y, (x - y).abs()], [draw(count, dtype=dtype), draw(count, dtype=dtype, seed=1)])


def test_special_values_are_those_of_each_step():
    pairs = np.array([[a, b] for a in SPECIAL for b in SPECIAL], np.float32)
    x, y = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    check(lambda x, y: [x + y, x - y, x * y, x / y, -x, x.abs(), x < y, x == y, x != y], [x, y])
    check(lambda x, y: [torch.maximum(x, y), torch.where(x > y, x, y), x.clamp(-1, 1), torch.relu(x)], [x, y])
    check(lambda x: [torch.tanh(x), torch.exp(x), torch.sigmoid(x), torch.sin(x)], [x[:, ...]], tolerance=1e-6)


@pytest.mark.parametrize("shape", [(3,), (4, 5), (7, 3), (2, 3, 4), (1, 6), (6, 1), (40, 33), (0, 3), ()])
@pytest.mark.parametrize("dim", [None, 0, -1])
def test_reductions(shape, dim):
    if not shape and dim is not None:
        dim = None
    x = draw(*shape)
    check(lambda x: [x.sum(dim), x.sum() if dim is None else x.sum(dim, True)], [x], tolerance=1e-6)
    if x.size:
        check(lambda x: [torch.amax(x, dim if dim is not None else ()), x.mean()], [x], tolerance=1e-6)


@pytest.mark.parametrize("dims", [(0, 1), (0, 2), (1, 2), (0, 1, 2), (1,)])
def test_reductions_over_several_dimensions(dims):
    check(lambda x: [x.sum(dims), (x.permute(2, 0, 1) * 1).sum(dims)], [draw(3, 5, 6)], tolerance=1e-6)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 4, 5), (16, 16, 32), (5, 7, 33), (1, 20, 10), (20, 1, 20), (9, 3, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(sizes, dtype):
    rows, inner, columns = sizes
    a, b = draw(rows, inner, dtype=dtype), draw(inner, columns, dtype=dtype)
    tolerance = 1e-6 if dtype == np.float32 else 1e-14
    check(lambda a, b: [a @ b], [a, b], tolerance=tolerance)
    check(lambda a, b: [a.t() @ b.t()], [np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)], tolerance=tolerance)


def test_products_without_elements_are_zero():
    check(lambda a, b: [a @ b], [draw(2, 0), draw(0, 3)])
    check(lambda a, b: [a @ b], [draw(0, 2), draw(2, 3)])


def test_bools_are_stored_and_read():
    check(
        lambda x, y: [(x > 0) & (y > 0), ~(x > 0), torch.where((x > y).t().clone().t(), x, -x)],
        [draw(5, 7), draw(5, 7, seed=1)],
    )


def test_dtypes_meet():
    check(lambda x, y: [x.double() + y, y.float() * x, x + torch.tensor(2.0, dtype=torch.float64)],
          [draw(6), draw(6, dtype=np.float64)])  # fmt: skip


def test_integers_wrap_around():
    most = np.iinfo(np.int64).max
    i, j = np.array([most, 5, -7]), np.array([1, most, 3])
    check(lambda i, j: [i + j, i - j, i * j, i + 1, i * 3 - 2], [i, j])
    check(lambda i, x: [i * x, i.float() / 2, x + i], [np.array([1, 2, 3]), draw(3)])


# ---- layouts


def test_strided_and_expanded_inputs():
    base = draw(6, 8)
    for x in (base[::2, 1::3], base.T, base[:, :1], np.lib.stride_tricks.as_strided(base, (4, 5), (0, 4))):
        check(lambda x: [x * 2, (x + 1).sum(0)], [x], tolerance=1e-6)


def test_views_of_results_are_read_where_they_are():
    def function(x):
        y = x * 2
        return [
            y.t() + 1,
            y[1:, ::2] * 3,
            y.reshape(-1)[3:] - 1,
            y.diagonal() * 2,
            y.unsqueeze(0).expand(3, 4, 5).sum(0),
        ]

    check(function, [draw(4, 5)], tolerance=1e-6)


def test_a_result_may_be_a_view_of_all_that_was_made():
    check(lambda x: [(x * 2).t(), (x + 1).reshape(-1)], [draw(4, 5)])


def test_results_that_share_memory_are_refused():
    x = wrap(draw(4))
    for function in (lambda x: [x[1:]], lambda x: [(y := x * 2), y[1:]], lambda x: [(x * 2)[1:]]):
        assert compile_small(record(function, [x])) is None


def test_joined_and_stacked():
    check(
        lambda x, y: [torch.cat([x, y], 1), torch.stack([x[0], y[0]]), torch.cat([y, x * 2], 1)],
        [draw(2, 3), draw(2, 4)[:, :3]],
    )


# ---- writes


def test_inputs_are_written_to():
    def function(p, g, m):
        m.mul_(0.9).add_(g)
        p.add_(m, alpha=-0.1)
        return [p * 1]

    check(function, [draw(5, 4), draw(5, 4, seed=1), draw(5, 4, seed=2)], tolerance=1e-6)


def test_writes_through_views_come_in_order():
    def function(x, y):
        before = x[1:] * 2
        x[:-1] = x[1:] + y[1:]
        x.t()[0] = 5.0
        z = x.clone()
        z.diagonal().zero_()
        return [before, z, z.sum(0)]

    check(function, [draw(4, 4), draw(4, 4, seed=1)], tolerance=1e-6)


def test_a_constant_that_is_written_to_keeps_its_elements():
    def function(x):
        made = torch.zeros(3)
        made[1] = x.sum()
        return [made]

    run = check(function, [draw(3)], tolerance=1e-6)
    first = run(draw(3))[0].copy()
    run(draw(3, seed=1))
    assert np.array_equal(run(draw(3))[0], first)


# ---- calls


def test_another_number_of_arrays_is_refused():
    run = check(lambda x: [x + 1], [draw(3)])
    with pytest.raises(TypeError):
        run()
    with pytest.raises(TypeError):
        run(draw(3), draw(3))


def test_results_are_new_and_never_change():
    run = check(lambda x: [x * 2, x + 1], [draw(7)])
    inputs = [draw(7, seed=seed) for seed in range(100)]
    results = [run(x) for x in inputs]
    for x, (double, more) in zip(inputs, results, strict=True):
        assert np.array_equal(double, x * 2) and np.array_equal(more, x + 1)
        assert double.flags.owndata and double.flags.writeable


def test_an_input_that_is_returned_is_the_same_object():
    x = wrap(draw(3))
    run = compile_small(record(lambda x: [x, x + 1, None], [x]))
    array = draw(3, seed=2)
    kept, _, nothing = run(array)
    assert kept is array and nothing is None


def test_many_threads_compute_at_once():
    def function(x, w):
        return [torch.tanh(torch.tanh(x @ w) @ w).sum(0), x @ w]

    run = check(function, [draw(16, 24), draw(24, 24)], tolerance=1e-5)
    given = [(draw(16, 24, seed=seed), draw(24, 24, seed=seed)) for seed in range(24)]
    wanted, wrong = [run(*each) for each in given], []

    def work(number):
        for _ in range(300):
            found = run(*given[number])
            if not all(np.array_equal(a, b) for a, b in zip(found, wanted[number], strict=True)):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(24)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_a_program_that_is_called_often_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    x = draw(6, 6)
    trace = record(lambda x: [torch.tanh(x @ x.t()) * 0.123456, x.sum(0)], [wrap(x)])
    run = small.compile_small(trace)
    words, first = run.__self__[0], run(x)
    cold = words[small_call.PROGRAM]
    for _ in range(small.CALLS + 10):
        again = run(x)
    assert words[small_call.PROGRAM] != cold and words[small_call.LEFT] == 0
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one, other)
    assert compile_small(trace).__self__[0][small_call.PROGRAM] == words[small_call.PROGRAM]  # the cache has it


def test_a_program_of_much_work_is_compiled_again_sooner(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    left = {}
    for size in (4, 100):
        x = draw(size, size)
        trace = record(lambda x: [x @ x.t() @ x + 0.7654321], [wrap(x)])
        left[size] = small.compile_small(trace).__self__[0][small_call.LEFT]
    assert small.FEWEST_CALLS <= left[100] < small.CALLS == left[4]


def test_inputs_that_are_not_read_may_be_missing():
    run = check(lambda x, y: [y * 2], [draw(3), draw(3)])
    assert np.array_equal(run(None, draw(3))[0], draw(3) * 2)
    with pytest.raises((AttributeError, TypeError)):
        run(draw(3), None)


def test_calls_leave_no_references():
    run = check(lambda x, y: [x, y * 2, y], [draw(3), draw(40)])
    x, y = draw(3), draw(40)
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(10):
        results = run(x, y)
    counts = sys.getrefcount(results), sys.getrefcount(results[1])
    assert counts == (2, 2)
    assert (sys.getrefcount(x), sys.getrefcount(y)) == (before[0] + 1, before[1] + 1)
    del results
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before


def test_large_tensors_are_refused():
    assert compile_small(record(lambda x: [x + 1], [torch.zeros(200, 200)])) is None
    assert compile_small(record(lambda x: [x.sort()[0]], [torch.zeros(3)])) is None


# ---- classes


def likelihood(reduction):
    def function(x, t):
        y = torch.log_softmax(x, min(x.ndim, 2) - 1)
        loss = torch.nn.functional.nll_loss(y, t, reduction=reduction)
        return [loss, *torch.autograd.grad(loss.sum() * 1.5, [x])]

    return function


@pytest.mark.parametrize("shape", [(16, 4), (3, 7), (5,), (2, 3, 4), (1, 2, 3, 3)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_likelihood_and_its_gradient(shape, reduction):
    targets = np.random.default_rng(1).integers(
        0, shape[min(len(shape), 2) - 1], (*shape[:1], *shape[2:])[: 1 if len(shape) < 3 else None]
    )
    targets = targets[0] if len(shape) == 1 else targets
    check(likelihood(reduction), [wrap(draw(*shape)).requires_grad_(), wrap(np.asarray(targets))], tolerance=1e-6)


def test_a_target_that_is_no_class_raises_its_error():
    targets = np.array([0, 2, 1])
    trace = record(likelihood("mean"), [wrap(draw(3, 3)).requires_grad_(), wrap(targets)])
    run, program = compile_small(trace), Program(trace)
    for wrong in (3, -1, 1 << 40):
        with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds"):
            run(draw(3, 3), np.array([0, wrong, 1]))
    ignored = np.array([0, -100, 1])
    for one, other in zip(run(draw(3, 3), ignored), program(draw(3, 3), ignored), strict=True):
        assert np.array_equal(one, other)


# ---- index tensors


@pytest.mark.parametrize("index", [[1], [0, 2, 1], [[2, 2], [0, 1]]])
def test_choices_by_an_index_and_their_gradients(index):
    def function(x, i):
        y = torch.nn.functional.embedding(i, x)
        return [y, *torch.autograd.grad((y * y).sum(), [x])]

    check(function, [wrap(draw(3, 4)).requires_grad_(), wrap(np.array(index))], tolerance=1e-6)


def test_elements_gathered_and_scattered():
    index = np.array([[1], [0], [2], [1]])

    def function(x, i):
        y = x.gather(1, i)
        best = x.max(1)
        return [y, best.indices, *torch.autograd.grad((y * y).sum() + best.values.sum(), [x])]

    run = check(function, [wrap(draw(4, 3)).requires_grad_(), wrap(index)], tolerance=1e-6)
    with pytest.raises(RuntimeError, match="out of bounds"):
        run(draw(4, 3), index + 1)


@pytest.mark.parametrize(
    "x", [[[1, 3, 3], [2, 1, 0]], [[np.nan, 1, 2], [1, np.nan, np.nan]], [[-0.0, 0.0, -1], [np.inf, 1, np.inf]]]
)
def test_the_first_of_equal_extremes(x):
    check(
        lambda x: [x.argmax(1), x.argmin(0), x.argmax(), x.max(0).indices, x.min(1).values], [np.array(x, np.float32)]
    )


def test_layer_norm_and_its_gradients():
    def function(x, w, b):
        y = torch.nn.functional.layer_norm(x, (5,), w, b)
        return [y, *torch.autograd.grad((y * y * y).sum(), [x, w, b])]

    given = [wrap(draw(*shape)).requires_grad_() for shape in ((4, 5), (5,), (5,))]
    check(function, given, tolerance=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(6, 5), (1, 5, 4), (3, 5, 2), (2, 5, 3, 2)])
def test_batch_norm_its_gradients_and_running_statistics(shape, training, dtype):
    def function(x, w, b, mean, variance):
        y = torch.nn.functional.batch_norm(x, mean, variance, w, b, training, 0.3)
        return [y, *torch.autograd.grad((y * y * y).sum(), [x, w, b])]

    inputs = [wrap(draw(*shape, dtype=dtype)).requires_grad_() for shape in (shape, (5,), (5,))]
    running = [wrap(draw(5, dtype=dtype)), wrap(draw(5, dtype=dtype) ** 2 + 1)]
    check(function, [*inputs, *running], tolerance=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm_without_running_statistics(affine):
    def function(x, *factors):
        y = torch.nn.functional.batch_norm(x, None, None, *factors, training=True)
        return [y, torch.autograd.grad((y * y * y).sum(), x)[0]]

    inputs = [wrap(draw(6, 5)).requires_grad_(), *[wrap(draw(5)) for _ in range(2 * affine)]]
    check(function, inputs, tolerance=1e-5)


# ---- derivatives


def test_a_step_with_backward():
    def function(x, w, b):
        y = torch.tanh(x @ w.t() + b)
        return [y, *torch.autograd.grad((y * y).sum(), [w, b])]

    inputs = [wrap(draw(3, 10)), wrap(draw(20, 10)).requires_grad_(), wrap(draw(20)).requires_grad_()]
    check(function, inputs, tolerance=1e-5)


def test_a_hessian():
    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    check(lambda x: [torch.func.hessian(rosenbrock)(x)], [draw(5)], [[draw(5, seed=1)]], tolerance=1e-5)


# ---- random programs


class Drawer:
    """Draws a random program: each call of `step` makes a tensor from those that there are."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, *inputs):
        self.random = np.random.default_rng(self.seed)
        tensors = list(inputs)
        made = []
        for _ in range(int(self.random.integers(4, 25))):
            result = self.step(tensors)
            tensors.append(result)
            made.append(result)
        return [each * 1 for each in made]

    def pick(self, items):
        return items[int(self.random.integers(len(items)))]

    def step(self, tensors):
        x = self.pick(tensors)
        return self.pick([self.unary, self.binary, self.view, self.reduction, self.product, self.write])(x, tensors)

    def unary(self, x, tensors):
        return self.pick([torch.tanh, torch.sigmoid, torch.relu, torch.sin, torch.neg, torch.clone, abs])(x)

    def binary(self, x, tensors):
        fitting = [each for each in tensors if each.shape == x.shape or each.ndim == 0]
        y = self.pick([*fitting, 0.5, 2])
        choices = [lambda: x + y, lambda: x - y, lambda: y * x, lambda: torch.where(x > y, x, x * 2), lambda: y - x]
        return self.pick(choices)()

    def view(self, x, tensors):
        if not x.ndim:
            return x.expand(int(self.random.integers(1, 5)))
        dim = int(self.random.integers(x.ndim))
        choices = [
            lambda: x.transpose(0, dim),
            lambda: x.unsqueeze(dim),
            lambda: x.select(dim, int(self.random.integers(x.shape[dim]))),
            lambda: x.narrow(dim, x.shape[dim] // 2, x.shape[dim] - x.shape[dim] // 2),
            lambda: x.reshape(-1),
            lambda: torch.cat([x, x], dim),
            lambda: x[..., ::2],
        ]
        return self.pick(choices)() if x.ndim < 4 and x.numel() < 500 else x.select(dim, 0)

    def reduction(self, x, tensors):
        if not x.ndim:
            return x + 1
        dim = int(self.random.integers(x.ndim))
        return self.pick(
            [lambda: x.mean(), lambda: x.mean(dim), lambda: x.amax(dim, True), lambda: torch.softmax(x, dim)]
        )()

    def product(self, x, tensors):
        if x.ndim != 2:
            return x * 0.5
        return torch.tanh(x @ x.t())

    def write(self, x, tensors):
        y = x.clone()
        if y.ndim:
            y.select(0, 0).mul_(2)
            y[..., -1:].add_(y[..., :1])
        return y


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed):
    random = np.random.default_rng(seed)
    dtype = np.float64 if seed % 3 else np.float32
    shapes = [tuple(random.integers(1, 7, int(random.integers(0, 4)))) for _ in range(3)]
    inputs = [draw(*map(int, shape), dtype=dtype, seed=seed) for shape in shapes]
    others = [draw(*map(int, shape), dtype=dtype, seed=seed + 1000) for shape in shapes]
    check(Drawer(seed), inputs, [others], tolerance=1e-12 if seed % 3 else 2e-5)

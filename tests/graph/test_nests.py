"""Nests: random graphs of steps, fused, against the operators one by one."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core import policy
from rushlight.core.tensor import wrap
from rushlight.graph import nest as nest_module
from rushlight.graph import nest_kernel, nest_stages, nests
from rushlight.graph.program import Kernel, Program
from rushlight.graph.recording import record
from rushlight.lower import inner_loop, llvm
from rushlight.nn import functional as F

pytestmark = pytest.mark.skipif(not llvm.host().fit, reason="formulas are not compiled for this host")

UNARY = (
    torch.sigmoid, torch.tanh, torch.exp, torch.relu, F.gelu, torch.neg, torch.abs, lambda x: torch.sqrt(x * x + 1),
    lambda x: x * 0.5 + 2, lambda x: 1 - x, lambda x: x.pow(2), F.silu, torch.erf, lambda x: x.clamp(-1, 1),
    torch.clone, lambda x: (x > 0).to(x.dtype), lambda x: torch.where(x > 0.3, x, 0.1 * x),
)  # fmt: skip
BINARY = (
    torch.add, torch.mul, torch.sub, torch.maximum, lambda a, b: a / (b.abs() + 1), torch.atan2,
    lambda a, b: torch.where(a > b, a, b * 2), lambda a, b: torch.addcmul(a, a, b, value=0.3),
)  # fmt: skip
ROWS = (
    lambda x: torch.softmax(x, -1), lambda x: torch.log_softmax(x, -1), lambda x: x - x.mean(-1, keepdim=True),
    lambda x: x / (x.abs().sum(-1, keepdim=True) + 1), lambda x: F.layer_norm(x, x.shape[-1:]),
)  # fmt: skip
SHAPES = ((64, 96), (9, 700), (700, 9), (3, 40, 50), (6000,), (2, 3, 5, 200), (5, 8192))


@pytest.fixture(scope="module", autouse=True)
def kernels():
    """Loads the kernels of operators, whose digits nests have."""
    policy.notice()
    generator = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        one, other = drawn(generator, (200, 200), dtype), drawn(generator, (200, 200), dtype)
        for function in UNARY:
            function(one)
        for function in BINARY:
            function(one, other)
        for dim in (None, 0, -1):
            one.sum(dim), one.mean(dim)


@pytest.fixture
def of_any_size(monkeypatch):
    """Fuses steps on small arrays too, if operators have kernels for them."""
    for module in (nests, nest_module):
        monkeypatch.setattr(module, "LEAST", policy.FORMULA)


def arrays_of(tensors):
    return [tensor._array for tensor in tensors]


def fused(function, inputs):
    """Returns the program of the steps, and the one with kernels."""
    trace = record(function, inputs)
    return Program(trace), Program(trace, nests.fuse(trace))


def kernels_in(program):
    return [item for item in program.items if isinstance(item, Kernel)]


def assert_agree(function, inputs, tolerance=0.0, least=1):
    """Asserts that both programs give the same results, twice, and that there is a kernel. Returns the kernels."""
    steps, kernels = fused(function, inputs)
    arrays = arrays_of(inputs)
    for _ in range(2):
        wanted = steps(*arrays)
    for _ in range(2):
        made = kernels(*arrays)
        for one, other in zip(made, wanted, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            assert one.size < 2 or one.strides == other.strides
            if tolerance and one.dtype.kind == "f":
                largest = np.abs(other[np.isfinite(other)]).max(initial=0)
                np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * largest)
            else:
                np.testing.assert_array_equal(one, other)
    assert len(kernels_in(kernels)) >= least, kernels.source
    return kernels_in(kernels)


def drawn(generator, shape, dtype=np.float32):
    return wrap(np.asarray(generator.standard_normal(shape)).astype(dtype))


def operands(generator, shape, dtype):
    """Returns operands of a shape, and some that are broadcast to it."""
    found = [drawn(generator, shape, dtype) for _ in range(2)]
    found.append(drawn(generator, shape[-1:], dtype))
    found.append(drawn(generator, (*shape[:-1], 1), dtype))
    found.append(drawn(generator, (), dtype))
    return found


def random_function(seed, steps, rows):
    """Returns a function of some operands: a random graph of which several values are results."""

    def function(*tensors):
        generator = np.random.default_rng(seed)
        shape = tensors[0].shape
        values = list(tensors)
        for _ in range(steps):
            one, other = (values[generator.integers(len(values))] for _ in range(2))
            kind = generator.integers(3 if rows else 2)
            if kind == 0:
                made = UNARY[generator.integers(len(UNARY))](one)
            elif kind == 1:
                made = BINARY[generator.integers(len(BINARY))](one, other)
            else:
                made = one.expand(shape)
                made = ROWS[generator.integers(len(ROWS))](made)
            values.append(torch.tanh(made) if generator.integers(3) == 0 else made)
        full = [value for value in values[len(tensors) :] if value.shape == shape]
        return full[-3:] if full else [torch.tanh(tensors[0]) * tensors[1]]

    return function


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_elementwise_graphs(shape, dtype, of_any_size):
    for seed in range(4):
        generator = np.random.default_rng(seed)
        assert_agree(random_function(seed, 10, rows=False), operands(generator, shape, dtype), least=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_random_graphs_with_rows(shape, of_any_size):
    for seed in range(4):
        generator = np.random.default_rng(seed)
        inputs = operands(generator, shape, np.float32)
        assert_agree(random_function(seed, 8, rows=True), inputs, tolerance=3e-5, least=0)


def with_gradients(function):
    """Returns a function that also returns the gradients of its scalar result."""

    def both(*tensors):
        result = function(*tensors)
        return [result, *torch.autograd.grad(result, [each for each in tensors if each.requires_grad])]

    return both


def leaves(*shapes, dtype=np.float32):
    generator = np.random.default_rng(len(shapes))
    return [drawn(generator, shape, dtype).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_chain_and_its_gradient_are_one_kernel(dtype):
    inputs = leaves((80, 120), (80, 120), dtype=dtype)
    chain = with_gradients(lambda a, b: (torch.sigmoid(a) * torch.tanh(b) + 0.5 * a).sum())
    assert len(assert_agree(chain, inputs)) == 1


def test_gated_sums_and_their_gradients_are_one_kernel():
    inputs = leaves((80, 120), (80, 120))
    gated = with_gradients(lambda a, b: (torch.sigmoid(a) * torch.tanh(b)).sum(-1).sum())
    assert len(assert_agree(gated, inputs)) == 1


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("classes", [40, 130, 9000])
def test_cross_entropy_and_its_gradient_are_one_kernel(reduction, classes, of_any_size):
    target = torch.arange(70) % 7
    loss = with_gradients(lambda x: F.cross_entropy(x, target, reduction=reduction))
    assert len(assert_agree(loss, leaves((70, classes)), 1e-6)) == 1


def test_the_gradient_of_classes_alone():
    target = torch.arange(70) % 7
    generator = np.random.default_rng(6)

    def pulled(scores, g):
        picked = F.nll_loss(scores, target, reduction="none")
        return [torch.autograd.grad(picked, scores, g)[0] * 2]

    inputs = [drawn(generator, (70, 100)).requires_grad_(), drawn(generator, (70,))]
    assert len(assert_agree(pulled, inputs)) == 1


def test_masks_of_masks():
    def function(a, b):
        return [torch.logical_and(a > 0, b > 0), torch.logical_not(torch.logical_xor(a > 1, b > 1))]

    assert len(assert_agree(function, leaves((64, 80), (64, 80)))) == 1


def test_maxima_of_rows():
    x, *_ = inputs = leaves((64, 80))
    x._array[3, 5], x._array[7] = np.nan, -np.inf

    def function(a):
        highest = (a * 2).amax(-1, keepdim=True)
        return [highest, torch.exp(a * 2 - highest), (a * 2 == highest)]

    assert len(assert_agree(function, inputs)) == 1


def test_ignored_targets_count_nothing():
    target = torch.where(torch.arange(70) % 3 == 0, torch.tensor(-100), torch.arange(70) % 7)
    loss = with_gradients(lambda x: F.cross_entropy(x, target))
    assert len(assert_agree(loss, leaves((70, 100)), 1e-6)) == 1


def test_a_target_that_is_no_class_is_refused():
    def loss(x, target):
        return [F.cross_entropy(x, target)]

    generator = np.random.default_rng(0)
    scores, target = drawn(generator, (70, 100)), torch.arange(70)
    _, program = fused(loss, [scores, target])
    assert kernels_in(program)
    with pytest.raises(IndexError, match=r"Target 100 is out of bounds\."):
        program(scores._array, target._array + 31)


@pytest.mark.parametrize("shape", [(50, 200), (7, 9, 130), (300, 40)])
def test_layer_norm_and_its_gradients(shape, of_any_size):
    inputs = leaves(shape, shape[-1:], shape[-1:], shape)
    norm = with_gradients(lambda x, w, b, c: (F.layer_norm(x, shape[-1:], w, b) * c).sum())
    assert len(assert_agree(norm, inputs, 2e-6)) == 1


def test_sums_of_rows_and_columns_have_the_digits_of_the_operators():
    inputs = leaves((300, 200), (200,), (300, 1))
    both = with_gradients(lambda x, row, column: (torch.tanh(x * row) * column).sum())
    kernels = assert_agree(both, inputs, 1e-6)
    assert len(kernels) == 1

    def sums(x, row):
        return [torch.tanh(x * row).sum(-1), torch.sin(x * row).sum(0), torch.exp(x)]

    assert len(assert_agree(sums, inputs[:2])) == 1


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_do_not_depend_on_threads(threads):
    inputs = leaves((600, 400), (400,), (600, 400))
    norm = with_gradients(lambda x, w, c: (F.layer_norm(torch.tanh(x), (400,), w) * c).sum())
    _, program = fused(norm, inputs)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        wanted = program(*arrays_of(inputs))
        torch.set_num_threads(threads)
        made = program(*arrays_of(inputs))
    finally:
        torch.set_num_threads(before)
    for one, other in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_numbers_that_are_not_finite():
    generator = np.random.default_rng(3)
    x, y = drawn(generator, (60, 100)), drawn(generator, (60, 100))
    x._array[::7, ::5], x._array[1::7, ::3], x._array[2::9, 1::4] = np.nan, np.inf, -np.inf
    y._array[3::8] = 0.0

    def elements(a, b):
        return [torch.tanh(a / b) + 1, torch.maximum(a, b) * 0.5, (a > b), torch.exp(a) * b]

    def rows(a):
        return [torch.softmax(a * 2, -1) + 1, torch.log_softmax(a, -1)]

    assert len(assert_agree(elements, [x, y])) == 1
    assert len(assert_agree(rows, [x], 1e-6)) == 1


@pytest.mark.parametrize("layout", ["transposed", "every other", "expanded", "reversed rows of a block"])
def test_operands_in_other_layouts(layout, of_any_size):
    generator = np.random.default_rng(4)
    x, y = drawn(generator, (50, 80)), drawn(generator, (50, 80))
    other = {
        "transposed": lambda: drawn(generator, (80, 50)).t(),
        "every other": lambda: drawn(generator, (50, 160))[:, ::2],
        "expanded": lambda: drawn(generator, (1, 80)).expand(50, 80),
        "reversed rows of a block": lambda: drawn(generator, (60, 100))[5:55, 10:90],
    }[layout]()
    assert_agree(lambda a, b, c: [torch.tanh(a) * b + torch.exp(-c * c), a + c], [x, y, other])


def test_an_array_in_another_layout_than_expected():
    generator = np.random.default_rng(5)
    x, y = drawn(generator, (64, 80)), drawn(generator, (64, 80))
    steps, program = fused(lambda a, b: [torch.tanh(a) * b + 1], [x, y])
    turned = np.asfortranarray(x._array)
    np.testing.assert_array_equal(program(turned, y._array)[0], steps(x._array, y._array)[0])


def test_results_are_new_arrays():
    inputs = leaves((64, 80), (64, 80))
    _, program = fused(lambda a, b: [torch.tanh(a) * b + 1], inputs)
    first = program(*arrays_of(inputs))[0]
    kept = first.copy()
    second = program(*[array * 2 for array in arrays_of(inputs)])[0]
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, kept)


def test_views_of_results():
    def function(a):
        return [(torch.tanh(a) * 2).reshape(8, 8, 80) * torch.exp(a).view(8, 8, 80), torch.tanh(a).t()]

    (kernel,) = assert_agree(function, leaves((64, 80)))
    assert len(kernel.results) == 2  # the exponential is read in the kernel only


def test_a_step_between_that_is_not_fused():
    def function(a):
        return [torch.tanh((torch.exp(a) * 0.1) @ a) * torch.exp(a) + 1]

    assert len(assert_agree(function, leaves((64, 64)), 1e-6)) == 2


def test_a_write_is_not_crossed():
    def function(a):
        b = torch.tanh(a) * 2
        before = torch.exp(b) + 1
        b[:10] = 0.5
        return [before, torch.exp(b) + 1, b]

    assert_agree(function, leaves((64, 80)))


def test_small_and_empty_arrays_are_left_to_the_operators():
    for shape in ((4, 5), (0, 5)):
        assert_agree(lambda a: [torch.tanh(a) * 2 + 1], leaves(shape), least=0)
        _, program = fused(lambda a: [torch.tanh(a) * 2 + 1], leaves(shape))
        assert not kernels_in(program)


def test_large_results_are_stored_past_the_caches():
    inputs = leaves((2100, 2048), (2048,))
    assert len(assert_agree(lambda a, b: [torch.tanh(a) * b + 1, a * 2], inputs)) == 1
    assert len(assert_agree(lambda a, b: [torch.softmax(a * b, -1) * 2], inputs, 1e-6)) == 1


def layers(count):
    """Returns a function of layers alike, whose nests are apart: products are not in nests."""

    def function(x, weight, *biases):
        for bias in biases[:count]:
            x = F.layer_norm(x + F.gelu(x @ weight + bias), x.shape[-1:])
        return x

    return function


def test_layers_alike_share_the_kernel_of_one(monkeypatch, of_any_size):
    write, build = inner_loop.InnerLoop.text, llvm.build

    def made_for(count):
        """Returns the numbers of texts and of modules that a function of layers needs."""
        written, built = [], []
        monkeypatch.setattr(inner_loop.InnerLoop, "text", lambda self: written.append(self) or write(self))
        monkeypatch.setattr(llvm, "build", lambda *args, **passes: built.append(args) or build(*args, **passes))
        monkeypatch.setattr(nest_stages, "WRITTEN", {})
        monkeypatch.setattr(nest_kernel, "LOADED", {})
        generator = np.random.default_rng(0)
        biases = [drawn(generator, (96,)) for _ in range(count)]
        inputs = [drawn(generator, (64, 96)), drawn(generator, (96, 96)), *biases]
        _, program = fused(layers(count), inputs)
        made = len(written), len([args for args in built if "inner_loop0" in args])  # not the row kernels of operators
        assert len(kernels_in(program)) == count
        assert_agree(layers(count), inputs, 1e-5)
        return made

    one = made_for(1)
    assert one[0] > 0
    assert one[1] == 1
    assert made_for(2) == made_for(6) == one


def test_layers_of_other_constants_have_kernels_of_their_own(of_any_size):
    def function(x, weight):
        for factor in (0.5, 0.25, -0.0, 0.0):
            x = (x @ weight).tanh() * factor + torch.sigmoid(x)
        return x

    generator = np.random.default_rng(0)
    assert_agree(function, [drawn(generator, (64, 96)), drawn(generator, (96, 96))], 1e-5)


def test_few_texts_are_kept(monkeypatch, of_any_size):
    monkeypatch.setattr(nest_stages, "MOST_WRITTEN", 2)
    monkeypatch.setattr(nest_stages, "WRITTEN", {})
    x = drawn(np.random.default_rng(0), (64, 96))
    for number in range(4):
        assert_agree(lambda x, number=number: torch.tanh(x * number) + number, [x], 1e-5)
        assert len(nest_stages.WRITTEN) <= 2

"""Graphs of `torch.fx`: the same program has the same nodes, text and code under rushlight and PyTorch."""

import enum
import math
import operator
import typing

import pytest

import rushlight


class Mode(enum.Enum):
    LOW = 1


class Pair(typing.NamedTuple):
    left: object
    right: object


def both(pytorch, make, **options):
    """The graph modules of the program that `make(torch)` returns."""
    return [library.fx.symbolic_trace(make(library), **options) for library in (rushlight, pytorch)]


PROGRAMS = {
    "operators": lambda torch: lambda x, y: ((x + y) * 2 - 1 / x) // 3 % 5 @ y**2,
    "reflected": lambda torch: (
        lambda x: (1 + x, 2 - x, 3 * x, 4 / x, 5 // x, 6 % x, x << 1, 1 >> x, 1 & x, 2 | x, 3 ^ x)
    ),
    "comparisons": lambda torch: lambda x, y: (x < y, x <= 1, x > y, x >= y, x == y, x != 2),
    "signs": lambda torch: lambda x: (-x, +x, ~x, abs(x)),
    "indexing": lambda torch: lambda x, i: (x[0], x[1:, None, ..., ::2], x[i], x[i:], x[:, i + 1]),
    "attributes": lambda torch: lambda x: (x.T, x.shape, x.shape[0], x.dtype, x.grad.data),
    "methods": lambda torch: lambda x: x.view(2, -1).to(torch.float16).sum(dim=0, keepdim=True).add_(1),
    "functions": lambda torch: lambda x: torch.cat([torch.relu(x), torch.exp(x)], 1).mean(),
    "names": lambda torch: lambda input, list, x_1: (input + list, x_1.sum(), input.max(), input.all(), list.float()),
    "numbered names": lambda torch: lambda add_1, x: (add_1 + x + x, x + 1, add_1.add(x)),
    "containers": lambda torch: lambda x: {"a": [x, (x, 1)], "b": (x,), "c": slice(x, None)},
    "members of enumerations": lambda torch: lambda x: (x.to(Mode.LOW), [Mode.LOW, x]),
    "named tuple": lambda torch: lambda x: Pair(x, x + 1),
    "numbers": lambda torch: (
        lambda x: (
            x * math.inf,
            x + math.nan,
            x * 1e-5,
            x * True,
            x + 1j,
            x.to("cpu"),
            x.view("a b"),
        )
    ),
    "devices": lambda torch: lambda x: x.to(torch.device("cpu"), memory_format=torch.channels_last),
    "sizes": lambda torch: lambda x: torch.zeros((x.shape[0], 3)) + torch.arange(x.size(1)),
    "unpacked": lambda torch: lambda x: (lambda rows, columns: x.reshape(columns, rows))(*unpack(x)),
    "constants": lambda torch: lambda x: x + torch.ones(2) - torch.tensor([1.0, 2.0]),
    "unused": lambda torch: lambda x, y: (x + 1, x.sum())[0],
    "call": lambda torch: lambda f, x: f(x, key=1),
    "math": lambda torch: lambda x: math.sqrt(x) + math.floor(x.sum()),
    "linalg": lambda torch: lambda x: torch.linalg.inv(x) + torch.fft.fft(x) + torch.special.expit(x),
    "split": lambda torch: lambda x: torch.einsum("ij,jk->ik", x, x),
    "softmax": lambda torch: lambda x: torch.softmax(x, -1) + torch.nn.functional.log_softmax(x, 1),
    "assertion": lambda torch: lambda x: (torch._assert(x.sum() > 0, "positive"), x)[1],
    "nothing": lambda torch: lambda: None,
    "returned": lambda torch: lambda x: x,
    "twice": lambda torch: lambda x: (x, x),
    "deep": lambda torch: lambda x: x.a.b.c(1).d,
    "tensor first": lambda torch: lambda x: torch.ones(2) * x,
    "functional": lambda torch: lambda x: torch.nn.functional.relu(torch.nn.functional.dropout(x, 0.3), inplace=True),
    "conv": lambda torch: lambda x, w: torch.nn.functional.conv2d(x, w, padding=1) + torch.nn.functional.linear(x, w),
    "power": lambda torch: lambda x: 2**x + pow(x, 2),
    "in place": lambda torch: in_place,
    "divmod": lambda torch: lambda x: (operator.add(x, 1), operator.getitem(x, 0)),
}


def unpack(x):
    rows, columns = x.shape
    return rows, columns


def in_place(x):
    x += 1
    x *= x
    return x


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_become_the_same_graphs(pytorch, assert_same, name):
    assert_same(*both(pytorch, PROGRAMS[name]))


def annotated(torch):
    def program(
        x: torch.Tensor,
        y: typing.Optional[torch.Tensor] = None,  # noqa: UP045
        z: typing.List[int] = None,  # noqa: UP006
        w: dict[str, torch.Tensor] = None,
        v: "int" = 3,
        u: "int | None" = 4,
        t: int | float = 5,
        s: tuple[()] = (),
    ) -> typing.Tuple[torch.Tensor, int]:  # noqa: UP006
        return x + v, 1

    return program


def of_keywords(torch):
    def program(x, *values, scale: float = 2.0, **named) -> int:
        return x * scale + values[0] + named["a"]

    return program


def test_annotations_and_defaults_are_the_same(pytorch, assert_same):
    assert_same(*both(pytorch, annotated))
    assert_same(*both(pytorch, of_keywords))


@pytest.mark.parametrize("known", [{"b": 1}, {"b": None}, {"b": "yes", "c": 2.0}, {"b": True}, (1.0, 2, 3)])
def test_known_arguments_are_asserted_in_the_same_way(pytorch, assert_same, known):
    if isinstance(known, tuple):
        assert_same(*both(pytorch, lambda torch: lambda a, b=2, c=3: a + b * c, concrete_args=known))
    else:
        assert_same(*both(pytorch, lambda torch: lambda a, b=2, c=3: (a, b, c, a + 1), concrete_args=known))


def test_trees_of_arguments_are_the_same(pytorch, assert_same):
    for result in (lambda x, y: x["a"] + x["b"][0] * y, lambda x, y: {"s": x["a"] + y, "t": [x["b"][0]]}):
        known = [{"x": {"a": library.fx.PH, "b": [library.fx.PH]}} for library in (rushlight, pytorch)]
        ours, theirs = (
            library.fx.symbolic_trace(result, concrete_args=each)
            for library, each in zip((rushlight, pytorch), known, strict=True)
        )
        assert_same(ours, theirs)
        assert ours({"a": 1, "b": [2]}, 3) == theirs({"a": 1, "b": [2]}, 3)


def layers(torch):
    nn = torch.nn

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(4)
            self.register_buffer("shift", torch.ones(4))
            self.scale = nn.Parameter(torch.ones(4))
            self.plain = torch.ones(4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.norm(x) * self.scale + self.shift - self.plain
            return nn.functional.gelu(x) + self.scale.sum()

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Inner())
            self.blocks = nn.ModuleList([Inner(), Inner()])
            self.shared = self.first[0]
            self.by_name = nn.ModuleDict({"last layer": nn.Linear(4, 2)})

        def forward(self, x, mask=None):
            x = self.first(x)
            for block in self.blocks:
                x = x + block(x)
            return self.by_name["last layer"](self.shared(x))

    return Outer()


def test_modules_become_the_same_graphs(pytorch, assert_same, in_public_names):
    ours, theirs = both(pytorch, layers)
    assert_same(ours, theirs)
    assert str(ours) == in_public_names(str(theirs))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for one, other in zip(ours.graph.nodes, theirs.graph.nodes, strict=True):
        stack, expected = (node.meta.get("nn_module_stack", {}) for node in (one, other))
        assert [(key, path) for key, (path, _) in stack.items()] == [(key, path) for key, (path, _) in expected.items()]


# Functions of `torch.nn.functional` with the number of their arguments, and what has no proxy.
FUNCTIONAL = {
    "embedding": 2, "layer_norm": 2, "group_norm": 2, "pad": 2, "interpolate": 2, "adaptive_avg_pool2d": 2,
    "adaptive_max_pool2d": 2, "max_pool2d": 2, "max_unpool2d": 3, "lp_pool2d": 3, "fractional_max_pool2d": 2,
    "unfold": 2, "fold": 3, "grid_sample": 2, "local_response_norm": 2, "batch_norm": 3,
    "instance_norm": 1, "cross_entropy": 2, "nll_loss": 2, "mse_loss": 2, "smooth_l1_loss": 2,
    "huber_loss": 2, "kl_div": 2, "binary_cross_entropy": 2, "binary_cross_entropy_with_logits": 2,
    "poisson_nll_loss": 2, "gaussian_nll_loss": 3, "cosine_embedding_loss": 3, "hinge_embedding_loss": 2,
    "margin_ranking_loss": 3, "multi_margin_loss": 2, "multilabel_margin_loss": 2, "multilabel_soft_margin_loss": 2,
    "soft_margin_loss": 2, "triplet_margin_loss": 3, "triplet_margin_with_distance_loss": 3, "ctc_loss": 4,
    "relu": 1, "relu6": 1, "elu": 1, "selu": 1, "celu": 1, "leaky_relu": 1, "rrelu": 1, "glu": 1, "gelu": 1,
    "hardtanh": 1, "hardsigmoid": 1, "hardswish": 1, "silu": 1, "mish": 1, "sigmoid": 1, "tanh": 1, "softmin": 1,
    "softmax": 1, "log_softmax": 1, "gumbel_softmax": 1, "softsign": 1, "tanhshrink": 1, "dropout": 1, "dropout1d": 1,
    "dropout2d": 1, "dropout3d": 1, "alpha_dropout": 1, "feature_alpha_dropout": 1, "normalize": 1, "rms_norm": 2,
    "linear": 2, "conv1d": 2, "conv2d": 2, "avg_pool2d": 2, "bilinear": 3, "prelu": 2, "pixel_shuffle": 2, "one_hot": 1,
    "softplus": 1, "cosine_similarity": 2, "pairwise_distance": 2, "scaled_dot_product_attention": 3,
    "affine_grid": 2,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONAL)
def test_functional_calls_have_the_same_arguments(pytorch, assert_same, name):
    count = FUNCTIONAL[name]

    def make(torch):
        names = ["a", "b", "c", "d"][:count]
        return eval(f"lambda {', '.join(names)}: f({', '.join(names)})", {"f": getattr(torch.nn.functional, name)})

    assert_same(*both(pytorch, make))


REFUSED = {
    "branch": (lambda x: x if x > 0 else -x, "TraceError"),
    "loop": (lambda x: [y for y in x], "TraceError"),
    "star": (lambda x: max(*x), "TraceError"),
    "length": (lambda x: len(x), "RuntimeError"),
    "range": (lambda x: list(range(x.shape[0])), "TypeError"),
    "float": (lambda x: float(x), "TypeError"),
    "item": (lambda x: x.__setitem__(0), None),
    "assign": (lambda x: operator.setitem(x, 0, 1), None),
    "key": (lambda x: {x: 1}, "RuntimeError"),
    "object": (lambda x: x + object(), "NotImplementedError"),
    "set": (lambda x: x.isin({1}), "NotImplementedError"),
    "in": (lambda x: 1 in x, "TraceError"),
    "and": (lambda x: x and 1, "TraceError"),
    "self": (3, "AssertionError"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_in_the_same_words(pytorch, name):
    program, kind = REFUSED[name]
    raised = []
    for library in (rushlight, pytorch):
        try:
            library.fx.symbolic_trace(program)
            raised.append(None)
        except Exception as error:  # compared
            raised.append((type(error).__name__, str(error)))
    assert raised[0] == raised[1]
    assert kind is None or raised[0][0] == kind

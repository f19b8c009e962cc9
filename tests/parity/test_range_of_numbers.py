"""Numbers near the ends of their dtype, next to PyTorch in double precision: no formula may leave the range on its way.

Each operator is called with numbers of several magnitudes, few and many, in rows and in columns. Where PyTorch's own
result in the dtype is right, so is ours, forward and backward. A few of the operators are drawn for every run, all of
them with `-m "nightly or not nightly"`.
"""

import warnings

import numpy as np
import pytest

import rushlight
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, oracle

theirs = pytest.importorskip("torch", reason="compares with PyTorch")
lazy_modules.load_all()

DTYPES = {"float32": (np.float64, 2e-4), "float16": (np.float64, 4e-2)}
ENDS = {"float32": (-37, 37.5), "float16": (-6, 4.6)}  # powers of ten
# How far the magnitudes of a regime reach: parts of the way to the least and to the largest number.
REGIMES = {
    "tiny": (-1, -0.75), "small": (-0.6, -0.45), "moderate": (-0.02, 0.05), "large": (0.45, 0.6), "huge": (0.75, 0.98),
    "mixed": (-1, 0.98), "half mixed": (-0.5, 0.5),
}  # fmt: skip


def numbers(rng, kind, regime, shape):
    low, high = (part * abs(ENDS[kind][part > 0]) for part in REGIMES[regime])
    return (10.0 ** rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape)).astype(kind)


def computed(torch, call, arrays, kind):
    """The results of a call and the gradients of their weighted sum."""
    leaves = [torch.tensor(each).to(getattr(torch, kind)).requires_grad_() for each in arrays]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = call(torch, *leaves)
        results = [
            each for each in (result if isinstance(result, (tuple, list)) else [result]) if each.is_floating_point()
        ]
        wanted = [each for each in results if each.requires_grad]
        derivatives = [None] * len(leaves)
        if wanted:
            derivatives = torch.autograd.grad(
                wanted, leaves, [weights(torch, each) for each in wanted], allow_unused=True
            )
    return [None if each is None else each.detach().double().numpy() for each in (*results, *derivatives)]


def weights(torch, result):
    """Numbers of which no sum is 0 for all, so that rounded gradients are not all that there is."""
    return torch.arange(float(result.numel())).mul(0.7).cos().reshape(tuple(result.shape)).to(result.dtype)


def close(found, exact, kind):
    """Where a result agrees with the exact one as the dtype holds it, or is off by less than the others show."""
    with np.errstate(all="ignore"):
        held = exact.astype(kind).astype(np.float64)
        scale = np.abs(held).max(initial=0.0, where=np.isfinite(held))
        off = np.abs(found - held) <= DTYPES[kind][1] * np.abs(held) + 1e-5 * scale + float(np.finfo(kind).tiny)
    return off | (found == held) | (np.isnan(found) & np.isnan(held))


def check(label, call, arrays, kind):
    try:
        other = computed(theirs, call, arrays, kind)
        exact = computed(theirs, call, [each.astype(np.float64) for each in arrays], "float64")
    except (RuntimeError, NotImplementedError):
        return  # PyTorch refuses the dtype, or the numbers
    result = computed(rushlight, call, arrays, kind)
    for place, (mine, its, held) in enumerate(zip(result, other, exact, strict=True)):
        if mine is None or its is None or held is None:
            continue
        wrong = close(its, held, kind) & ~close(mine, held, kind)
        if wrong.any():
            at = tuple(int(each) for each in np.argwhere(wrong)[0])
            what = f"result or gradient {place} at {at}: {mine[at]:.6g}, PyTorch {its[at]:.6g}, exactly {held[at]:.6g}"
            raise AssertionError(f"{label}: {what}")


# ---- reductions, norms and normalizations, of small and large tensors

FUNCTIONAL = {
    "std": lambda t, x, d: t.std(x, d),
    "std of all": lambda t, x, d: t.std(x),
    "std_mean": lambda t, x, d: t.std_mean(x, d),
    "var": lambda t, x, d: t.var(x, d),
    "var_mean": lambda t, x, d: t.var_mean(x, d)[0],
    "norm": lambda t, x, d: t.linalg.vector_norm(x, 2, d),
    "norm of order 3": lambda t, x, d: t.linalg.vector_norm(x, 3, d),
    "normalize": lambda t, x, d: t.nn.functional.normalize(x, dim=d),
    "logsumexp": lambda t, x, d: t.logsumexp(x, d),
    "softmax": lambda t, x, d: t.softmax(x, d),
    "log_softmax": lambda t, x, d: t.log_softmax(x, d),
    "cumsum": lambda t, x, d: t.cumsum(x, d),
    "mean": lambda t, x, d: t.mean(x, d),
    "cosine_similarity": lambda t, x, d: t.nn.functional.cosine_similarity(x, x.flip(d), dim=d),
    "hypot": lambda t, x, d: t.hypot(x, x.flip(d)),
    "logaddexp": lambda t, x, d: t.logaddexp(x, x.flip(d)),
    "atan2": lambda t, x, d: t.atan2(x, x.flip(d)),
    "log1p": lambda t, x, d: t.log1p(x.abs()),
    "expm1": lambda t, x, d: t.expm1(x),
    "softplus": lambda t, x, d: t.nn.functional.softplus(x),
    "sigmoid": lambda t, x, d: t.sigmoid(x),
    "layer_norm": lambda t, x, d: t.nn.functional.layer_norm(x, x.shape[-1:]),
    "binary_cross_entropy_with_logits": lambda t, x, d: t.nn.functional.binary_cross_entropy_with_logits(
        x, t.full_like(x, 0.25), reduction="none"
    ),
    "cross_entropy": lambda t, x, d: t.nn.functional.cross_entropy(
        x, t.zeros(x.shape[0], dtype=t.int64), reduction="none"
    ),
    "huber_loss": lambda t, x, d: t.nn.functional.huber_loss(x, x.flip(0), reduction="none"),
}
LAYOUTS = {
    "as it is": lambda x: x,
    "turned": lambda x: x.t(),
    "with gaps": lambda x: x[:, ::2],
}
# Small tensors go to NumPy, large ones to kernels.
SHAPES = {"few": (4, 6), "many": (600, 37)}


@pytest.mark.parametrize("name", FUNCTIONAL)
@pytest.mark.parametrize("shape", SHAPES)
def test_functions_near_the_ends_of_the_range(name, shape):
    rng = np.random.default_rng(3)
    for regime in REGIMES:
        array = numbers(rng, "float32", regime, SHAPES[shape])
        for layout, view in LAYOUTS.items():
            for dim in (0, 1):
                label = f"{name} along {dim} of {shape} {regime} numbers, {layout}"
                check(label, lambda t, x, d=dim, v=view: FUNCTIONAL[name](t, v(x), d), [array], "float32")


# ---- every operator, on its samples

# Why an operator is not compared: the numbers are undetermined, chosen among equals, or lost in another way.
UNDETERMINED = {
    "eigenvectors, singular vectors and factors": "eig svd qr lobpcg pca geqrf orgqr ormqr householder lstsq pinv",
    "solutions of equations that have none": "solve inv lu cholesky det logdet ldl tensorinv matrix_power matrix_exp",
    "gradients shared among equals, or at all": "topk kthvalue median as_strided mode sort cummax cummin hist",
    "gates computed by tanh": "lstm gru rnn",
    "sums of products beyond the range": "conv cross matmul mm bilinear einsum addr vander attention prod",
}
LEFT_OUT = [part for names in UNDETERMINED.values() for part in names.split()]
# Cancellation on the way to a result that is nothing beside its terms; PyTorch has other roundings.
CANCELLING = {
    "special_i1e",
    "special_erfcx",
    "special_log_ndtr",
    "renorm",
    "corrcoef",
    "cov",
    "linear_cross_entropy",
    "logcumsumexp",
}
# Digits of gradients that are small differences of large numbers.
CANCELLING |= {"instance_norm", "torch_instance_norm", "native_layer_norm", "native_group_norm", "native_batch_norm"}
CANCELLING |= {"torch_batch_norm", "pdist", "cdist", "rms_norm", "grid_sampler_3d", "grid_sampler_2d"}
CANCELLING |= {"special_i0e", "special_i1e"}  # PyTorch subtracts orders 0 and 1 too
OPERATORS = [
    name for name, op in sorted(OPS.items())
    if op.spaces and name not in CANCELLING and not any(part in name for part in LEFT_OUT)
    and op.samples and oracle.counterpart(op, theirs)
]  # fmt: skip


def some(names, step: int = 6):
    """Some for every run, and all at night."""
    return [name if at % step == 0 else pytest.param(name, marks=pytest.mark.nightly) for at, name in enumerate(names)]


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", some(OPERATORS))
def test_operators_near_the_ends_of_the_range(name, kind):
    op, function = OPS[name], oracle.counterpart(OPS[name], theirs)
    for case in declared.cases(op)[:2]:
        places = [place for place, each in enumerate(case.tensors) if each.requires_grad and not each.is_complex()]
        if not places or len(places) < sum(each.requires_grad for each in case.tensors):
            continue
        rng = np.random.default_rng(case.number)

        def call(torch, *leaves, case=case, places=places):
            given = [each.detach() for each in case.tensors]
            if torch is theirs:
                given = [oracle.to_torch(each, theirs) for each in given]
            kind = leaves[0].dtype
            given = [each.to(kind) if each.is_floating_point() else each for each in given]
            for place, leaf in zip(places, leaves, strict=True):
                given[place] = leaf
            arguments, keywords = case.filled(given)
            if torch is not theirs:
                return op.function(*arguments, **keywords)
            return function(*oracle.to_torch(arguments, theirs), **oracle.to_torch(keywords, theirs))

        for regime in REGIMES:
            arrays = []
            for place in places:
                sample = case.tensors[place].detach().numpy()
                drawn = numbers(rng, kind, regime, sample.shape)
                arrays.append(np.abs(drawn) if sample.size > 1 and (sample > 0).all() else drawn)
            check(f"{case} at {regime} numbers in {kind}", call, arrays, kind)

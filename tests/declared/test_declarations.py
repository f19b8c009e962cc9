"""Every declared operator on each of its samples: derivatives, variants, memory, and PyTorch's results."""

from functools import partial

import pytest

import rushlight
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, oracle

lazy_modules.load_all()

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),  # PyTorch warns once per process
    pytest.mark.filterwarnings("ignore:torch.(cholesky|lu|qr) is deprecated"),  # the same
    pytest.mark.filterwarnings("ignore:`nn.functional.upsample"),  # both warn each time
    pytest.mark.filterwarnings("ignore:torch.chain_matmul is deprecated"),  # both warn
    pytest.mark.filterwarnings("ignore:torch.searchsorted\\(\\)"),  # both warn about other layouts, once per process
    *(pytest.mark.filterwarnings(f"ignore:torch.{name} is deprecated") for name in ("lu_solve", "triangular_solve")),
]


def check_dtype_of_gradients(case):
    """Checks the gradients of float32 leaves, one among float64 ones and all of them: they are float32."""
    leaves = [place for place, x in enumerate(case.tensors) if x.requires_grad and x.dtype is rushlight.float64]
    for chosen in [leaves, *([place] for place in leaves)] if case.op.spaces or case.op.method else []:
        tensors = [tensor.detach() for tensor in case.tensors]
        narrow = {place: tensors[place].float().requires_grad_() for place in chosen}
        try:
            result = case.results([narrow.get(place, x) for place, x in enumerate(tensors)])
        except (RuntimeError, NotImplementedError):
            continue  # dtypes may not be mixed
        reached = [x for x in result if getattr(x, "grad_fn", None)]
        if reached:
            ones = [rushlight.ones_like(x) for x in reached]
            derivatives = rushlight.autograd.grad(reached, list(narrow.values()), ones, allow_unused=True)
            kinds = {derivative.dtype for derivative in derivatives if derivative is not None}
            assert kinds <= {rushlight.float32}, f"gradients of {kinds}"


CHECKS = [
    check_dtype_of_gradients,
    declared.check_first_derivative,
    declared.check_second_derivative,
    declared.check_graph_of_gradients,
    declared.check_method,
    declared.check_inplace,
    declared.check_out,
    declared.check_purity,
    declared.check_sharing,
    declared.check_layout,
    declared.check_saved,
]
ORACLES = [oracle.check_value, oracle.check_gradient, oracle.check_complex_derivatives]
DTYPES = ["float32", "float16", "bfloat16", "int64", "bool", "complex64"]

# Views in all but name: they reuse the memory of an operand without another reference.
TAKE_OVER = {"only_row", "unsafe_split", "unsafe_split_with_sizes", "unsafe_view"}
IN_PLACE = ("abs_", "clamp_", "embedding_renorm_", "float_power_", "zero_")
EXEMPT = {(name, "sharing") for name in TAKE_OVER} | {
    ("as_strided_scatter", "layout"),  # its sizes and strides refer to memory, not to the tensor
    ("unsafe_view", "layout"),  # like view, it needs memory that it can reuse
    # The same, or they depend on the layout.
    *((name, "layout") for name in ("view_as", "view_copy", "view_variadic", "view_as_complex_copy")),
    *((name, "layout") for name in ("as_strided", "as_strided_copy")),
    # Their samples are complex: there is nothing to cast.
    *((name, dtype) for name in ("imag", "istft", "view_as_real", "view_as_real_copy") for dtype in DTYPES),
    # rushlight has no complex32.
    *((name, "float16") for name in ("view_as_complex", "view_as_complex_copy")),
    # The signs of singular vectors and the phases of eigenvectors depend on LAPACK, and PyTorch has another LAPACK:
    # tests/behaviour/test_linalg_factorizations.py compares what is determined.
    *(
        (name, label)
        for name in ("linalg_svd", "svd", "svd_lowrank", "pca_lowrank", "lobpcg")
        for label in ("value", "gradient", "float32", "complex64")
    ),
    # They write in place on every call: on their samples a second call changes nothing.
    *((name, "purity") for name in IN_PLACE),
    # The statistics that they return have no gradient, as in PyTorch.
    *((f"native_{name}_norm", f"{order}_derivative") for name in ("batch", "layer") for order in ("first", "second")),
    *(("_weight_norm_interface", f"{order}_derivative") for order in ("first", "second")),
    # Their samples depend on random numbers, so on the shape: tests/parity/test_distributions.py compares gradients.
    *((name, f"{order}_derivative") for name in ("gamma_drawn", "dirichlet_drawn") for order in ("first", "second")),
    # One half of L is read, and the gradient is that of all of it: tests/behaviour/test_linalg_solving.py masks L.
    *(("cholesky_solve", label) for label in ("first_derivative", "second_derivative", "complex_derivatives")),
    *(("linalg_eigh", label) for label in ("value", "gradient", "float32", "complex64")),
    *(("lobpcg", dtype) for dtype in ("float16", "bfloat16")),  # PyTorch raises KeyError
}

# Known differences, listed in docs/what-differs.md; a row that has been fixed fails here until it is removed.
NOT_A_NUMBER = "PyTorch's exponential of a matrix in half precision is inf or nan"
AGAINST_DIFFERENCES = "PyTorch's gradient is not that of finite differences, as docs/what-differs.md says"
EXPONENTIALS = ("linalg_matrix_exp", "matrix_exp")
KNOWN = {
    **{("as_strided_scatter", label): AGAINST_DIFFERENCES for label in ("gradient", "complex_derivatives")},
    **{(name, dtype): NOT_A_NUMBER for name in EXPONENTIALS for dtype in ("float16", "bfloat16")},
}
KNOWN_GRADIENTS = {
    **{("as_strided_scatter", dtype): AGAINST_DIFFERENCES for dtype in oracle.DIGITS},
    **{(name, dtype): NOT_A_NUMBER for name in EXPONENTIALS for dtype in ("float16", "bfloat16")},
}

WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None]


def by_name(checks):
    return {check.__name__.removeprefix("check_"): check for check in checks}


def of_each(dtypes, check):
    return {dtype: partial(check, name=dtype) for dtype in dtypes}


@pytest.fixture
def holds(failing):
    """Returns a function that asserts that an operator passes all checks but its exemptions and known differences."""

    def holds(name, checks, *more, known=KNOWN):
        made = {label: check for label, check in checks.items() if (name, label) not in EXEMPT}
        result = failing(name, made, *more)
        expected = {label for label in made if (name, label) in known}
        unexpected = [words for label, words in result.items() if label not in expected]
        assert not unexpected, "\n\n".join(unexpected)
        assert expected <= result.keys(), "what is known to differ has been mended"

    return holds


@pytest.fixture
def counterpart(name, pytorch):
    """Returns PyTorch's function, for operators that it has too."""
    if oracle.counterpart(OPS[name], pytorch) is None:
        pytest.skip("PyTorch has no function of this name: it is part of the machinery here")
    return pytorch


every_operator = pytest.mark.parametrize("name", WITH_SAMPLES)


@every_operator
def test_a_declaration_keeps_its_promises(name, holds):
    holds(name, by_name(CHECKS))


@every_operator
def test_results_are_those_of_pytorch(name, holds, counterpart):
    holds(name, by_name(ORACLES), counterpart)


@every_operator
def test_results_in_other_dtypes_are_those_of_pytorch(name, holds, counterpart):
    holds(name, of_each(DTYPES, oracle.check_dtype), counterpart)


@every_operator
def test_gradients_in_other_dtypes_are_those_of_pytorch(name, holds, counterpart):
    holds(name, of_each(oracle.DIGITS, oracle.check_gradient_dtype), counterpart, known=KNOWN_GRADIENTS)


# Derivatives that only raise, as PyTorch's do; and internal operators, tested through their callers.
UNTESTED = {"step", "unique_runs", "unique_with_places", "histogram_in_edges", "histogram_in_ranges"}
WITHIN = {
    "alignment",
    "alignment_gradients",
    "attention",
    "gru_layer",
    "inverse_deviation",
    "lstm_layer",
    "normalized",
    "normalized_gradient",
    "normalized_weight",
    "rnn_layer",
}


def test_every_operator_with_a_derivative_has_samples():
    without = {name for name, op in OPS.items() if op.derivatives and op.samples is None}
    assert without <= UNTESTED | WITHIN


def test_operators_are_in_the_torch_namespace_under_all_their_names():
    names = [name for op in OPS.values() if "torch" in op.spaces for name in op.names_in("torch")]
    assert [name for name in names if not callable(getattr(rushlight, name, None))] == []

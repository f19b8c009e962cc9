"""Every operator of PyTorch's database is exported, as ONNX and as a graph, with our numbers, or refused in words."""

import importlib
import re
import warnings

import numpy as np
import pytest

import rushlight
from rushlight.testing.comparison import assert_close
from rushlight.utils._pytree import tree_flatten

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

# Samples of each operator, spread over the database's.
SAMPLES = [1, pytest.param(4, marks=pytest.mark.nightly)]
TOLERANCE = 1e-4
LEAST = 0.85  # of the operators that ONNX can express
OPSET = 20
INTERNAL = ("_", "jiterator", "torch.", "sparse.")
UNINITIALISED = "empty empty_like empty_permuted empty_strided new_empty new_empty_strided".split()
# What a test cannot call here, with the reason.
LEFT_OUT = {
    **dict.fromkeys(UNINITIALISED, "memory that nothing has written to"),
    **dict.fromkeys(("slice", "native_dropout_backward", "mm"), "no public function, or the database calls another"),
    **dict.fromkeys(("broadcast_shapes",), "takes and returns no tensor"),
    **dict.fromkeys(("to_sparse",), "sparse tensors"),
    **dict.fromkeys(("as_strided.partial_views",), "the sample's memory is not copied"),
    **dict.fromkeys(("bfloat16",), "NumPy gets no bfloat16 from onnxruntime"),
    **dict.fromkeys(("nn.functional.triplet_margin_with_distance_loss",), "the sample has a function of PyTorch's"),
}
# What ONNX has no operator for, and no formula of its operators whose length does not depend on sizes or elements.
# What has one and is refused counts as not yet expressed: random draws, Fourier transforms, inverses and solutions (by
# Cramer's rule, with Det), Chebyshev polynomials (by Cos and Acos), and results whose shape depends on elements.
CANNOT = {
    "no operator makes or takes complex numbers": "complex view_as_complex polar cdouble cfloat chalf linalg.eig "
    "linalg.eigvals",
    "factors of matrices and what follows from them; of factors ONNX has the determinant": "cholesky geqrf lu lu_solve "
    "lu_unpack matrix_exp norm.nuc pinverse qr svd linalg.cholesky linalg.cholesky_ex linalg.cond linalg.eigh "
    "linalg.eigvalsh linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.lu linalg.lu_factor "
    "linalg.lu_factor_ex linalg.lu_solve linalg.matrix_rank linalg.matrix_rank.hermitian linalg.pinv "
    "linalg.pinv.hermitian linalg.qr linalg.svd linalg.svdvals",
    "the gamma function and its relatives: operators of ONNX only approximate them": "lgamma digamma igamma igammac "
    "mvlgamma.mvlgamma_p_1 mvlgamma.mvlgamma_p_3 mvlgamma.mvlgamma_p_5 polygamma.polygamma_n_0 polygamma.polygamma_n_1 "
    "polygamma.polygamma_n_2 polygamma.polygamma_n_3 polygamma.polygamma_n_4 special.zeta "
    "special.polygamma.special_polygamma_n_0",
    "functions of Bessel and Airy: as before": "i0 special.i0e special.i1 special.i1e special.airy_ai "
    "special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0 "
    "special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1 "
    "special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1",
    "the inverse of the error function: as before": "erfinv special.ndtri",
    "as many steps as an element says": "gcd lcm special.hermite_polynomial_h special.hermite_polynomial_he "
    "special.laguerre_polynomial_l special.legendre_polynomial_p",
    "no operator joins the bits of all elements": "hash_tensor",
}  # fmt: skip


def ours(value, pytorch):
    """A value of a sample as rushlight's."""
    if isinstance(value, pytorch.Tensor):
        return rushlight.from_numpy(value.detach().resolve_conj().resolve_neg().numpy().copy())
    for kind in (pytorch.dtype, pytorch.layout, pytorch.memory_format):
        if isinstance(value, kind):
            return getattr(rushlight, str(value).removeprefix("torch."))
    if isinstance(value, pytorch.device):
        return rushlight.device(str(value))
    if isinstance(value, pytorch.Size):
        return rushlight.Size(value)
    if isinstance(value, tuple | list):
        return type(value)([ours(each, pytorch) for each in value])
    if isinstance(value, dict):
        return {name: ours(each, pytorch) for name, each in value.items()}
    return value


class Called(Exception):
    """Stops a call of PyTorch that has been seen."""


def call_of(op, sample, pytorch):
    """The first function that an entry of the database calls, as ours, with its arguments; None if we have none."""

    class Watch(pytorch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise Called(func, args, kwargs or {})

    named = find(op.name)
    own = getattr(op.op, "__module__", None) or "common_methods"
    if named is not None and callable(named) and "common_methods" not in own and not isinstance(op.op, type):
        if getattr(op.op, "__name__", "<lambda>") != "<lambda>":
            return named, (sample.input, *sample.args), sample.kwargs
    try:
        with Watch():
            op(sample.input, *sample.args, **sample.kwargs)
    except Called as seen:
        func, args, kwargs = seen.args
        name = pytorch.overrides.resolve_name(func) or ""
        if name.endswith(".__get__"):
            return (lambda x: getattr(x, name.split(".")[-2])), args, kwargs
        function = find(name.removeprefix("torch."))
        return None if function is None else (function, args, kwargs)
    return None


def find(name):
    """A function by its dotted name."""
    outcomes = rushlight
    for part in name.split("."):
        outcomes = getattr(outcomes, part, None)
    return outcomes


def on_one_thread(model):
    """A session that starts no threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Model(rushlight.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def outcome(call, pytorch):
    """ "expressed", the words of a refusal, or None without a tensor. Fails if the runtime gives other numbers."""
    function, args, kwargs = call
    model = Model(function).eval()
    with rushlight.no_grad():
        results = tree_flatten(model(*ours(args, pytorch), **ours(kwargs, pytorch)))[0]
    expected = [result for result in results if isinstance(result, rushlight.Tensor)]
    if not expected:
        return None
    try:
        program = rushlight.onnx.export(model, ours(args, pytorch), kwargs=ours(kwargs, pytorch), opset_version=OPSET)
    except rushlight.onnx.OnnxExporterError as refused:
        return str(refused)
    onnx.checker.check_model(program.model_proto)
    program.initialize_inference_session(on_one_thread)
    got = program(*ours(args, pytorch), **ours(kwargs, pytorch))
    for one, other in zip(got, expected, strict=True):
        one, other = one.numpy(), other.numpy()
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, TOLERANCE, TOLERANCE)
    return "expressed"


def entries(pytorch, count):
    """The operators of the database, by name, with their samples."""
    methods = importlib.import_module("torch.testing._internal.common_methods_invocations")
    for op in methods.op_db:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        dtype = next((kind for kind in (pytorch.float32, pytorch.int64, pytorch.bool) if kind in op.dtypes), None)
        if op.name.startswith(INTERNAL) or name in LEFT_OUT or dtype is None:
            continue
        pytorch.manual_seed(0)
        samples = list(op.sample_inputs("cpu", dtype))
        positions = {len(samples) * (2 * number + 1) // (2 * count) for number in range(count)}
        yield name, op, [samples[at] for at in sorted(positions) if samples]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", SAMPLES)
def test_every_operator_is_expressed_or_refused_in_words(count, pytorch):
    onnxruntime.set_default_logger_severity(4)
    rejected, expressed, lacking, faults = {}, [], {}, []
    beyond = {name for names in CANNOT.values() for name in names.split()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, op, samples in entries(pytorch, count):
            outcomes = []
            for sample in samples:
                call = call_of(op, sample, pytorch)
                if call is None:
                    continue
                try:
                    outcomes.append(outcome(call, pytorch))
                except Exception as error:  # noqa: BLE001  all of them are reported together
                    faults.append(f"{name}: {type(error).__name__}: {str(error)[:300]}")
            refusals = [words for words in outcomes if words not in ("expressed", None)]
            for words in refusals:
                assert re.search(r"\(\) at .*test_exported_operators.py:\d+ \(`", words), words
            if "expressed" in outcomes:
                expressed.append(name)
            elif refusals and name in beyond:
                rejected[name] = refusals[0]
            elif refusals:
                lacking[name] = refusals[0]
    assert not faults, "\n".join(faults)
    assert rejected.keys() == beyond, "the table has an operator that is expressed, or that is none"
    share = len(expressed) / (len(expressed) + len(lacking))
    print(f"{len(expressed)} expressed, {len(lacking)} not yet, {len(rejected)} that ONNX cannot: {share:.1%}")
    print("not yet:", ", ".join(lacking))
    assert share >= LEAST


def graph_outcome(call, pytorch):
    """Fails unless the exported graph gives the function's results; None if the export is refused."""
    function, args, kwargs = call
    model = Model(function)
    expected = tree_flatten(model(*ours(args, pytorch), **ours(kwargs, pytorch)))[0]
    try:
        program = rushlight.export.export(model, ours(args, pytorch), ours(kwargs, pytorch))
    except (RuntimeError, NotImplementedError) as refused:
        assert "test_exported_operators.py" in str(refused), refused
        return False
    got = tree_flatten(program.module(check_guards=False)(*ours(args, pytorch), **ours(kwargs, pytorch)))[0]
    for one, other in zip(got, expected, strict=True):
        if isinstance(other, rushlight.Tensor):
            assert_close(one, other, equal_nan=True)
        else:
            assert one == other or one != one
    return True


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", SAMPLES)
def test_every_operator_is_a_graph_of_aten(count, pytorch):
    faults, exported, refused = [], 0, []
    with warnings.catch_warnings(), rushlight.no_grad():
        warnings.simplefilter("ignore")
        for name, op, samples in entries(pytorch, count):
            calls = [call for call in (call_of(op, sample, pytorch) for sample in samples) if call is not None]
            try:
                done = [graph_outcome(call, pytorch) for call in calls]
            except Exception as error:  # noqa: BLE001  all of them are reported together
                faults.append(f"{name}: {type(error).__name__}: {str(error)[:300]}")
                continue
            exported += any(done)
            refused += [name] * (not any(done) and bool(done))
    print(f"{exported} exported, refused: {', '.join(refused)}")
    assert not faults, "\n".join(faults)
    assert exported >= LEAST * (exported + len(refused))

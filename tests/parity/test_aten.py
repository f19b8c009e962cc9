"""`torch.ops.aten` next to PyTorch's: the same schemas, and the same results for the samples of the declarations."""

import warnings

import pytest

import rushlight
from rushlight._library import aten, registry
from rushlight._library.parsing import parse_schema
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, oracle
from rushlight.testing.comparison import assert_close

lazy_modules.load_all()
BY_NAME = {name: op for op in OPS.values() if op.spaces or op.method for name in (op.name, *op.aliases)}
# Signs of vectors and phases are LAPACK's choice; tests/behaviour/test_linalg_factorizations.py has what is determined.
# PyTorch's addbmm_ makes its tensor larger, as docs/what-differs.md says.
FREE = {"linalg_eigh", "linalg_svd", "svd", "addbmm_"}
SAMPLED = [name for name in aten.INDEX if name.removesuffix("_") in BY_NAME and name not in FREE]

# Overloads and operators that no sample of a declaration calls: the arguments of a call, by their names.
WRITTEN_OUT = {
    "add.Scalar": lambda t: (t.ones(2), 3),
    "add_.Scalar": lambda t: (t.ones(2), 3),
    "sub.Scalar": lambda t: (t.ones(2), 3, 2),
    "subtract.Scalar": lambda t: (t.ones(2), 3, 2),
    "mul.Scalar": lambda t: (t.ones(2), 3),
    "multiply.Scalar": lambda t: (t.ones(2), 3),
    "div.Tensor": lambda t: (t.ones(2), t.tensor([2.0, 4.0])),
    "div.Scalar": lambda t: (t.ones(2), 3),
    "div.Scalar_mode": lambda t: (t.arange(5.0), 2, {"rounding_mode": "floor"}),
    "divide.Tensor": lambda t: (t.ones(2), t.tensor([2.0, 4.0])),
    "divide.Scalar": lambda t: (t.ones(2), 3),
    "divide.Scalar_mode": lambda t: (t.arange(5.0), 2, {"rounding_mode": "trunc"}),
    "true_divide.Scalar": lambda t: (t.ones(2), 3),
    "floor_divide.Scalar": lambda t: (t.arange(5.0), 2),
    "fmod.Scalar": lambda t: (t.arange(5.0), 2),
    "remainder.Scalar": lambda t: (t.arange(5.0), 2),
    "remainder.Scalar_Tensor": lambda t: (5, t.tensor([2, 3])),
    "argsort.stable": lambda t: (t.tensor([3, 1, 2]), {"stable": True, "dim": 0}),
    "atleast_2d.Sequence": lambda t: ([t.ones(2), t.ones(())],),
    "atleast_3d.Sequence": lambda t: ([t.ones(2), t.ones(())],),
    "bitwise_and.Scalar": lambda t: (t.tensor([5, 6]), 3),
    "bitwise_and.Scalar_Tensor": lambda t: (3, t.tensor([5, 6])),
    "bitwise_or.Scalar": lambda t: (t.tensor([5, 6]), 3),
    "bitwise_or.Scalar_Tensor": lambda t: (3, t.tensor([5, 6])),
    "bitwise_xor.Scalar": lambda t: (t.tensor([5, 6]), 3),
    "bitwise_xor.Scalar_Tensor": lambda t: (3, t.tensor([5, 6])),
    "bitwise_left_shift.Tensor_Scalar": lambda t: (t.tensor([5, 6]), 3),
    "bitwise_left_shift.Scalar_Tensor": lambda t: (3, t.tensor([5, 6])),
    "bitwise_right_shift.Tensor_Scalar": lambda t: (t.tensor([5, 6]), 1),
    "bitwise_right_shift.Scalar_Tensor": lambda t: (300, t.tensor([5, 6])),
    "conv1d.padding": lambda t: (t.ones(1, 1, 5), t.ones(1, 1, 3), None, [1], "same"),
    "conv2d.padding": lambda t: (t.ones(1, 1, 5, 5), t.ones(1, 1, 3, 3), None, [1], "valid"),
    "conv3d.padding": lambda t: (t.ones(1, 1, 5, 5, 5), t.ones(1, 1, 3, 3, 3), None, [1], "same"),
    "conv2d": lambda t: (t.ones(1, 1, 5, 5), t.ones(1, 1, 3, 3), None, [2, 1], [1, 0]),
    "float_power_.Tensor": lambda t: (t.full((2,), 2.0, dtype=t.float64), t.tensor([3.0, 2.0])),
    "gradient.array": lambda t: (t.arange(6.0).reshape(2, 3) ** 2, {"dim": [0, 1]}),
    "histogram.bins_tensor": lambda t: (t.arange(5.0), t.tensor([0.0, 2.0, 5.0])),
    "isin.Scalar_Tensor": lambda t: (3, t.tensor([3, 4])),
    "linalg_matrix_rank.tol_tensor": lambda t: (t.eye(3), t.tensor(0.5)),
    "linalg_pinv": lambda t: (t.eye(2) * 2, 1e-6),
    "linalg_pinv.rcond_tensor": lambda t: (t.eye(2) * 2, t.tensor(1e-6)),
    "linalg_pinv.atol_rtol_tensor": lambda t: (t.eye(2) * 2, {"atol": t.tensor(0.1)}),
    "masked_fill.Tensor": lambda t: (t.ones(2), t.tensor([True, False]), t.tensor(5.0)),
    "nanquantile": lambda t: (t.arange(5.0), t.tensor([0.5])),
    "quantile": lambda t: (t.arange(5.0), t.tensor([0.5])),
    "narrow.Tensor": lambda t: (t.arange(5.0), 0, t.tensor(1), 2),
    "norm.ScalarOpt_dim_dtype": lambda t: (t.ones(2, 2), 2, [0], False, {"dtype": t.float64}),
    "norm.ScalarOpt_dtype": lambda t: (t.ones(2, 2), 2, {"dtype": t.float64}),
    "repeat_interleave.Tensor": lambda t: (t.tensor([1, 2, 0]),),
    "scatter.reduce": lambda t: (t.ones(3), 0, t.tensor([0, 0]), t.tensor([2.0, 3.0]), {"reduce": "add"}),
    "special_zeta.other_scalar": lambda t: (t.tensor([2.0, 3.0]), 2),
    "special_zeta.self_scalar": lambda t: (2, t.tensor([2.0, 3.0])),
    "tensor_split.tensor_indices_or_sections": lambda t: (t.arange(5), t.tensor([1, 3])),
    "where.self": lambda t: (t.tensor([True, False]), t.ones(2), t.zeros(2)),
    "where.ScalarSelf": lambda t: (t.tensor([True, False]), 2.0, t.zeros(2)),
    "where.Scalar": lambda t: (t.tensor([True, False]), 2.0, 3.0),
    "where": lambda t: (t.tensor([True, False]),),
    "complex": lambda t: (t.ones(2), t.zeros(2)),
    "polar": lambda t: (t.ones(2), t.zeros(2)),
    "zeros": lambda t: ([2, 3], {"dtype": t.float64}),
    "ones": lambda t: ([2, 3],),
    "full": lambda t: ([2, 3], 5, {"dtype": t.int64}),
    "eye": lambda t: (3,),
    "eye.m": lambda t: (3, 2),
    "arange": lambda t: (5,),
    "arange.start": lambda t: (1, 5),
    "arange.start_step": lambda t: (1, 9, 3, {"dtype": t.float64}),
    "linspace": lambda t: (0.0, 1.0, 5),
    "logspace": lambda t: (0.0, 1.0, 5),
    "scalar_tensor": lambda t: (3.0,),
    "zeros_like": lambda t: (t.ones(2, 2),),
    "ones_like": lambda t: (t.ones(2, 2), {"dtype": t.int64}),
    "full_like": lambda t: (t.ones(2, 2), 7),
    "new_zeros": lambda t: (t.ones(2, 2), [3]),
    "new_ones": lambda t: (t.ones(2, 2), [3], {"dtype": t.int64}),
    "new_full": lambda t: (t.ones(2, 2), [3], 4),
    "copy_": lambda t: (t.ones(2), t.tensor([3, 4])),
    "detach": lambda t: (t.ones(2),),
    "item": lambda t: (t.tensor(3.5),),
    "dim": lambda t: (t.ones(2, 3),),
    "numel": lambda t: (t.ones(2, 3),),
    "size.int": lambda t: (t.ones(2, 3), 1),
    "stride.int": lambda t: (t.ones(2, 3), 0),
    "storage_offset": lambda t: (t.ones(2, 3)[1],),
    "is_contiguous": lambda t: (t.ones(2, 3).T,),
    "is_complex": lambda t: (t.ones(2, 3),),
    "is_floating_point": lambda t: (t.ones(2, 3),),
    "is_nonzero": lambda t: (t.ones(1),),
    "is_same_size": lambda t: (t.ones(2, 3), t.ones(3, 2)),
    "view": lambda t: (t.ones(2, 3), [3, 2]),
    "expand": lambda t: (t.ones(2, 1), [2, 3]),
    "repeat": lambda t: (t.ones(2), [2, 2]),
    "contiguous": lambda t: (t.arange(6).reshape(2, 3).T,),
    "type_as": lambda t: (t.ones(2), t.ones(1, dtype=t.int64)),
    "fill_diagonal_": lambda t: (t.zeros(3, 3), 2.0),
    "zero_": lambda t: (t.ones(2),),
    "polygamma_": lambda t: (t.ones(2), 1),
    "hann_window": lambda t: (5,),
    "hamming_window": lambda t: (5,),
    "bartlett_window": lambda t: (5,),
    "blackman_window": lambda t: (5,),
    "kaiser_window": lambda t: (5,),
    "__and__.Tensor": lambda t: (t.tensor([5]), t.tensor([3])),
    "__and__.Scalar": lambda t: (t.tensor([5]), 3),
    "__or__.Tensor": lambda t: (t.tensor([5]), t.tensor([3])),
    "__xor__.Scalar": lambda t: (t.tensor([5]), 3),
    "__lshift__.Scalar": lambda t: (t.tensor([5]), 3),
    "__rshift__.Tensor": lambda t: (t.tensor([5]), t.tensor([1])),
    "__iand__.Scalar": lambda t: (t.tensor([5]), 3),
    "__ior__.Tensor": lambda t: (t.tensor([5]), t.tensor([3])),
    "__ixor__.Tensor": lambda t: (t.tensor([5]), t.tensor([3])),
    "__ilshift__.Scalar": lambda t: (t.tensor([5]), 3),
    "__irshift__.Scalar": lambda t: (t.tensor([5]), 1),
    **{f"special_{name}": lambda t: (t.tensor([0.5, 0.25]),) for name in
       "expm1 digamma erf erfc erfinv exp2 i0 log1p round sinc logit".split()},
    "special_polygamma": lambda t: (1, t.tensor([0.5, 0.25])),
    "special_softmax": lambda t: (t.tensor([0.5, 0.25]), 0),
    "special_log_softmax": lambda t: (t.tensor([0.5, 0.25]), 0),
    "special_logsumexp": lambda t: (t.tensor([0.5, 0.25]), [0]),
    "special_xlogy": lambda t: (t.tensor([0.5, 0.25]), t.tensor([0.5, 0.25])),
    "special_xlogy.other_scalar": lambda t: (t.tensor([0.5, 0.25]), 2),
    "rand": lambda t: ([3],),
    "randn": lambda t: ([20],),
    "randint": lambda t: (9, [3]),
    "randint.low": lambda t: (2, 9, [3]),
    "randperm": lambda t: (5,),
    "rand_like": lambda t: (t.ones(3),),
    "randn_like": lambda t: (t.ones(20),),
    "bernoulli": lambda t: (t.full((5,), 0.5),),
    "bernoulli.p": lambda t: (t.ones(5), 0.5),
    "bernoulli_.float": lambda t: (t.ones(5), 0.5),
    "multinomial": lambda t: (t.ones(5), 2),
    "normal.Tensor_float": lambda t: (t.zeros(20), 2.0),
    "normal_": lambda t: (t.zeros(20), 1.0, 2.0),
    "uniform_": lambda t: (t.zeros(5), 1.0, 2.0),
    "exponential_": lambda t: (t.zeros(5), 2.0),
    "geometric_": lambda t: (t.zeros(5), 0.5),
    "cauchy_": lambda t: (t.zeros(5), 1.0),
    "log_normal_": lambda t: (t.zeros(20), 1.0),
    "random_": lambda t: (t.zeros(5),),
    "poisson": lambda t: (t.ones(5),),
    **{f"{name}.Scalar": lambda t: (t.tensor([5, 6]), 3) for name in
       "__ior__ __or__ __ixor__ __rshift__ bitwise_and_ bitwise_or_ bitwise_xor_ floor_divide_ fmod_ remainder_ mul_ "
       "multiply_".split()},
    **{f"{name}.Tensor": lambda t: (t.tensor([5, 6]), t.tensor([3, 1])) for name in
       "__iand__ __ilshift__ __irshift__ __lshift__ __xor__ result_type".split()},
    **{f"{name}.Scalar": lambda t: (t.tensor([5.0, 6.0]), 3) for name in
       "div_ divide_ true_divide_ sub_ subtract_ result_type".split()},
    **{f"{name}.Tensor": lambda t: (t.tensor([5.0, 6.0]), t.tensor([3, 1])) for name in "div_ divide_".split()},
    **{f"{name}.Scalar_mode": lambda t: (t.tensor([5.0, 6.0]), 3, {"rounding_mode": "trunc"}) for name in
       "div_ divide_".split()},
    **{f"bitwise_{side}_shift_.Tensor_Scalar": lambda t: (t.tensor([5, 6]), 1) for side in ("left", "right")},
    **{f"{name}_window.periodic": lambda t: (5, False) for name in "bartlett blackman hamming hann kaiser".split()},
    "hamming_window.periodic_alpha": lambda t: (5, False, 0.5),
    "hamming_window.periodic_alpha_beta": lambda t: (5, False, 0.5, 0.4),
    "kaiser_window.beta": lambda t: (5, False, 8.0),
    "batch_norm": lambda t: (t.arange(6.0).reshape(3, 2), None, None, None, None, True, 0.1, 1e-5, False),
    "instance_norm": lambda t: (t.arange(8.0).reshape(1, 2, 4), None, None, None, None, True, 0.1, 1e-5, False),
    "binomial": lambda t: (t.full((5,), 4.0), t.full((5,), 0.5)),
    "block_diag": lambda t: ([t.ones(1, 2), t.ones(2, 1)],),
    "broadcast_tensors": lambda t: ([t.ones(1, 2), t.ones(2, 1)],),
    "cartesian_prod": lambda t: ([t.arange(2), t.arange(3)],),
    "chain_matmul": lambda t: ([t.ones(1, 2), t.ones(2, 1)],),
    "ctc_loss.Tensor": lambda t: (t.randn(5, 2, 4).log_softmax(2) * 0, t.ones(2, 3, dtype=t.int64), t.tensor([5, 5]),
                                  t.tensor([3, 2])),
    "detach_": lambda t: (t.ones(2),),
    "einsum": lambda t: ("ij,jk->ik", [t.ones(1, 2), t.ones(2, 1)]),
    "embedding_renorm_": lambda t: (t.ones(3, 2), t.tensor([0, 2]), 1.0, 2.0),
    **{name: make for name, make in {
        "gradient.scalararray": lambda t: (t.arange(6.0).reshape(2, 3) ** 2, {"spacing": 2.0, "dim": [0, 1]}),
        "gradient.scalarrayint": lambda t: (t.arange(6.0) ** 2, {"spacing": [2.0]}),
        "gradient.scalarrayarray": lambda t: (t.arange(6.0).reshape(2, 3), {"spacing": [2.0, 3.0], "dim": [0, 1]}),
        "gradient.tensorarrayint": lambda t: (t.arange(4.0) ** 2, {"spacing": [t.tensor([0.0, 1.0, 3.0, 4.0])]}),
        "gradient.tensorarray": lambda t: (t.arange(4.0), {"spacing": [t.tensor([0.0, 1.0, 3.0, 4.0])], "dim": [0]}),
    }.items()},
    **{name: lambda t: (t.ones(2, 3),) for name in
       "is_conj is_inference is_neg is_pinned is_signed mH mT".split()},
    "is_contiguous.memory_format": lambda t: (t.ones(1, 2, 3, 3), t.channels_last),
    **{f"{space}.{kinds}": make for space in ("linspace", "logspace") for kinds, make in {
        "Tensor_Tensor": lambda t: (t.tensor(1.0), t.tensor(2.0), 3),
        "Tensor_Scalar": lambda t: (t.tensor(1.0), 2.0, 3),
        "Scalar_Tensor": lambda t: (1.0, t.tensor(2.0), 3),
    }.items()},
    "masked_fill_.Tensor": lambda t: (t.ones(2), t.tensor([True, False]), t.tensor(5.0)),
    "meshgrid": lambda t: ([t.arange(2), t.arange(3)],),
    "meshgrid.indexing": lambda t: ([t.arange(2), t.arange(3)], {"indexing": "xy"}),
    "normal.float_Tensor": lambda t: (1.0, t.ones(20)),
    "normal.Tensor_Tensor": lambda t: (t.ones(20), t.ones(20)),
    "normal.float_float": lambda t: (1.0, 2.0, [20]),
    "poisson_nll_loss": lambda t: (t.ones(3), t.ones(3), True, False, 1e-8, 1),
    "soft_margin_loss": lambda t: (t.ones(3), t.ones(3)),
    "rand.generator": lambda t: ([3], {"generator": None}),
    "randn.generator": lambda t: ([20], {"generator": None}),
    "randint.generator": lambda t: (5, [3], {"generator": None}),
    "randint.low_generator": lambda t: (2, 5, [3], {"generator": None}),
    "randperm.generator": lambda t: (5, {"generator": None}),
    "rand_like.generator": lambda t: (t.ones(3), {"generator": None}),
    "randn_like.generator": lambda t: (t.ones(20), {"generator": None}),
    "randint_like": lambda t: (t.ones(3), 5),
    "randint_like.low_dtype": lambda t: (t.ones(3), 2, 5),
    "randint_like.generator": lambda t: (t.ones(3), 5, {"generator": None}),
    "randint_like.low_generator_dtype": lambda t: (t.ones(3), 2, 5, {"generator": None}),
    "random_.from": lambda t: (t.ones(3), 2, 5),
    "random_.to": lambda t: (t.ones(3), 5),
    "requires_grad_": lambda t: (t.ones(3),),
    "resize_": lambda t: (t.ones(3), [1, 2]),
    "resize_as_": lambda t: (t.ones(3), t.ones(1, 2)),
    "result_type.Scalar_Tensor": lambda t: (1.0, t.ones(1, dtype=t.int64)),
    "result_type.Scalar_Scalar": lambda t: (1.0, 2),
    "scatter_.reduce": lambda t: (t.ones(3), 0, t.tensor([0, 0]), t.tensor([2.0, 3.0]), {"reduce": "add"}),
    "set_": lambda t: (t.ones(3),),
    "set_.source_Tensor": lambda t: (t.ones(3), t.zeros(2)),
    "set_.source_Tensor_storage_offset": lambda t: (t.ones(3), t.arange(4.0), 1, [2]),
    "special_xlogy.self_scalar": lambda t: (2.0, t.tensor([0.5, 0.25])),
    "to.device": lambda t: (t.ones(2), t.device("cpu"), t.float64),
    "to.dtype": lambda t: (t.ones(2), t.float64, False, True),
    "to.other": lambda t: (t.ones(2), t.ones(1, dtype=t.int64)),
    "to.dtype_layout": lambda t: (t.ones(2), {"dtype": t.float64}),
    "unfold": lambda t: (t.arange(5), 0, 2, 1),
    "view.dtype": lambda t: (t.ones(2), t.int32),
    "fractional_max_pool2d": lambda t: (t.arange(25.0).reshape(1, 5, 5), [2, 2], [2, 2], t.full((1, 1, 2), 0.3)),
    "fractional_max_pool3d": lambda t: (
        t.arange(125.0).reshape(1, 5, 5, 5), [2, 2, 2], [2, 2, 2], t.full((1, 1, 3), 0.3)
    ),
    "slice.Tensor": lambda t: (t.arange(12).reshape(3, 4), 1, 1, 9, 2),
    "index.Tensor": lambda t: (t.arange(12).reshape(3, 4), [None, t.tensor([2, 0])]),
    "_softmax": lambda t: (t.tensor([0.5, 0.25]), 0, False),
    "_log_softmax": lambda t: (t.tensor([0.5, 0.25]), 0, False),
    "_local_scalar_dense": lambda t: (t.tensor(2.5),),
    "_to_copy": lambda t: (t.arange(3), {"dtype": t.float64}),
    "alias": lambda t: (t.arange(3),),
    "_sparse_addmm": lambda t: (t.ones(2, 2), t.eye(2), t.full((2, 2), 3.0), {"beta": 2, "alpha": 3}),
}  # fmt: skip
# The results of these have a shape and undefined values.
EMPTY = {
    "empty.memory_format": lambda t: ([2, 3], {"dtype": t.int64}),
    "empty_like": lambda t: (t.ones(2, 3),),
    "empty_permuted": lambda t: ([2, 3], [1, 0]),
    "empty_strided": lambda t: ([2, 3], [1, 2]),
    "new_empty": lambda t: (t.ones(2, 3), [4]),
    "new_empty_strided": lambda t: (t.ones(2, 3), [2, 2], [1, 2]),
}

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("pytorch")]


def split(arguments):
    return (arguments[:-1], arguments[-1]) if isinstance(arguments[-1], dict) else (arguments, {})


def called(torch, name, arguments, keywords):
    """What an operator gives, by its name with its overload."""
    packet, _, overload = name.partition(".")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(getattr(torch.ops.aten, packet), overload or "default")(*arguments, **keywords)


@pytest.mark.parametrize("name", aten.INDEX)
def test_schemas_are_those_of_pytorch(pytorch, name):
    theirs = {each.overload_name: each for each in pytorch._C._jit_get_schemas_for_operator(f"aten::{name}")}
    for overload, operator in registry.overloads(f"aten::{name}").items():
        # Read again: PyTorch prints some defaults in two forms
        assert str(operator.schema) == str(parse_schema(str(theirs[overload])))


@pytest.mark.parametrize("name", SAMPLED)
def test_results_are_those_of_pytorch(pytorch, name):
    op, in_place = BY_NAME.get(name), False
    if op is None:
        op, in_place = BY_NAME[name.removesuffix("_")], True
    for case in declared.cases(op):
        tensors = [each.detach().clone() if in_place else each.detach() for each in case.tensors]
        args, named = case.filled(tensors)
        theirs, their_names = oracle.to_torch((args, named), pytorch)
        if in_place:
            theirs = (theirs[0].clone(), *theirs[1:]) if hasattr(theirs[0], "clone") else theirs
        try:
            pytorch.manual_seed(0)
            expected = getattr(pytorch.ops.aten, name)(*theirs, **their_names)
        except (RuntimeError, IndexError):
            continue  # the sample has a form that this operator has not
        rushlight.manual_seed(0)
        result = getattr(rushlight.ops.aten, name)(*args, **named)
        expected = [oracle.from_torch(each, pytorch) for each in declared.flat(expected)]
        assert_close(declared.flat(result), expected, equal_nan=True, msg=lambda words, case=case: f"{case}: {words}")


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_calls_written_out_give_what_pytorch_gives(pytorch, name):
    expected = called(pytorch, name, *split(WRITTEN_OUT[name](pytorch)))
    result = called(rushlight, name, *split(WRITTEN_OUT[name](rushlight)))
    expected = [oracle.from_torch(each, pytorch) for each in declared.flat(expected)]
    assert_close(declared.flat(result), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", EMPTY)
def test_what_is_not_filled_has_pytorchs_shape(pytorch, name):
    expected, result = (called(torch, name, *split(EMPTY[name](torch))) for torch in (pytorch, rushlight))
    assert (tuple(result.shape), result.stride(), str(result.dtype)) == (
        tuple(expected.shape),
        expected.stride(),
        str(expected.dtype),
    )


def test_what_is_missing_has_pytorchs_error(pytorch):
    for torch in (pytorch, rushlight):
        with pytest.raises(AttributeError, match="'_OpNamespace' 'aten' object has no attribute 'barbar'"):
            torch.ops.aten.barbar  # noqa: B018
        with pytest.raises(AttributeError, match="The underlying op of 'aten.add' has no overload name 'barbar'"):
            torch.ops.aten.add.barbar  # noqa: B018

"""Every declared operator that PyTorch has in `torch.ops.aten` exists, and gives the result of its function."""

import pytest

import rushlight
from rushlight._library import aten, registry
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared
from rushlight.testing.comparison import assert_close

lazy_modules.load_all()
PUBLIC = {
    name: op
    for op in OPS.values()
    if (op.spaces or op.method) and "_variadic" not in op.name  # forms of methods
    for name in (op.name, *op.aliases)
}

# PyTorch has no operators of these names: they are Python functions there, or exist only here.
NOT_OPERATORS = set(
    """_segment_reduce
    backwards broadcast_shapes contains cross_entropy delitem digamma_derivative fold getitem grouped_mm
    interpolate iterate linear_cross_entropy lobpcg local_response_norm logsigmoid lp_pool1d lp_pool2d lp_pool3d
    lu max_unpool1d norm_of_tensor normalize pca_lowrank setitem sliding_blocks softmin softsign split_of_size
    svd_lowrank tanhshrink torch_batch_norm torch_instance_norm unique unravel_index upsample upsample_bilinear
    upsample_nearest where_of_input windows""".split()
)
# PyTorch's operators of these names have other arguments or results than its functions.
OTHERWISE = set("embedding_bag histogramdd max_unpool2d max_unpool3d stft tensordot unique_consecutive".split())
# Their samples have a form that only the function takes: tensors one by one, an argument that is left out, or, of the
# last four, a dimension by position, which is a flag there. tests/parity/test_aten.py calls the operators.
OTHER_FORMS = set(
    """batch_norm block_diag broadcast_tensors cartesian_prod chain_matmul einsum instance_norm meshgrid unfold
    std std_mean var var_mean""".split()
)


def bound(operators, args, named):
    """Returns the overload that accepts a call, None if none does."""
    for operator in operators:
        try:
            operator.bound(args, named)
        except RuntimeError:
            continue
        return operator
    return None


def calls(name):
    """Yields the samples of a declaration that an overload accepts: overload, arguments and keywords."""
    operators = list(registry.overloads(f"aten::{name}").values())
    for case in declared.cases(PUBLIC[name]):
        args, named = case.filled([tensor.detach() for tensor in case.tensors])
        if (operator := bound(operators, args, named)) is not None:
            yield operator, args, named, case


def test_no_operator_is_missing():
    """If one is missing in `aten.txt`, add the line that PyTorch prints for its schema."""
    assert PUBLIC.keys() - aten.INDEX.keys() == NOT_OPERATORS | OTHERWISE


# `reduction` has another default, and is a number.
COUNTED = [name for name, op in PUBLIC.items() if any(argument.name == "reduction" for argument in op.arguments)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted((PUBLIC.keys() & aten.INDEX.keys()) - set(COUNTED) - OTHER_FORMS))
def test_an_operator_gives_the_result_of_its_function(name):
    actual = 0
    for _, args, named, case in calls(name):
        rushlight.manual_seed(0)
        expected = case.op.function(*args, **named)
        rushlight.manual_seed(0)
        result = getattr(rushlight.ops.aten, name)(*args, **named)
        assert_close(declared.flat(result), declared.flat(expected), equal_nan=True)
        actual += 1
    assert actual or not declared.cases(PUBLIC[name])


def writing(operator):
    """Returns the overload that does the same and writes to `out`, None if there is none."""
    wanted = [argument.spelled() for argument in operator.schema.arguments]
    for overload in registry.overloads(operator.schema.name).values():
        *others, last = overload.schema.arguments
        if last.is_out and [other.spelled() for other in others] == wanted:
            return overload
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted((PUBLIC.keys() & aten.INDEX.keys()) - set(COUNTED)))
def test_an_overload_with_out_writes_to_it(name):
    for operator, args, named, _ in calls(name):
        if (other := writing(operator)) is None:
            continue
        rushlight.manual_seed(0)
        expected = operator.shown(*args, **named)
        out = rushlight.empty_like(expected)
        rushlight.manual_seed(0)
        assert other.shown(*args, **named, out=out) is out
        assert_close(out, expected, rtol=0, atol=0, equal_nan=True)


def test_gradients_are_recorded_as_by_the_function():
    x = rushlight.tensor([1.0, 2.0], requires_grad=True)
    y = rushlight.ops.aten.mul.Tensor(x, x)
    assert y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert isinstance(rushlight.ops.aten.relu_.default(rushlight.ones(2)), Tensor)


def test_an_operator_of_pytorch_accepts_no_other_kernel():
    library = rushlight.library.Library("aten", "IMPL", "CPU")
    with pytest.raises(NotImplementedError, match="The operators of PyTorch cannot be given other kernels: aten::relu"):
        library.impl("relu", lambda x: x)
    library.impl("relu", lambda x: x * 5, "XPU")  # a device without tensors
    assert rushlight.ops.aten.relu(rushlight.ones(1)).item() == 1

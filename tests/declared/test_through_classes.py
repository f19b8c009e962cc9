"""Every operator through the `__torch_dispatch__` of a class that computes it on an inner tensor."""

import pytest

import rushlight as torch
from rushlight.autograd.gradients import grad
from rushlight.declarations.declare import OPS
from rushlight.dispatch.lazy_modules import load_all
from rushlight.testing import declared
from rushlight.testing.comparison import assert_close

load_all()  # lazy modules too
# Operators that read elements to know the shape of a result, or loop over rows in Python: they raise for a wrapper.
READING = frozenset(
    "argwhere as_strided_scatter cov ctc_loss embedding_bag getitem gru index_put istft linalg_lstsq linalg_lu_solve "
    "lstm lu_solve multi_margin_loss multilabel_margin_loss rnn_relu rnn_tanh".split()
)
# Operators whose samples share an object that a call fills for its derivative.
SHARING = frozenset(("native_batch_normalization", "native_group_normalization", "native_layer_normalization"))
NAMES = sorted(name for name, op in OPS.items() if op.samples is not None and name not in READING | SHARING)


class Inside(torch.Tensor):
    """A tensor that computes each operator on the tensor inside."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, inner.stride(), dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        assert type(func) is torch._ops.OpOverload
        return mapped(cls, func(*mapped(None, args), **mapped(None, kwargs or {})))


def mapped(cls, value):
    """Returns a value with its tensors wrapped in a class, or taken out of it."""
    if isinstance(value, torch.Tensor):
        if cls is not None:
            return cls(value)
        return value.inner if isinstance(value, Inside) else value
    if isinstance(value, dict):
        return {name: mapped(cls, each) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[mapped(cls, each) for each in value])
    return type(value)([mapped(cls, each) for each in value]) if type(value) in (list, tuple) else value


def wrapped(tensor):
    return Inside(tensor.detach()).requires_grad_(tensor.requires_grad)


def followed(results):
    return [each for each in results if isinstance(each, torch.Tensor) and each.grad_fn is not None]


def gradients(results, inputs, make):
    """Returns the gradients of the sum of some results, None for those that the operator does not have."""
    ones = [make(torch.ones_like(result.detach())) for result in map(lambda each: mapped(None, each), results)]
    return grad(results, inputs, ones, allow_unused=True)


@pytest.mark.filterwarnings("ignore")  # of deprecated operators
@pytest.mark.parametrize("name", NAMES)
def test_a_class_computes_what_the_operator_computes(name):
    for case in declared.cases(OPS[name]):
        inputs = [wrapped(tensor) for tensor in case.tensors]
        expected, actual = case.results(case.tensors), case.results(inputs)
        for one, other in zip(expected, actual, strict=True):
            assert_close(mapped(None, other), one, msg=str(case), equal_nan=True)
        leaves = [(x, y) for x, y in zip(case.tensors, inputs, strict=True) if x.requires_grad and x.is_leaf]
        if not followed(expected) or not leaves or OPS[name].composite:
            continue
        pairs = zip(
            gradients(followed(expected), [leaf for leaf, _ in leaves], lambda each: each),
            gradients(followed(actual), [leaf for _, leaf in leaves], Inside),
            strict=True,
        )
        for one, other in pairs:
            assert (one is None) is (other is None)
            if one is not None:
                assert_close(mapped(None, other), one, msg=str(case), equal_nan=True)

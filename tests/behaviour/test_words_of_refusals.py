"""What is refused, in whose words: the type of the error and its first line are PyTorch's."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

INDICES = (
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
    "whether out_int32 flag is True, but we got output tensor's dtype {} and out_int32 flag is {}"
)
MEDIAN = "(while checking arguments for median)"
TO = "to() received an invalid combination of arguments - got ({}), but expected one of:"
UNDERIVED = "derivative for aten::{} is not implemented"
NO_ARRAY = "can't assign a numpy.ndarray to a torch.{}Tensor"

refused = [
    ("torch.searchsorted(b, b, out=i.int())", RuntimeError, INDICES.format("Int", "False")),
    ("torch.searchsorted(b, b, out=i, out_int32=True)", RuntimeError, INDICES.format("Long", "True")),
    ("torch.bucketize(b, b, out=b.clone())", RuntimeError, INDICES.format("Float", "False")),
    ("torch.bucketize(b, b, out=i.short(), out_int32=True)", RuntimeError, INDICES.format("Short", "True")),
    (
        "torch.frexp(b, out=(b.double(), i.int()))",
        RuntimeError,
        "torch.frexp() expects mantissa to have dtype float but got double",
    ),
    (
        "torch.frexp(b, out=(b.clone(), i))",
        RuntimeError,
        "torch.frexp() expects exponent to have int dtype but got long int",
    ),
    (
        "torch.mode(b, out=(b.double(), i))",
        RuntimeError,
        "expected scalar type 'Float' but got 'Double' for values output",
    ),
    (
        "torch.mode(b, out=(b.clone(), i.int()))",
        RuntimeError,
        "expected scalar type 'Long' but got 'Int' for indices output",
    ),
    (
        "torch.median(b, 0, out=(b.double(), i))",
        RuntimeError,
        "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type "
        f"torch.DoubleTensor does not equal torch.FloatTensor {MEDIAN}",
    ),
    (
        "torch.nanmedian(b, 0, out=(b.clone(), i.int()))",
        RuntimeError,
        "Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.IntTensor instead " + MEDIAN,
    ),
    (
        "torch.kthvalue(b, 1, out=(b.clone(), i.int()))",
        RuntimeError,
        "output indices must be of scalar type Long",
    ),
    ("b.__setitem__(0, np.ones(1, np.float64))", TypeError, NO_ARRAY.format("Float")),
    ("b.__setitem__(b > 1, np.ones(2))", TypeError, NO_ARRAY.format("Float")),
    ("i.__setitem__(torch.tensor([0]), np.ones(1, np.float32))", TypeError, NO_ARRAY.format("Long")),
    ("module.to(1, 2, 3)", TypeError, TO.format("int, int, int")),
    ("module.to('cpu', torch.float32, 1)", TypeError, TO.format("str, torch.dtype, int")),
    ("module.to(torch.float32, 'x')", TypeError, TO.format("torch.dtype, str")),
    ("module.to(foo=1)", TypeError, TO.format("foo=int, ")),
    ("module.to('cpu', foo=1)", TypeError, TO.format("str, foo=int")),
    ("module.to('cpu', torch.float32, True, False)", RuntimeError, ".to() does not accept copy argument"),
    ("module.to(1, 2, 3, 4, 5)", TypeError, "to() takes from 0 to 4 positional arguments but 5 were given"),
    (
        "torch.pixel_shuffle(torch.ones(1, 4, 2, 2), 2**40)",
        ValueError,
        "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor=1099511627776",
    ),
    (
        "torch.Size([1, np.float16(2)])",
        TypeError,
        "torch.Size() takes an iterable of 'int' (item 1 is 'numpy.float16')",
    ),
    ("torch.Generator().manual_seed(np.int64(1))", TypeError, "an integer is required"),
    (
        "torch.Generator().manual_seed(np.float64(1))",
        RuntimeError,
        "manual_seed expected a long, but got numpy.float64",
    ),
    ("torch.cuda.manual_seed('a')", ValueError, "invalid literal for int() with base 10: 'a'"),
    ("torch.eye(2**40)", RuntimeError, "numel: integer multiplication overflow"),
    ("torch.randperm(2**63)", ValueError, "Overflow when unpacking long long"),
    ("torch.linspace(0, 1, 2**63)", ValueError, "Overflow when unpacking long long"),
    ("torch.logspace(0, 1, 2**64)", ValueError, "Overflow when unpacking long long"),
    ("(5 % p).sum().backward()", RuntimeError, "derivative for aten::remainder is not implemented"),
    ("torch.bincount(i[:2], p).sum().backward()", RuntimeError, "derivative for aten::bincount is not implemented"),
    ("torch.histogram(p, 2).hist.sum().backward()", RuntimeError, "derivative for aten::histogram is not implemented"),
    ("torch.histogram(b, 2, weight=b * p[0]).hist.sum().backward()", RuntimeError, UNDERIVED.format("histogram")),
    ("bag(i, torch.ones(4, 2), torch.tensor([0, -1]), mode='mean')", IndexError, "index out of range in self"),
    ("bag(i, torch.ones(4, 2), torch.tensor([0, -1, 2]), mode='max')", IndexError, "index out of range in self"),
    (
        "bag(i, torch.ones(4, 2), torch.tensor([0, 5]))",
        RuntimeError,
        "offsets[-1] can not be greater than input's length 3 but got offsets[-1] of 5",
    ),
    (
        "bag(b, torch.ones(4, 2), torch.tensor([0]))",
        RuntimeError,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
        "torch.FloatTensor instead (while checking arguments for embedding_bag)",
    ),
    ("torch.remainder(5, p).sum().backward()", RuntimeError, "derivative for aten::remainder is not implemented"),
]


@pytest.mark.parametrize("call, kind, words", refused, ids=[call for call, _, _ in refused])
def test_refusal_has_the_words_of_pytorch(torch, call, kind, words):
    names = {
        "torch": torch, "np": np, "b": torch.tensor([1.0, 2.0, 3.0]), "i": torch.tensor([0, 1, 2]),
        "p": torch.tensor([3.0, 4.0], requires_grad=True), "module": torch.nn.Linear(1, 1),
        "bag": torch.nn.functional.embedding_bag,
    }  # fmt: skip
    with pytest.raises(kind) as error:
        eval(call, names)
    assert str(error.value).split("\n")[0].rstrip() == words.rstrip()


def test_a_seed_of_numpy_seeds_the_default_generator(torch):
    for seed in (np.int64(7), np.uint8(7), np.float64(7)):
        torch.manual_seed(seed)
        assert torch.initial_seed() == 7


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int64"])
def test_a_tensor_of_one_whole_number_is_a_size(torch, name):
    three = torch.tensor(3, dtype=getattr(torch, name))
    assert torch.arange(6).view(three, 2).shape == (3, 2)
    assert torch.linspace(0, 1, three).tolist() == [0, 0.5, 1]
    assert torch.logspace(0, 2, three).tolist() == [1, 10, 100]


@pytest.mark.parametrize("name", ["l1_loss", "hinge_embedding_loss", "mse_loss", "smooth_l1_loss", "gaussian_nll_loss"])
def test_a_loss_of_nothing_is_nan_without_a_warning(torch, name):
    x = torch.ones(0, requires_grad=True)
    more = (x.detach(),) if name == "gaussian_nll_loss" else ()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        loss = getattr(torch.nn.functional, name)(x, x.detach(), *more)
        loss.backward()
    assert loss.isnan() and x.grad.shape == (0,)
    assert not said


def test_a_module_is_converted_to_what_a_tensor_or_a_python_type_is(torch):
    module = torch.nn.Linear(1, 1)
    assert module.to(float).weight.dtype is torch.float64
    assert module.to(tensor=torch.ones(1)).weight.dtype is torch.float32
    assert module.to(torch.ones(1, dtype=torch.float64), True).weight.dtype is torch.float64


def test_what_is_in_beta_is_said_once(torch):
    say = (
        "import warnings; warnings.simplefilter('always')\n"
        f"import {torch.__name__} as torch\n"
        "for _ in range(2): torch.zeros(3).index_reduce_(0, torch.tensor([0, 1]), torch.ones(2), 'prod')"
    )
    told = subprocess.run([sys.executable, "-c", say], capture_output=True, text=True, check=True).stderr
    assert told.count("index_reduce() is in beta and the API may change at any time.") == 1

"""Arguments of kinds that are not taken: TypeError in PyTorch's words, whatever else would have gone wrong."""

import numpy as np
import pytest

WRONG = [
    ("x.view('a')", None),
    ("x.chunk('a')", "chunk(): argument 'chunks' (position 1) must be int, not str"),
    ("torch.chunk(x, 1.5)", "chunk(): argument 'chunks' (position 2) must be int, not float"),
    ("torch.flatten(x, y)", "flatten(): argument 'start_dim' (position 2) must be int, not Tensor"),
    ("torch.flatten(3)", "flatten(): argument 'input' (position 1) must be Tensor, not int"),
    ("x.unsqueeze(True)", "unsqueeze(): argument 'dim' (position 1) must be int, not bool"),
    ("x.unsqueeze(1.0)", "unsqueeze(): argument 'dim' (position 1) must be int, not float"),
    ("x.softmax(True)", "softmax(): argument 'dim' (position 1) must be int, not bool"),
    ("x.squeeze(True)", "squeeze() received an invalid combination of arguments - got (bool), but expected one of:"),
    ("x.squeeze((True,))", "squeeze() received an invalid combination of arguments - got (tuple), but expected "
     "one of:"),
    ("x.sum(True)", "sum() received an invalid combination of arguments - got (bool), but expected one of:"),
    ("x.mean(y)", "mean() received an invalid combination of arguments - got (Tensor), but expected one of:"),
    ("x.std(y)", "std() received an invalid combination of arguments - got (Tensor), but expected one of:"),
    ("x.prod(y, 1)", None),
    ("x.repeat(array)", "repeat(): argument 'repeats' (position 1) must be tuple of ints, not numpy.ndarray"),
    ("x.repeat(y)", "repeat(): argument 'repeats' (position 1) must be tuple of ints, not Tensor"),
    ("x.tile(y)", "tile(): argument 'dims' (position 1) must be tuple of ints, not Tensor"),
    ("x.expand(2.0, 3)", "expand() takes 1 positional argument but 2 were given"),
    ("x.expand((2.0, 3))", None),
    ("x.masked_fill(3, 1.0)", "masked_fill() received an invalid combination of arguments - got (int, float), but "
     "expected one of:"),
    ("torch.take_along_dim(x, 3)", "take_along_dim(): argument 'indices' (position 2) must be Tensor, not int"),
    ("torch.maximum(x, 0)", "maximum(): argument 'other' (position 2) must be Tensor, not int"),
    ("torch.logical_and(x, 2.0)", "logical_and(): argument 'other' (position 2) must be Tensor, not float"),
    ("x.view_as(3)", "view_as(): argument 'other' (position 1) must be Tensor, not int"),
    ("x.diagonal(1.5)", "diagonal(): argument 'offset' (position 1) must be int, not float"),
    ("x.roll('a')", "roll(): argument 'shifts' (position 1) must be tuple of ints, not str"),
    ("torch.cumsum(x, 2**70)", None),
    ("torch.where(x > 0, 'a', x)", "where() received an invalid combination of arguments - got (Tensor, str, Tensor), "
     "but expected one of:"),
    ("x.fill_('a')", "fill_() received an invalid combination of arguments - got (str), but expected one of:"),
    ("torch.abs(torch.float32)", "abs(): argument 'input' (position 1) must be Tensor, not torch.dtype"),
    ("torch.abs(Other())", "abs(): argument 'input' (position 1) must be Tensor, not Other"),
    ("x.argmax('a')", "argmax(): argument 'dim' (position 1) must be int, not str"),
    ("x.reshape('a')", "reshape(): argument 'shape' (position 1) must be tuple of ints, not str"),
    ("x.reshape(3, 'a')", "reshape(): argument 'shape' failed to unpack the object at pos 2 with error \"type must be "
     "tuple of ints,but got str\""),
    ("x.view('a', 3)", "view() received an invalid combination of arguments - got (str, int), but expected one of:"),
    ("torch.prod(x, 'a')", "prod() received an invalid combination of arguments - got (Tensor, str), but expected one "
     "of:"),
    ("torch.einsum('ij,jk->ik', x, 'a')", "expected Tensor as element 1 in argument 1, but got str"),
    ("torch.einsum(None, x)", "einsum(): argument 'equation' (position 1) must be str, not NoneType"),
    ("torch.meshgrid(x[0], 'a', indexing='ij')", "expected Tensor as element 1 in argument 0, but got str"),
    ("torch.zeros('a', 2)", "zeros() takes 1 positional argument but 2 were given"),
    ("torch.zeros(2, 'a')", "zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be "
     "tuple of ints,but got str\""),
    ("torch.zeros(('a', 2))", "zeros(): argument 'size' (position 1) must be tuple of ints, but found element of type "
     "str at pos 0"),
    ("torch.randn('a', 2)", "randn() received an invalid combination of arguments - got (str, int), but expected one "
     "of:"),
    ("torch.randint(0, 'a', (2,))", "randint() received an invalid combination of arguments - got (int, str, tuple), "
     "but expected one of:"),
    ("torch.normal(0.0, None, (2,))", "normal() received an invalid combination of arguments - got (float, NoneType, "
     "tuple), but expected one of:"),
    ("torch.arange(y)", "arange(): argument 'end' (position 1) must be Number, not Tensor"),
    ("torch.arange(0, y, 1)", "arange() received an invalid combination of arguments - got (int, Tensor, int), but "
     "expected one of:"),
    ("torch.linspace(0, [1], 3)", "linspace() received an invalid combination of arguments - got (int, list, int), "
     "but expected one of:"),
    ("torch.full((2,), y)", "full(): argument 'fill_value' (position 2) must be Number, not Tensor"),
    ("torch.eye(y)", "eye(): argument 'n' (position 1) must be int, not Tensor"),
    ("torch.randperm('a')", "randperm(): argument 'n' (position 1) must be int, not str"),
    ("torch.multinomial('a', 2)", "multinomial(): argument 'input' (position 1) must be Tensor, not str"),
    ("torch.bernoulli('a')", "bernoulli(): argument 'input' (position 1) must be Tensor, not str"),
    ("x.uniform_('a', 1)", "uniform_(): argument 'from' (position 1) must be float, not str"),
    ("x.normal_(0, [1])", "normal_(): argument 'std' (position 2) must be float, not list"),
    ("F.cross_entropy('a', y)", "cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not str"),
    ("F.nll_loss(x, 'a')", "nll_loss_nd(): argument 'target' (position 2) must be Tensor, not str"),
    ("F.one_hot('a', 3)", "one_hot(): argument 'input' (position 1) must be Tensor, not str"),
    ("F.pad(x, 'a')", "pad(): argument 'pad' (position 2) must be tuple of ints, not str"),
    ("F.batch_norm(x, 'a', None)", "batch_norm(): argument 'running_mean' (position 4) must be Tensor, not str"),
    ("F.scaled_dot_product_attention(x, x, 'a')", "scaled_dot_product_attention(): argument 'value' (position 3) must "
     "be Tensor, not str"),
    ("x.sum(0, 'x')", "sum(): argument 'keepdim' (position 2) must be bool, not str"),
    ("torch.triu(x, 1.5)", "triu(): argument 'diagonal' (position 2) must be int, not float"),
    ("x.argmax(True)", "argmax(): argument 'dim' (position 1) must be int, not bool"),
    ("torch.arccos('a')", "arccos(): argument 'input' (position 1) must be Tensor, not str"),
    ("torch.special.erf('a')", "special_erf(): argument 'input' (position 1) must be Tensor, not str"),
    ("x.unsqueeze_('a')", "unsqueeze_(): argument 'dim' (position 1) must be int, not str"),
    ("torch.alpha_dropout([1], 0.0, True)", "alpha_dropout(): argument 'input' (position 1) must be Tensor, not list"),
    ("F.avg_pool2d(x[None], [1, 'a'])", "avg_pool2d(): argument 'kernel_size' failed to unpack the object at pos 2 "
     "with error \"type must be tuple of ints,but got str\""),
    ("x.chunk(2**70)", None),
    ("torch.tensor_split(x, 2**70)", None),
    ("torch.baddbmm(x[None], x[None], x.T[None], 1)", None),
    ("x.uniform_(nonsense=1)", None),
    ("torch.nn.Linear('a', 2)", "empty(): argument 'size' failed to unpack the object at pos 2 with error \"type must "
     "be tuple of ints,but got str\""),
]  # fmt: skip


class Other:
    """No tensor."""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("F.tanh('a')", "'str' object has no attribute 'tanh'"),
        ("F.normalize('a')", "'str' object has no attribute 'norm'"),
        ("torch.norm([1])", "'list' object has no attribute 'layout'"),
        ("torch.split([1], 1)", "'list' object has no attribute 'split'"),
        ("F.softmax('a', 1)", "'str' object has no attribute 'softmax'"),
        ("F.log_softmax(None, 1)", "'NoneType' object has no attribute 'log_softmax'"),
        ("F.mse_loss('a', x)", "'str' object has no attribute 'size'"),
        ("torch.nn.BCELoss()(x, 3)", "'int' object has no attribute 'size'"),
    ],
)
def test_what_is_asked_for_a_method_it_has_not(torch, call, words):
    with pytest.raises(AttributeError) as caught:
        eval(call, {"torch": torch, "F": torch.nn.functional, "x": torch.ones(1, 3)})
    assert str(caught.value) == words


@pytest.mark.parametrize(("call", "first_line"), WRONG, ids=[call for call, _ in WRONG])
def test_a_wrong_kind_is_refused(torch, call, first_line):
    names = {"torch": torch, "x": torch.ones(1, 3), "y": torch.ones(2, 3), "array": np.ones(3)}
    names |= {"F": torch.nn.functional, "Other": Other}
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(call, names)
    if first_line is not None:
        assert type(caught.value) is TypeError
        assert str(caught.value).splitlines()[0] == first_line


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("x.view(5)", RuntimeError),
        ("x.chunk(0)", RuntimeError),
        ("x.squeeze(3)", IndexError),
        ("x.expand(2, 4)", RuntimeError),
        ("torch.cat([x, torch.ones(2)])", RuntimeError),
        ("x + torch.ones(2)", RuntimeError),
        ("x.sum(5)", IndexError),
    ],
)
def test_a_right_kind_fails_as_ever(torch, call, kind):
    with pytest.raises(kind):
        eval(call, {"torch": torch, "x": torch.ones(1, 3)})


def test_integers_of_numpy_are_integers(torch):
    two = np.int64(2)
    assert torch.nn.functional.fold(torch.ones(1, 4, 1), two, two).shape == (1, 1, 2, 2)
    assert torch.nn.functional.unfold(torch.ones(1, 1, 3, 3), two).shape == (1, 4, 4)


@pytest.mark.parametrize("two", [np.int64(2), "tensor"], ids=["of NumPy", "a tensor"])
def test_a_setting_of_windows_is_any_whole_number(torch, two):
    two = torch.tensor(2) if two == "tensor" else two
    functional = torch.nn.functional
    assert functional.max_pool1d(torch.ones(1, 4), two).shape == (1, 2)
    assert functional.avg_pool2d(torch.ones(1, 4, 4), two, two).shape == (1, 2, 2)
    assert functional.adaptive_avg_pool1d(torch.ones(1, 4), two).shape == (1, 2)
    assert functional.conv1d(torch.ones(1, 4), torch.ones(1, 1, 1), stride=two, padding=two).shape == (1, 4)


def test_the_type_of_a_number_stands_for_a_dtype(torch):
    x = torch.ones(2, 3)
    assert x.sum(dtype=float).dtype is x.cumsum(0, dtype=float).dtype is torch.float64
    assert x.prod(1, dtype=int).dtype is torch.int64
    assert torch.nn.functional.softmax(x, 1, dtype=float).dtype is torch.float64


def test_bools_are_clamped_on_one_side_only(torch):
    x, y = torch.tensor([True, False]), torch.tensor([False, False])
    assert torch.clamp(x, max=y).tolist() == [False, False]
    with pytest.raises(NotImplementedError, match="clamp_cpu"):
        torch.clamp(x, y, y)
    with pytest.raises(NotImplementedError, match="clamp_min_scalar_cpu"):
        torch.clamp(x, True)


def test_the_product_is_read_again_by_its_derivative(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    product = x.prod()
    with torch.no_grad():
        product.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_zeta_of_a_sum_that_begins_at_infinity(torch):
    result = torch.special.zeta(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([torch.inf] * 3))
    assert result.tolist()[0] == torch.inf
    assert result[1:].isnan().all()


def test_losses_of_the_root_are_not_reduced(torch):
    x, y = torch.tensor([[0.1, 0.2], [0.3, 0.4]]), torch.tensor([[0.5, 0.6], [0.7, 0.8]])
    assert torch.kl_div(x, y).shape == (2, 2)
    assert torch.binary_cross_entropy_with_logits(x, y).shape == (2, 2)
    assert torch.hinge_embedding_loss(x, y).shape == (2, 2)
    assert torch.cosine_embedding_loss(x, y, torch.ones(2)).shape == (2,)
    assert torch.margin_ranking_loss(x, y, torch.ones(2, 2)).shape == (2, 2)
    assert torch.ctc_loss(x[:, None].log_softmax(2), torch.tensor([[1]]), (2,), (1,)).shape == (1,)
    functional = torch.nn.functional
    assert functional.ctc_loss(x[:, None].log_softmax(2), torch.tensor([[1]]), (2,), (1,)).shape == ()


def test_an_object_that_answers_calls_may_fail_as_it_likes(torch):
    class Answers:
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            raise LookupError("no answer")

    for call in (torch.add, torch.allclose, torch.dot):
        with pytest.raises(LookupError, match="no answer"):
            call(torch.ones(2), Answers())


@pytest.mark.parametrize("mode", ["use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist"])
def test_a_way_to_compute_distances_goes_by_a_word(torch, mode):
    points = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    assert torch.cdist(points, points, compute_mode=mode)[0, 1] == 5


def test_a_bool_is_no_dimension_of_a_view(torch):
    x = torch.ones(2, 3)
    for refused in (
        lambda: x.transpose(True, 0),
        lambda: x.transpose(0, False),
        lambda: x.select(0, True),
        lambda: x.select(False, 0),
    ):
        with pytest.raises(TypeError, match="must be int, not bool"):
            refused()


def test_a_fill_value_has_no_history(torch):
    with pytest.raises(TypeError, match=r"'fill_value' \(position 2\) must be Number, not Tensor"):
        torch.full((2,), torch.ones((), requires_grad=True))

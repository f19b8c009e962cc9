"""`nn.utils`: gradients kept small, and parameters as one vector."""

import numpy as np
import pytest


@pytest.fixture
def utils(torch):
    return torch.nn.utils


@pytest.fixture
def parameters(torch):
    made = [torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))]
    made[0].grad, made[1].grad = torch.tensor([3.0, 0.0]), torch.tensor([-4.0])
    return made


def test_the_common_norm_is_clipped(torch, utils, parameters):
    gradient = parameters[0].grad
    assert utils.clip_grad_norm_(parameters, 1.0).item() == 5
    assert parameters[0].grad is gradient and gradient.tolist() == pytest.approx([0.6, 0])
    assert parameters[1].grad.tolist() == pytest.approx([-0.8]) and parameters[2].grad is None


def test_a_small_norm_is_left_alone(utils, parameters):
    assert utils.clip_grad_norm_(iter(parameters), 10).item() == 5
    assert parameters[0].grad.tolist() == [3, 0]


@pytest.mark.parametrize(("kind", "expected"), [(1, 7), (2.0, 5), (float("inf"), 4), (0.0, 2)])
def test_norms(utils, parameters, kind, expected):
    assert utils.get_total_norm([each.grad for each in parameters[:2]], kind).item() == pytest.approx(expected)


def test_one_tensor_and_none(torch, utils, parameters):
    assert utils.clip_grad_norm_(parameters[0], 1.0).item() == 3
    assert utils.clip_grad_norm_([parameters[2]], 1.0).item() == 0
    assert utils.get_total_norm([]).item() == 0


def test_a_norm_that_is_not_finite(torch, utils, parameters):
    parameters[0].grad[0] = float("inf")
    with pytest.raises(RuntimeError, match="The total norm of order 2.0 for gradients from `parameters` is non-finite"):
        utils.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)
    assert utils.clip_grad_norm_(parameters, 1.0).item() == float("inf")


def test_an_empty_generator_is_warned_of(torch, utils):
    with pytest.warns(UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur."):
        utils.clip_grad_norm_((each for each in ()), 1.0)


def test_the_old_name_is_deprecated(utils, parameters):
    with pytest.warns(FutureWarning, match="`torch.nn.utils.clip_grad_norm` is now deprecated in favor of"):
        assert utils.clip_grad_norm(parameters, 1.0).item() == 5


def test_a_given_norm(torch, utils, parameters):
    utils.clip_grads_with_norm_(parameters, 1.0, torch.tensor(10.0))
    assert parameters[0].grad.tolist() == pytest.approx([0.3, 0])


def test_values_are_cut_off(utils, parameters):
    utils.clip_grad_value_(parameters, 3.5)
    assert parameters[0].grad.tolist() == [3, 0] and parameters[1].grad.tolist() == [-3.5]


@pytest.mark.parametrize("size", [700, 70_000, 1 << 20])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("most", [0.5, -1.0, float("inf"), float("nan")])
def test_many_values_are_cut_off(torch, utils, size, dtype, most):
    weight = torch.nn.Parameter(torch.zeros(size, dtype=getattr(torch, dtype)))
    numbers = np.random.default_rng(0).standard_normal(size).astype(dtype)
    numbers[[0, 1, -1]] = np.nan, np.inf, -np.inf
    for _ in range(2):  # the first large one may bring a kernel
        weight.grad = torch.tensor(numbers)
        utils.clip_grad_value_([weight], most)
        expected = np.minimum(np.maximum(numbers, -most), most)
        np.testing.assert_array_equal(weight.grad.numpy(), expected)


def test_parameters_as_one_vector_and_back(torch, utils):
    layer = torch.nn.Linear(2, 1)
    weight = layer.weight
    vector = utils.parameters_to_vector(layer.parameters())
    assert vector.shape == (3,) and vector.requires_grad
    values = torch.tensor([1.0, 2.0, 3.0])
    utils.vector_to_parameters(values, layer.parameters())
    assert layer.weight is weight and weight.tolist() == [[1, 2]] and layer.bias.tolist() == [3]
    values[0] = 9
    assert weight.tolist() == [[9, 2]] and weight.requires_grad
    with pytest.raises(TypeError, match="expected torch.Tensor, but got: int"):
        utils.vector_to_parameters(3, layer.parameters())


def of_every_kind(torch):
    """Parameters whose gradients are small, large, without elements, and in other orders."""
    torch.manual_seed(0)
    made = [torch.nn.Parameter(torch.zeros(shape)) for shape in [(), (3,), (2, 3), (0, 2), (200, 300), (4, 5)]]
    for each in made:
        each.grad = torch.randn(each.shape)
    made[2].grad = torch.randn(3, 2).t()
    made[5].grad = torch.randn(4, 10)[:, ::2]
    return made


@pytest.mark.parametrize("dtypes", [("float32",), ("float64",), ("float32", "float64"), ("float32", "bfloat16")])
@pytest.mark.parametrize("clip", ["norm", "value"])
def test_each_gradient_is_changed_once_whatever_it_is(torch, utils, dtypes, clip):
    parameters = [each for each in of_every_kind(torch)]
    for number, each in enumerate(parameters):
        kind = getattr(torch, dtypes[number % len(dtypes)])
        each.data, each.grad = each.data.to(kind), each.grad.to(kind)
    before = [(each.grad.clone(), each.grad._version) for each in parameters]
    if clip == "norm":
        norm = utils.clip_grad_norm_(parameters, 2.0)
        whole = torch.cat([each.double().reshape(-1) for each, _ in before])
        torch.testing.assert_close(norm.double(), whole.norm(), rtol=1e-2 if "bfloat16" in dtypes else 1e-6, atol=0)
        expected = [each * (2 / (norm + 1e-6)).to(each.dtype) for each, _ in before]
    else:
        utils.clip_grad_value_(parameters, 0.5)
        expected = [each.clamp(-0.5, 0.5) for each, _ in before]
    for parameter, (_, version), values in zip(parameters, before, expected, strict=True):
        torch.testing.assert_close(parameter.grad, values)
        assert parameter.grad._version > version


def test_a_gradient_that_backward_still_needs_is_known_to_have_changed(torch, utils):
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    product = (x * weight.grad).sum()
    utils.clip_grad_norm_([weight], 0.1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_infinities_and_nans_pass_without_a_warning(torch, utils):
    weights = [torch.nn.Parameter(torch.zeros(2)) for _ in range(2)]
    weights[0].grad, weights[1].grad = torch.tensor([float("inf"), 1.0]), torch.tensor([float("nan"), 3e38])
    assert utils.clip_grad_norm_(weights, 1.0).isnan()
    utils.clip_grad_value_(weights, 1.0)
    assert weights[0].grad.isnan().all()

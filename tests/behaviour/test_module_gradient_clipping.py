"""`nn.utils`: gradients kept small, and parameters as one vector."""

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

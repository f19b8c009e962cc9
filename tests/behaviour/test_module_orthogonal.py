"""Weights that stay orthogonal while they are trained."""

import pytest


@pytest.mark.parametrize("orthogonal_map", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_columns_or_rows_are_orthonormal_before_and_after_a_step(torch, shape, orthogonal_map):
    torch.manual_seed(0)
    layer = torch.nn.Linear(shape[1], shape[0], bias=False)
    torch.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=orthogonal_map)

    def is_orthogonal():
        tall = layer.weight if shape[0] >= shape[1] else layer.weight.mT
        return torch.allclose(tall.mT @ tall, torch.eye(min(shape)), atol=1e-5)

    assert is_orthogonal()
    before = layer.weight.detach().clone()
    layer(torch.ones(1, shape[1])).sin().sum().backward()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.sub_(0.1 * parameter.grad)
    assert is_orthogonal() and not torch.allclose(layer.weight, before, atol=1e-4)


def test_an_orthogonal_matrix_can_be_assigned(torch):
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2, bias=False))
    layer.weight = turn
    assert torch.allclose(layer.weight, turn, atol=1e-6)
    fixed = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2), use_trivialization=False)
    with pytest.raises(NotImplementedError, match="^It is not possible to assign to the matrix exponential"):
        fixed.weight = turn


@pytest.mark.parametrize(
    ("name", "orthogonal_map", "message"),
    [("bias", None, "Expected a matrix or batch of matrices. Got a tensor of 1 dimensions."),
     ("weights", None, "has no parameter or buffer with name 'weights'"),
     ("weight", "qr", "orthogonal_map has to be one of")],
)  # fmt: skip
def test_what_has_no_orthogonal_form_is_refused(torch, name, orthogonal_map, message):
    with pytest.raises(ValueError, match=message):
        torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2), name, orthogonal_map)

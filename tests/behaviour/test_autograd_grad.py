"""`autograd.grad`: what it returns, its arguments, and the edges of a graph that represent tensors."""

import re

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


# --- autograd.grad ------------------------------------------------------------------------------------------------


def test_grad_returns_a_tuple_and_leaves_the_grad_field_alone(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    result = torch.autograd.grad(x * w, (x, w))
    assert isinstance(result, tuple)
    assert [part.item() for part in result] == [3.0, 2.0]
    assert x.grad is None and w.grad is None


def test_grad_of_several_outputs_is_their_sum(torch):
    x = leaf(torch, 2.0)
    (total,) = torch.autograd.grad([x * 3, x * x], x)
    assert total.item() == 7.0


def test_grad_with_weights_for_each_output(torch):
    x = leaf(torch, [1.0, 2.0])
    weights = [torch.tensor([1.0, 0.0]), torch.tensor([0.0, 10.0])]
    (total,) = torch.autograd.grad([x * 3, x * x], x, grad_outputs=weights)
    assert total.tolist() == [3.0, 40.0]


def test_grad_with_respect_to_an_intermediate_result(torch):
    x = leaf(torch, 2.0)
    y = x * x
    by_y, by_x = torch.autograd.grad(y * 5, [y, x])
    assert (by_y.item(), by_x.item()) == (5.0, 20.0)


def test_grad_of_an_output_with_respect_to_itself_is_the_gradient_given(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    (result,) = torch.autograd.grad(y, y, torch.tensor([3.0, 4.0]))
    assert result.tolist() == [3.0, 4.0]
    (result,) = torch.autograd.grad(x, x, torch.tensor([5.0, 6.0]))
    assert result.tolist() == [5.0, 6.0]


def test_the_same_input_may_be_named_twice(torch):
    x = leaf(torch, 2.0)
    first, second = torch.autograd.grad(x * x, [x, x])
    assert first.item() == second.item() == 4.0


def test_an_unused_input_is_refused(torch):
    x, elsewhere = leaf(torch, 2.0), leaf(torch, 3.0)
    message = (
        "The differentiated Tensor at index 1 appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior."
    )
    with pytest.raises(RuntimeError, match="^" + re.escape(message)):
        torch.autograd.grad(x * x, [x, elsewhere])


def test_allow_unused_gives_none(torch):
    x, elsewhere = leaf(torch, 2.0), leaf(torch, 3.0)
    used, unused = torch.autograd.grad(x * x, [x, elsewhere], allow_unused=True)
    assert used.item() == 4.0 and unused is None


def test_materialize_grads_gives_zeros_in_the_shape_of_the_input(torch):
    x = leaf(torch, 2.0)
    elsewhere = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    used, unused = torch.autograd.grad(x * x, [x, elsewhere], materialize_grads=True)
    assert used.item() == 4.0
    assert unused.tolist() == [[0.0] * 3] * 2 and unused.dtype == torch.float64


def test_materialize_grads_contradicts_allow_unused_false(torch):
    x = leaf(torch, 2.0)
    with pytest.raises(
        ValueError,
        match="^Expected allow_unused to be True or not passed when materialize_grads=True, "
        "but got: allow_unused=False.",
    ):
        torch.autograd.grad(x * x, x, allow_unused=False, materialize_grads=True)


def test_grad_with_respect_to_a_tensor_that_does_not_require_grad_is_refused(torch):
    x, constant = leaf(torch, 2.0), torch.tensor(3.0)
    with pytest.raises(RuntimeError, match="^One of the differentiated Tensors does not require grad"):
        torch.autograd.grad(x * constant, constant)


def test_grad_of_a_constant_is_refused(torch):
    x, constant = leaf(torch, 2.0), torch.tensor(3.0)
    with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.autograd.grad(constant, x)


def test_only_inputs_false_is_ignored_with_a_warning(torch):
    x = leaf(torch, 2.0)
    with pytest.warns(FutureWarning, match="^only_inputs argument is deprecated and is ignored now"):
        (gradient,) = torch.autograd.grad(x * x, x, only_inputs=False)
    assert gradient.item() == 4.0


def test_a_whole_jacobian_by_batched_gradients(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = x * x.sum()
    (jacobian,) = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)
    assert jacobian.tolist() == [[7.0, 1.0, 1.0], [2.0, 8.0, 2.0], [3.0, 3.0, 9.0]]


def test_batched_gradients_can_be_differentiated_again(torch):
    x = leaf(torch, [1.0, 2.0])
    (jacobian,) = torch.autograd.grad(x**3, x, torch.eye(2), is_grads_batched=True, create_graph=True)
    (second,) = torch.autograd.grad(jacobian.sum(), x)
    assert jacobian.tolist() == [[3.0, 0.0], [0.0, 12.0]]
    assert second.tolist() == [6.0, 12.0]


def test_batched_gradients_of_the_wrong_inner_shape_are_refused(torch):
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(
        RuntimeError,
        match="^If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
        "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding output",
    ):
        torch.autograd.grad([x * x], [x], [torch.ones(2, 3)], is_grads_batched=True)


# --- gradient edges -----------------------------------------------------------------------------------------------


def test_a_gradient_edge_names_the_node_and_the_output(torch):
    x = leaf(torch, [[1.0, 5.0], [7.0, 2.0]])
    values, _ = x.max(dim=1)
    edge = torch.autograd.graph.get_gradient_edge(values)
    assert isinstance(edge, torch.autograd.graph.GradientEdge)
    assert edge.node is values.grad_fn and edge.output_nr == 0
    _, largest = x.sort(dim=1)[0].unbind(1)
    assert torch.autograd.graph.get_gradient_edge(largest).output_nr == 1
    assert edge._fields == ("node", "output_nr", "ownership_token") and edge.ownership_token is None


def test_the_edge_of_a_leaf_is_its_accumulator(torch):
    x = leaf(torch, [1.0, 2.0])
    edge = torch.autograd.graph.get_gradient_edge(x)
    assert edge.node.variable is x
    assert edge.node is (x * 2).grad_fn.next_functions[0][0]


def test_an_edge_is_refused_where_there_is_no_gradient(torch):
    with pytest.raises(
        RuntimeError, match="^It is not possible to get the gradient edge for a Tensor that does not require gradients"
    ):
        torch.autograd.graph.get_gradient_edge(torch.tensor(1.0))


def test_an_edge_as_input_outlives_the_tensor(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * x
    z = (y * 3).sum()
    edge = torch.autograd.graph.get_gradient_edge(y)
    del y
    by_edge, by_x = torch.autograd.grad(z, [edge, x])
    assert by_edge.tolist() == [3.0, 3.0]
    assert by_x.tolist() == [6.0, 12.0]


def test_an_edge_as_output_outlives_the_tensor(torch):
    x = leaf(torch, [1.0, 2.0])
    edge = torch.autograd.graph.get_gradient_edge(x * x)
    (gradient,) = torch.autograd.grad(edge, x, torch.tensor([1.0, 10.0]))
    assert gradient.tolist() == [2.0, 40.0]


def test_an_edge_of_a_scalar_starts_from_one(torch):
    x = leaf(torch, [1.0, 2.0])
    edge = torch.autograd.graph.get_gradient_edge((x * x).sum())
    torch.autograd.backward(edge)
    assert x.grad.tolist() == [2.0, 4.0]


def test_an_edge_of_a_vector_needs_a_gradient(torch):
    x = leaf(torch, [1.0, 2.0])
    edge = torch.autograd.graph.get_gradient_edge(x * x)
    with pytest.raises(RuntimeError, match="^grad can be implicitly created only for scalar outputs"):
        torch.autograd.grad(edge, x)


def test_backward_accumulates_into_the_leaf_an_edge_points_to(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    (x * w).backward(inputs=[torch.autograd.graph.get_gradient_edge(w)])
    assert x.grad is None and w.grad.item() == 2.0


def test_edges_and_tensors_mix(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    square, product = x * x, x * w
    outputs = [torch.autograd.graph.get_gradient_edge(square), product]
    by_x, by_w = torch.autograd.grad(outputs, [x, torch.autograd.graph.get_gradient_edge(w)])
    assert (by_x.item(), by_w.item()) == (7.0, 2.0)

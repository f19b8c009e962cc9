"""Looking into the graph: names of nodes, their edges, what they saved, and what may be written on them."""

import pytest

NAMES = {
    # arithmetic
    "x + w": "AddBackward0",
    "x + 1": "AddBackward0",
    "x - w": "SubBackward0",
    "1 - x": "RsubBackward1",
    "x * w": "MulBackward0",
    "3 * x": "MulBackward0",
    "x / w": "DivBackward0",
    "2 / x": "MulBackward0",
    "x ** 2": "PowBackward0",
    "x ** w": "PowBackward1",
    "2 ** x": "PowBackward2",
    "x.square()": "PowBackward0",
    "-x": "NegBackward0",
    "x % 2": "RemainderBackward0",
    "torch.maximum(x, w)": "MaximumBackward0",
    "torch.max(x, w)": "MaximumBackward0",
    "torch.where(x > 1, x, w)": "WhereBackward0",
    "x.clamp(0, 1)": "ClampBackward1",
    # pointwise
    "x.exp()": "ExpBackward0",
    "x.log()": "LogBackward0",
    "x.log1p()": "Log1PBackward0",
    "x.sqrt()": "SqrtBackward0",
    "x.rsqrt()": "RsqrtBackward0",
    "x.reciprocal()": "ReciprocalBackward0",
    "x.abs()": "AbsBackward0",
    "x.sin()": "SinBackward0",
    "x.cos()": "CosBackward0",
    "x.tanh()": "TanhBackward0",
    "x.sigmoid()": "SigmoidBackward0",
    "x.relu()": "ReluBackward0",
    "F.gelu(x)": "GeluBackward0",
    "F.silu(x)": "SiluBackward0",
    "F.softplus(x)": "SoftplusBackward0",
    "F.elu(x)": "EluBackward0",
    "F.leaky_relu(x)": "LeakyReluBackward0",
    "F.hardtanh(x)": "HardtanhBackward0",
    # products
    "x @ w": "MmBackward0",
    "x @ v": "MvBackward0",
    "v @ v": "DotBackward0",
    "torch.bmm(x[None], w[None])": "BmmBackward0",
    "torch.addmm(v, x, w)": "AddmmBackward0",
    "F.linear(x, w)": "MmBackward0",
    "F.linear(x, w, v)": "AddmmBackward0",
    # reductions
    "x.sum()": "SumBackward0",
    "x.sum(0)": "SumBackward1",
    "x.mean()": "MeanBackward0",
    "x.mean(1)": "MeanBackward1",
    "x.prod()": "ProdBackward0",
    "x.prod(0)": "ProdBackward1",
    "x.max()": "MaxBackward1",
    "x.max(0).values": "MaxBackward0",
    "x.min(1).values": "MinBackward0",
    "x.amax(0)": "AmaxBackward0",
    "x.var()": "VarBackward0",
    "x.std(1)": "StdBackward0",
    "x.logsumexp(0)": "LogsumexpBackward0",
    "x.cumsum(0)": "CumsumBackward0",
    # shapes and views
    "x.view(4)": "ViewBackward0",
    "x.reshape(4)": "ViewBackward0",
    "x.flatten()": "ViewBackward0",
    "x.t()": "TBackward0",
    "x.T": "PermuteBackward0",
    "x.mT": "TransposeBackward0",
    "x.transpose(0, 1)": "TransposeBackward0",
    "x.permute(1, 0)": "PermuteBackward0",
    "x.unsqueeze(0)": "UnsqueezeBackward0",
    "x[None].squeeze()": "SqueezeBackward0",
    "x[None].squeeze(0)": "SqueezeBackward1",
    "x.expand(3, 2, 2)": "ExpandBackward0",
    "x.repeat(2, 1)": "RepeatBackward0",
    "x.unbind()[0]": "UnbindBackward0",
    "x.split(1)[0]": "SplitBackward0",
    "x.chunk(2)[1]": "SplitBackward0",
    "x.diagonal()": "DiagonalBackward0",
    "x.flip(0)": "FlipBackward0",
    "x.tril()": "TrilBackward0",
    "torch.cat([x, w])": "CatBackward0",
    "torch.stack([x, w])": "StackBackward0",
    # indexing
    "x[0]": "SelectBackward0",
    "x[0:1]": "SliceBackward0",
    "x[..., None]": "UnsqueezeBackward0",
    "x[i]": "IndexBackward0",
    "x[x > 1]": "IndexBackward0",
    "x.index_select(0, i)": "IndexSelectBackward0",
    "x.gather(0, i[None])": "GatherBackward0",
    "x.scatter(0, i[None], w)": "ScatterBackward0",
    "x.scatter(0, i[None], 1.0)": "ScatterBackward1",
    "x.scatter_add(0, i[None], w)": "ScatterAddBackward0",
    "x.index_add(0, i, w)": "IndexAddBackward0",
    "x.masked_fill(x > 1, 0)": "MaskedFillBackward0",
    "x.masked_select(x > 1)": "MaskedSelectBackward0",
    "x.sort().values": "SortBackward0",
    "x.topk(1).values": "TopkBackward0",
    # copies
    "x.clone()": "CloneBackward0",
    "x.t().contiguous()": "CloneBackward0",
    "x.double()": "ToCopyBackward0",
    "x.to(torch.float16)": "ToCopyBackward0",
    "x.to('meta')": "ToCopyBackward0",
    # layers and losses
    "F.softmax(x, 1)": "SoftmaxBackward0",
    "F.log_softmax(x, 1)": "LogSoftmaxBackward0",
    "F.dropout(x, 0.5)": "MulBackward0",
    "F.mse_loss(x, w)": "MseLossBackward0",
    "F.l1_loss(x, w)": "MeanBackward0",
    "F.smooth_l1_loss(x, w)": "SmoothL1LossBackward0",
    "F.cross_entropy(x, i)": "NllLossBackward0",
    "F.binary_cross_entropy(x.sigmoid(), w.detach().sigmoid())": "BinaryCrossEntropyBackward0",
    "F.binary_cross_entropy_with_logits(x, w.detach())": "BinaryCrossEntropyWithLogitsBackward0",
    "F.embedding(i, x)": "EmbeddingBackward0",
    "F.layer_norm(x, (2,))": "NativeLayerNormBackward0",
    "F.batch_norm(x, None, None, training=True)": "NativeBatchNormBackward0",
    "F.conv2d(x[None, None], w[None, None])": "ConvolutionBackward0",
    "F.max_pool2d(x[None, None], 2)": "MaxPool2DWithIndicesBackward0",
    "F.avg_pool2d(x[None, None], 2)": "AvgPool2DBackward0",
    # in place
    "x.clone().add_(1)": "AddBackward0",
    "x.clone().mul_(w)": "MulBackward0",
    "x.clone().zero_()": "ZeroBackward0",
    "x.clone().copy_(w)": "torch::autograd::CopyBackwards",
    "x.clone().t_()": "TBackward1",
    "x.clone().unsqueeze_(0)": "UnsqueezeBackward1",
    "assign(x.clone(), 0, 1.0)": "torch::autograd::CopySlices",
    "assign(x.clone(), i, 1.0)": "IndexPutBackward0",
}

WITHOUT_NODE = ["x.argmax(0)", "x > w", "x.detach()", "x.isnan()", "torch.ones_like(x)"]


def assign(tensor, index, value):
    tensor[index] = value
    return tensor


@pytest.fixture
def evaluate(torch):
    """Evaluates an expression in two matrices x and w, a vector v and indices i."""
    names = {
        "torch": torch,
        "assign": assign,
        "x": torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True),
        "w": torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True),
        "v": torch.tensor([1.0, 2.0], requires_grad=True),
        "i": torch.tensor([0, 1]),
    }

    def run(expression):
        functional = {"F": torch.nn.functional} if "F." in expression else {}
        return eval(expression, names | functional)

    return run


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expression", NAMES)
def test_the_name_of_a_node(evaluate, expression):
    node = evaluate(expression).grad_fn
    assert node.name() == NAMES[expression]
    assert type(node).__name__ == NAMES[expression].split("::")[-1]


@pytest.mark.parametrize("expression", WITHOUT_NODE)
def test_what_has_no_derivative_has_no_node(evaluate, expression):
    assert evaluate(expression).grad_fn is None


@pytest.mark.parametrize("expression", ["x.float()", "x.contiguous()", "x.to(torch.float32)", "x.cpu()", "x.to('cpu')"])
def test_a_conversion_that_changes_nothing_is_the_same_object(evaluate, expression):
    assert evaluate(expression) is evaluate("x")


def test_a_node_is_printed_with_its_name(torch):
    y = leaf(torch, 1.0) * 2
    assert repr(y) == "tensor(2., grad_fn=<MulBackward0>)"
    assert repr(y.grad_fn).startswith("<MulBackward0 object at 0x")
    assert repr(leaf(torch, [1.0])) == "tensor([1.], requires_grad=True)"


def test_a_written_slice_is_printed_with_its_name(torch):
    y = leaf(torch, [1.0, 2.0]).clone()
    view = y[1:]
    y[0] = 0.0
    assert repr(y) == "tensor([0., 2.], grad_fn=<CopySlices>)"
    # Ours replays the view that it is, PyTorch any view as one of strides: docs/what-differs.md
    name = "AsStridedBackward0" if torch.__name__ == "torch" else "SliceBackward0"
    assert repr(view) == f"tensor([2.], grad_fn=<{name}>)"


def test_the_node_of_a_custom_function_has_its_name(torch):
    class Doubling(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    y = Doubling.apply(leaf(torch, 1.0))
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "DoublingBackward"
    assert repr(y) == "tensor(2., grad_fn=<DoublingBackward>)"


# --- edges --------------------------------------------------------------------------------------------------------


def test_the_edges_of_a_node_lead_to_its_inputs_in_order(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    hidden = x.exp()
    y = hidden * w
    (first, first_output), (second, second_output) = y.grad_fn.next_functions
    assert first is hidden.grad_fn and first_output == 0
    assert second.variable is w and second_output == 0


def test_a_constant_input_has_an_empty_edge(torch):
    x = leaf(torch, 1.0)
    assert (torch.tensor(2.0) * x).grad_fn.next_functions[0] == (None, 0)
    assert (x * 2).grad_fn.next_functions[1] == (None, 0)


def test_an_operation_of_one_input_has_one_edge(torch):
    x = leaf(torch, [1.0, 2.0])
    assert len(x.exp().grad_fn.next_functions) == 1
    assert len(torch.cat([x, x, x]).grad_fn.next_functions) == 3


def test_the_edge_names_the_output_it_comes_from(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    rows = x.unbind()
    assert [row.output_nr for row in rows] == [0, 1]
    assert rows[1].exp().grad_fn.next_functions == ((rows[0].grad_fn, 1),)
    assert rows[0].grad_fn is rows[1].grad_fn


def test_the_accumulator_of_a_leaf(torch):
    x = leaf(torch, 1.0)
    node = (x * 2).grad_fn.next_functions[0][0]
    assert node.name() == "torch::autograd::AccumulateGrad" and type(node).__name__ == "AccumulateGrad"
    assert node.variable is x and node.next_functions == ()
    assert repr(node).startswith("<AccumulateGrad object at 0x")


def test_the_same_result_has_one_node(torch):
    y = leaf(torch, 1.0) * 2
    assert y.grad_fn is y.grad_fn
    assert y.grad_fn == y.grad_fn and len({y.grad_fn, y.grad_fn, (y * 1).grad_fn}) == 2


def test_walking_a_small_network_from_loss_to_leaves(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    loss = model(torch.ones(4, 2)).pow(2).mean()
    names, leaves, todo = [], [], [loss.grad_fn]
    while todo:
        node = todo.pop(0)
        names.append(node.name())
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [child for child, _ in node.next_functions if child is not None]
    accumulate = "torch::autograd::AccumulateGrad"
    # PyTorch transposes the weight in a node of its own, here it is an edge of the product: docs/what-differs.md
    transposed = ["TBackward0"] if torch.__name__ == "torch" else []
    steps = ["MeanBackward0", "PowBackward0", "AddmmBackward0", "ReluBackward0", "AddmmBackward0"]
    assert sorted(names) == sorted([*steps, *[accumulate] * 4, *transposed * 2])
    assert [name for name in names if name in steps] == steps
    assert {id(tensor) for tensor in leaves} == {id(parameter) for parameter in model.parameters()}


def test_edges_stay_after_backward(torch):
    x = leaf(torch, 1.0)
    y = x.exp()
    y.backward()
    assert y.grad_fn.next_functions[0][0].variable is x


def test_nodes_belong_to_the_class_node(torch):
    x = leaf(torch, 1.0)
    y = x.exp()
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)
    assert isinstance(y.grad_fn.next_functions[0][0], torch.autograd.graph.Node)
    assert not isinstance(y, torch.autograd.graph.Node)


def test_nodes_are_made_by_operations_only(torch):
    node = leaf(torch, 1.0).exp().grad_fn
    with pytest.raises(TypeError, match="^cannot create 'ExpBackward0' instances"):
        type(node)()


# --- what was saved -----------------------------------------------------------------------------------------------


def test_saved_tensors_of_a_product(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    node = (x * w).grad_fn
    assert node._saved_self is x and node._saved_other is w


def test_what_is_not_needed_is_not_saved(torch):
    x, constant = leaf(torch, 2.0), torch.tensor(3.0)
    node = (x * constant).grad_fn
    # Ours keeps the memory of what is no leaf, not the object: docs/what-differs.md
    assert node._saved_self is None and node._saved_other.data_ptr() == constant.data_ptr()


def test_a_saved_output_has_the_history_of_the_result(torch):
    y = leaf(torch, 2.0).exp()
    saved = y.grad_fn._saved_result
    assert saved.grad_fn is y.grad_fn and saved.item() == y.item()


@pytest.mark.parametrize(
    ("expression", "attribute", "value"),
    [
        ("x ** 3", "_saved_exponent", 3),
        ("x.sum(0)", "_saved_dim", (0,)),
        ("x.sum(0, keepdim=True)", "_saved_keepdim", True),
        ("x.softmax(1)", "_saved_dim", 1),
        ("x[1]", "_saved_index", 1),
        ("x[1]", "_saved_dim", 0),
        ("x[:, 1:]", "_saved_start", 1),
        ("x.permute(1, 0)", "_saved_dims", (1, 0)),
        ("x.transpose(0, 1)", "_saved_dim1", 1),
        ("x.clamp(0, 1)", "_saved_max", 1),
        ("torch.cat([x, w], 1)", "_saved_dim", 1),
        ("x.add(w, alpha=2)", "_saved_alpha", 2),
        ("x.view(4)", "_saved_self_sym_sizes", (2, 2)),
        ("F.gelu(x)", "_saved_approximate", "none"),
    ],
)
def test_saved_parameters(evaluate, expression, attribute, value):
    assert getattr(evaluate(expression).grad_fn, attribute) == value


def test_saved_index_tensors(evaluate):
    assert evaluate("x.max(0).values").grad_fn._saved_indices.tolist() == [1, 1]
    assert evaluate("x.gather(0, i[None])").grad_fn._saved_index.tolist() == [[0, 1]]
    assert evaluate("x.masked_fill(x > 1, 0)").grad_fn._saved_mask.tolist() == [[False, True], [True, True]]


def test_the_mask_of_dropout_can_be_read_from_the_node(torch):
    x = torch.ones(100, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.5)
    assert y.grad_fn._saved_other.tolist() == y.tolist()
    assert set(y.tolist()) == {0.0, 2.0}


def test_saved_values_cannot_be_read_after_backward(torch):
    y = leaf(torch, 2.0).exp()
    y.backward()
    with pytest.raises(
        RuntimeError, match=r"^Trying to backward through the graph a second time \(or directly access saved tensors"
    ):
        _ = y.grad_fn._saved_result


def test_a_saved_value_that_was_changed_cannot_be_read(torch):
    hidden = leaf(torch, [2.0]) * 1
    y = hidden * hidden
    hidden.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        _ = y.grad_fn._saved_self


# --- metadata -----------------------------------------------------------------------------------------------------


def test_metadata_belongs_to_the_program(torch):
    y = leaf(torch, 1.0) * 2
    assert y.grad_fn.metadata == {}
    y.grad_fn.metadata["layer"] = "first"
    assert y.grad_fn.metadata == {"layer": "first"}
    assert (y * 1).grad_fn.metadata == {}


def test_a_moved_embedding_leaves_a_copy_node_and_a_detached_one_does_not(torch):
    embeddings = torch.ones(2, 2, requires_grad=True)
    moved = embeddings.to("meta")
    assert moved.detach().grad_fn is None
    assert embeddings.to("meta").grad_fn.name() == "ToCopyBackward0"
    assert embeddings.detach().to("meta").grad_fn is None


def test_a_node_lists_what_it_has_saved_and_nothing_else(torch, leaf):
    """Programs draw graphs by it: `for name in dir(node): getattr(node, name)` (torchviz)."""
    x = leaf([1.0, 2.0])
    for y in (x * x, x.exp(), x.sum(), x[0], torch.cat([x, x]), torch.nn.functional.relu(x)):
        node = y.grad_fn
        shown = [name for name in dir(node) if name.startswith(("_saved_", "_raw_saved_"))]
        assert all(hasattr(node, name) for name in shown)
    assert {"_saved_self", "_saved_other", "_raw_saved_self"} <= set(dir((x * x).grad_fn))
    assert "_saved_other" not in dir(x.exp().grad_fn)


def test_saved_indices_are_tensors(torch):
    x = torch.ones(3, 2, requires_grad=True)
    (indices,) = x[[0, 2]].grad_fn._saved_indices
    assert isinstance(indices, torch.Tensor) and indices.tolist() == [0, 2]
    first, second = x[:, [1]].grad_fn._saved_indices
    assert first is None and second.tolist() == [1]

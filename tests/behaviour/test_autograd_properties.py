"""What a program reads, sets and deletes on a tensor: `grad`, `data`, `grad_dtype`, and their private names."""

import pytest


def test_the_private_name_of_grad_is_grad(torch, leaf):
    p = leaf([1.0, 2.0])
    p._grad = torch.tensor([3.0, 4.0])
    assert p.grad.tolist() == p._grad.tolist() == [3.0, 4.0]
    (p * 2).sum().backward()
    assert p._grad.tolist() == [5.0, 6.0]
    p._grad = None
    assert p.grad is None
    p.grad = torch.ones(2)
    del p._grad
    assert p.grad is None
    with pytest.raises(RuntimeError, match="attempting to assign a gradient of size"):
        p._grad = torch.ones(3)


def test_an_optimizer_steps_by_a_gradient_that_was_set_by_that_name(torch):
    p = torch.nn.Parameter(torch.tensor([1.0]))
    p._grad = torch.tensor([2.0])
    torch.optim.SGD([p], lr=0.5).step()
    assert p.tolist() == [0.0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("data", "Deleting tensor data is not allowed. Delete tensor instead!"),
        ("_grad_fn", "Deletion of _grad_fn not allowed. Detach tensor instead!"),
        ("_backward_hooks", "Deletion of _backwards_hooks not allowed!"),
    ],
)
def test_what_cannot_be_deleted(torch, leaf, name, words):
    with pytest.raises(RuntimeError, match=f"^{words}"):
        delattr(leaf([1.0]), name)


@pytest.mark.parametrize("name", ["grad_fn", "output_nr", "is_leaf", "shape", "dtype", "device", "_version"])
def test_what_is_not_there_to_be_deleted(torch, leaf, name):
    with pytest.raises(AttributeError):
        delattr(leaf([1.0]), name)


def test_grad_fn_set_to_none_detaches(torch, leaf):
    y = leaf([1.0]) * 2
    with pytest.raises(RuntimeError, match="_grad_fn can be only set to None"):
        y._grad_fn = 3
    y._grad_fn = None
    assert not y.requires_grad and y._grad_fn is None


def test_the_hooks_of_a_tensor(torch, leaf):
    x = leaf([1.0])
    assert x._backward_hooks is None and torch.ones(1)._backward_hooks is None
    handle = x.register_hook(lambda g: g * 2)
    assert len(x._backward_hooks) == 1
    x._backward_hooks.clear()
    x.sum().backward()
    assert x.grad.tolist() == [1.0]
    handle.remove()
    x.register_hook(lambda g: g * 2)
    x._backward_hooks = None
    x.sum().backward()
    assert x.grad.tolist() == [2.0]


# ---- the dtype of a gradient


def test_a_gradient_comes_in_the_dtype_that_is_asked_for(torch):
    """The sum over several uses is made in that dtype, hooks see it, and so does `grad`."""
    p = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16))
    assert p.grad_dtype is torch.bfloat16
    p.grad_dtype = torch.float32
    seen = []
    p.register_hook(lambda g: seen.append(g.dtype))
    for _ in range(2):
        (p * 2 + p).sum().backward()
    assert p.grad.dtype is torch.float32 and p.grad.tolist() == [6.0, 6.0]
    assert seen == [torch.float32] * 2
    assert torch.autograd.grad((p * 2).sum(), p)[0].dtype is torch.float32
    p.grad = None
    (p * 2).sum().backward(inputs=[p])
    assert p.grad.dtype is torch.float32


def test_a_layer_of_half_precision_with_gradients_in_full(torch):
    layer = torch.nn.Linear(2, 2).to(torch.bfloat16)
    for each in layer.parameters():
        each.grad_dtype = torch.float32
    layer(torch.ones(1, 2, dtype=torch.bfloat16)).sum().backward()
    assert {each.grad.dtype for each in layer.parameters()} == {torch.float32}


def test_none_lets_any_dtype_pass(torch, leaf):
    class InDouble(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g.double()

    x = leaf([1.0])
    x.grad_dtype = None
    assert x.grad_dtype is None
    InDouble.apply(x).sum().backward()
    assert x.grad.dtype is torch.float64
    x.grad = torch.ones(1, dtype=torch.float16)
    assert x.grad.dtype is torch.float16


def test_it_is_chosen_before_the_tensor_requires_grad(torch):
    x = torch.ones(2)
    x.grad_dtype = torch.float64
    x.requires_grad_()
    x.sum().backward()
    assert x.grad.dtype is torch.float64 and x.detach().grad_dtype is torch.float32


def test_a_gradient_of_another_dtype_is_refused(torch, leaf):
    x = leaf([1.0])
    x.grad_dtype = torch.float16
    with pytest.raises(RuntimeError, match="dtype 'float' to a tensor with grad_dtype 'Half'"):
        x.grad = torch.ones(1)
    x.grad = torch.ones(1, dtype=torch.float16)
    with pytest.raises(RuntimeError, match="^Cannot set grad_dtype to 'Float' because there is already a gradient"):
        x.grad_dtype = torch.float32
    with pytest.raises(RuntimeError, match="^grad_dtype must be a torch.dtype or None, but got int"):
        x.grad_dtype = 3


def test_results_have_no_such_choice(torch, leaf):
    y = leaf([1.0]) * 2
    with pytest.raises(RuntimeError, match="^grad_dtype can only be accessed on leaf tensors"):
        y.grad_dtype  # noqa: B018
    y.retain_grad()
    with pytest.raises(RuntimeError, match="^grad_dtype can only be set on leaf tensors"):
        y.grad_dtype = torch.float64


# ---- detached in place


def test_what_was_saved_cannot_be_detached_in_place(torch, leaf):
    x = leaf(1.0)
    y = x.clone()
    z = y.sin()
    y.detach_()
    with pytest.raises(RuntimeError, match="^Trying to use a saved tensor that has been detached in-place"):
        z.backward()


@pytest.mark.parametrize(
    "steps",
    [
        lambda y: (y, y.exp()),  # keeps its result
        lambda y: (y, y * 2),  # keeps nothing
        lambda y: (y.detach(), y.sin()),  # another tensor on the same memory
    ],
)
def test_what_was_not_saved_can(torch, leaf, steps):
    x = leaf(1.0)
    detached, z = steps(x.clone())
    detached.detach_()
    z.backward()
    assert x.grad is not None


def test_a_result_that_was_saved_can_be_detached_in_place(torch, leaf):
    x = leaf(0.0)
    y = x.exp()
    z = y * 2
    y.detach_()
    z.backward()
    assert x.grad.item() == 2.0


def test_memory_that_is_used_anew_after_it_was_detached(torch, leaf):
    w, x = leaf([3.0]), torch.empty(1)
    for step in range(3):
        x.detach_()
        x.copy_(w + step)
        (x * x).sum().backward()
    assert w.grad.tolist() == [2 * 3.0 + 2 * 4.0 + 2 * 5.0]


# ---- another look under no_grad


LOOKS = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, 1),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "swapaxes_": lambda x: x.swapaxes_(0, 1),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("block", ["no_grad", "inference_mode"])
def test_a_leaf_that_is_turned_where_nothing_is_recorded(torch, look, block):
    x = torch.ones(2, 3, requires_grad=True)
    with getattr(torch, block)():
        LOOKS[look](x)
    assert x.requires_grad and x.is_leaf
    (x * 2).sum().backward()
    assert x.grad.shape == x.shape and x.grad.sum().item() == 12


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("block", ["no_grad", "inference_mode"])
def test_a_result_that_is_turned_where_nothing_is_recorded(torch, look, block):
    """It still requires grad; but a gradient of the new shape does not fit what was recorded of the old one."""
    y = torch.ones(2, 3, requires_grad=True) * 1
    with getattr(torch, block)():
        LOOKS[look](y)
    assert y.requires_grad and y.grad_fn.name() == "MulBackward0"
    if look == "unsqueeze_":
        y.sum().backward()  # one dimension more, in front, is one to sum over
    else:
        with pytest.raises(
            RuntimeError, match="invalid gradient at index 0 - got .* but expected shape compatible with"
        ):
            y.sum().backward()


def test_a_view_that_is_turned_where_nothing_is_recorded(torch):
    x = torch.ones(2, 3, requires_grad=True)
    view = (x * 1)[:, :2]
    with torch.no_grad():
        view.t_()
    (view * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [[1.0, 3.0, 0.0], [2.0, 4.0, 0.0]]

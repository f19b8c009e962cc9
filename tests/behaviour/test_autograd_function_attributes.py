"""What a custom function says of itself: in which form it takes gradients, how often it reads what it saved."""

import weakref

import pytest


def test_gradients_in_one_list_may_be_freed_on_the_way(torch, leaf):
    seen = []

    class Boxed(torch.autograd.Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, gradients):
            seen.append(type(gradients))
            first, second, watched = gradients[0].clone(), gradients[1].clone(), weakref.ref(gradients[0])
            gradients.clear()
            seen.append(watched())
            return first * 2 + second * 3

    x = leaf([1.0, 2.0])
    a, b = Boxed.apply(x)
    (a.sum() + b.sum()).backward()
    assert x.grad.tolist() == [5.0, 5.0] and seen == [list, None]
    assert a.grad_fn.apply(torch.ones(2), torch.ones(2)).tolist() == [5.0, 5.0]


def test_absent_gradients_in_one_list(torch, leaf):
    seen = []

    class Boxed(torch.autograd.Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, gradients):
            seen.append([each if each is None else each.tolist() for each in gradients])
            return gradients[1] * 3, None

    for materialize in (True, False):
        Boxed.apply(leaf([1.0]), materialize)[1].backward()
    assert seen == [[[0.0], [1.0]], [None, [1.0]]]


def test_whether_gradients_come_in_a_list_is_yes_or_no(torch, leaf):
    class Boxed(torch.autograd.Function):
        boxed_grads_call = 3

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with pytest.raises(RuntimeError, match="^boxed_grads_call must be a bool, got int"):
        Boxed.apply(leaf([1.0])).backward()


def reading(torch, times, watched):
    """A function whose backward reads what it saved so many times, and can read it once."""

    class Reads(torch.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            for _ in range(times):
                (x,) = ctx.saved_tensors
                watched.append(weakref.ref(x))
                del x
                watched.append(watched[-1]())
            return g

    return Reads


def test_what_was_saved_is_free_when_it_has_been_read(torch, leaf):
    watched = []
    reading(torch, 1, watched).apply(leaf([1.0]).clone()).backward()
    assert watched[1] is None


def test_it_can_be_read_once(torch, leaf):
    with pytest.raises(
        RuntimeError, match="^saved_tensors can only be accessed once when clear_saved_tensors_on_acces"
    ):
        reading(torch, 2, []).apply(leaf([1.0]).clone()).backward()
    y = reading(torch, 1, []).apply(leaf([1.0]).clone())
    y.backward(retain_graph=True)
    with pytest.raises(
        RuntimeError, match="^saved_tensors can only be accessed once when clear_saved_tensors_on_acces"
    ):
        y.backward()


def test_the_old_name_of_saved_tensors(torch, leaf):
    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_variables[0]

    y = Old.apply(leaf([3.0]))
    with pytest.warns(DeprecationWarning, match="^'saved_variables' is deprecated; use 'saved_tensors'$"):
        y.backward()


def test_functions_of_the_class_for_work_in_place(torch, leaf):
    class Twice(torch.autograd.function.InplaceFunction):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x, x

        @staticmethod
        def backward(ctx, first, second):
            return 2 * (first + second)

    x = leaf([1.0])
    y = x.clone()
    a, b = Twice.apply(y)
    assert a is b is y
    (a * 3 + b).backward()
    assert x.grad.tolist() == [8.0]
    with pytest.raises(
        RuntimeError, match="^a leaf Variable that requires grad has been used in an in-place operation"
    ):
        Twice.apply(x)
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        assert Twice(inplace=True).inplace


# ---- views that may not be written to


@pytest.fixture
def view_of(torch):
    class ViewOf(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g

    return ViewOf.apply


@pytest.mark.parametrize("write", [lambda v, b: v.add_(b), lambda v, b: v.copy_(b), lambda v, b: v.mul_(b)])
def test_a_view_made_inside_a_function_of_what_requires_no_grad(torch, leaf, view_of, write):
    with pytest.raises(
        RuntimeError, match="^A view was created in no_grad mode.*This view was created inside a custom"
    ):
        write(view_of(torch.ones(1, 2)), leaf([1.0]))
    with pytest.raises(
        RuntimeError, match="^A view was created in no_grad mode.*output of a function that returns multip"
    ):
        write(torch.ones(1, 2).unbind()[0], leaf([1.0]))
    x = torch.ones(1, 2)
    write(x.select(1, 0), leaf([1.0]))
    assert x.requires_grad


@pytest.mark.parametrize(
    ("block", "words"),
    [("no_grad", "no_grad mode and is being modified inplace with grad mode enabled"),
     ("inference_mode", "inference mode and is being modified inplace in normal mode")],
)  # fmt: skip
def test_a_view_of_such_a_view_names_its_step(torch, block, words):
    x = torch.zeros(2)
    with getattr(torch, block)():
        y = x.view(2)
    y.requires_grad_()
    with pytest.raises(RuntimeError, match=f"^A view was created in {words}"):
        y /= 2
    z = y.view(2)
    with pytest.raises(RuntimeError, match=f"^Output 0 of View is a view of a view which was created in {words}"):
        z /= 2


def test_a_basis_over_several_tensors(torch):
    tensors = torch.zeros(2, 3), torch.zeros(()), torch.zeros(1, dtype=torch.float64)
    construct = torch.autograd.functional._construct_standard_basis_for
    result = construct(tensors, (6, 1, 1))
    assert [(each.shape, each.dtype) for each in result] == [
        ((8, 6), torch.float32), ((8, 1), torch.float32), ((8, 1), torch.float64)
    ]  # fmt: skip
    assert torch.cat([each.float() for each in result], 1).equal(torch.eye(8))
    with pytest.raises(
        AssertionError, match="Expected tensors and tensor_numels to have the same length, but got 1 and"
    ):
        construct(tensors[:1], (6, 1))
    with pytest.raises(AssertionError, match="Expected at least one tensor"):
        construct((), ())


def test_a_checkpoint_that_goes_wrong_lists_both_runs(torch):
    turns = iter((2, 3))

    def other_each_time(x):
        for _ in range(next(turns)):
            x = x.sin()
        return x

    x = torch.ones(2, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(other_each_time, x, use_reentrant=False, debug=True, early_stop=False)
    with pytest.raises(torch.utils.checkpoint.CheckpointError, match="because you passed `debug=True`"):
        y.sum().backward()


@pytest.mark.parametrize(
    "name", ["_backward", "_called", "_forward", "_separate_context", "call_backward", "backward_of"]
)
def test_a_function_may_have_helpers_of_any_name(torch, name):
    def helper(gradient, x):
        return 2 * x * gradient

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, gradient):
        return getattr(Square, name)(gradient, *ctx.saved_tensors)

    members = {name: staticmethod(helper), "forward": staticmethod(forward), "backward": staticmethod(backward)}
    Square = type("Square", (torch.autograd.Function,), members)
    x = torch.tensor(3.0, requires_grad=True)
    Square.apply(x).backward()
    assert x.grad.item() == 6.0

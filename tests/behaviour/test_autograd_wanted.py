"""What a pass for some gradients leaves out: nodes that lead to none of them, and within a node what goes elsewhere."""

import threading

import pytest


@pytest.fixture
def story(torch):
    """z = (a * b) * c with everything that is called on the way noted, in order."""

    class Story:
        def __init__(self):
            self.a, self.b, self.c = (
                torch.tensor([k, k + 1.0], dtype=torch.float32, requires_grad=True) for k in (1.0, 3.0, 5.0)
            )
            self.y = self.a * self.b
            self.z = self.y * self.c
            self.said = []
            self.y.register_hook(lambda g: self.said.append(("hook of y", g.tolist())))
            self.y.grad_fn.register_prehook(lambda g: self.said.append(("before y", listed(g))))
            self.y.grad_fn.register_hook(lambda i, o: self.said.append(("after y", listed(i))))
            self.z.grad_fn.register_hook(lambda i, o: self.said.append(("after z", listed(i))))
            self.y.retain_grad()

    return Story()


def listed(gradients):
    return [None if each is None else each.tolist() for each in gradients]


def test_a_node_that_leads_to_no_input_is_left_out_with_its_hooks(torch, story):
    (result,) = torch.autograd.grad(story.z.sum(), [story.c])
    assert result.tolist() == [3.0, 8.0]
    assert story.said == [("after z", [None, [3.0, 8.0]])]
    assert story.y.grad is None


def test_within_a_node_only_gradients_on_the_way_to_inputs_are_computed(torch, story):
    (result,) = torch.autograd.grad(story.z.sum(), [story.a])
    assert result.tolist() == [15.0, 24.0]
    assert story.said == [
        ("after z", [[5.0, 6.0], None]),
        ("hook of y", [5.0, 6.0]),
        ("before y", [[5.0, 6.0]]),
        ("after y", [[15.0, 24.0], None]),
    ]
    assert story.y.grad.tolist() == [5.0, 6.0]
    assert story.a.grad is None


def test_an_input_on_the_way_to_another_runs_and_one_at_the_end_does_not(torch, story):
    by_y, by_a = torch.autograd.grad(story.z.sum(), [story.y, story.a], retain_graph=True)
    assert by_y.tolist() == [5.0, 6.0] and by_a.tolist() == [15.0, 24.0]
    assert story.said.pop() == ("after y", [[15.0, 24.0], None])
    story.said.clear()
    torch.autograd.grad(story.z.sum(), [story.y])
    assert story.said == [("after z", [[5.0, 6.0], None]), ("hook of y", [5.0, 6.0])]


def test_backward_to_an_intermediate_result_runs_its_node_for_nothing(torch, story):
    story.z.sum().backward(inputs=[story.y])
    assert story.said[1:] == [("hook of y", [5.0, 6.0]), ("before y", [[5.0, 6.0]]), ("after y", [None, None])]
    assert story.y.grad.tolist() == [5.0, 6.0]
    assert story.a.grad is story.b.grad is story.c.grad is None


def test_backward_to_some_leaves_leaves_the_others_alone(torch, story):
    story.z.sum().backward(inputs=[story.b])
    assert story.b.grad.tolist() == [5.0, 12.0]
    assert story.a.grad is None and story.c.grad is None
    assert story.said[-1] == ("after y", [None, [5.0, 12.0]])


def test_what_was_left_out_keeps_its_saved_values(torch):
    p, q = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
    m, n = p.exp(), q.exp()
    product = (m * n).sum()
    torch.autograd.grad(product, [p])
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(product, [q])
    assert torch.allclose(torch.autograd.grad(n.sum(), [q])[0], n)  # this one has not run yet


def test_a_stale_value_is_refused_though_only_an_unwanted_gradient_needs_it(torch):
    p, q = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
    m = p.clone()
    product = (m * q).sum()
    with torch.no_grad():
        m.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(product, [p])


def test_a_custom_function_is_told_of_what_needs_grad_not_of_what_is_asked_for(torch):
    reported = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            reported.append(ctx.needs_input_grad)
            a, b = ctx.saved_tensors
            return g * b, g * a

    a, b = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    assert torch.autograd.grad(Product.apply(a, b), [a])[0].item() == 3.0
    assert reported == [(True, True)]


def test_a_multi_grad_hook_waits_for_what_the_pass_comes_to(torch):
    d, e, f = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
    u, v = d * f, e * f
    total, seen = (u + v).sum(), []
    with torch.autograd.graph.register_multi_grad_hook((u, v), lambda g: seen.append(listed(g))):
        for inputs in ([e], [u], [f]):
            torch.autograd.grad(total, inputs, retain_graph=True)
    assert seen == [[None, [1.0, 1.0]], [[1.0, 1.0], None], [[1.0, 1.0], [1.0, 1.0]]]


def test_a_multi_grad_hook_on_leaves_is_refused_by_grad(torch):
    d, e = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    total, seen = (d * e).sum(), []
    with torch.autograd.graph.register_multi_grad_hook((d, e), lambda g: seen.append(listed(g))):
        with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
            torch.autograd.grad(total, [e], retain_graph=True)
        total.backward(inputs=[e])
    assert seen == [[None, [1.0, 2.0]]]


def test_the_graph_of_a_gradient_has_what_was_wanted(torch):
    x, w = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    (by_x,) = torch.autograd.grad((x * w).exp().sum(), [x], create_graph=True)
    by_x.backward()
    value = torch.exp(torch.tensor(6.0))
    assert torch.allclose(x.grad, 9 * value) and torch.allclose(w.grad, (1 + 6) * value)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_layers_of_every_size_give_the_gradients_that_all_inputs_would_have(torch, dtype):
    kind = getattr(torch, dtype)
    for rows in (3, 600):
        x, w, c = (torch.randn(each).to(kind).requires_grad_() for each in ((rows, 64), (64,), (64,)))
        m = torch.randn(64, 64).to(kind).requires_grad_()
        y = torch.nn.functional.layer_norm((x @ m) * w, (64,), w, c)
        y = torch.atan2(y, w + 2)
        everything = torch.autograd.grad(y, [x, m, w, c], torch.ones_like(y), retain_graph=True)
        for number, each in enumerate((x, m, w, c)):
            (alone,) = torch.autograd.grad(y, [each], torch.ones_like(y), retain_graph=True)
            assert torch.allclose(alone, everything[number], rtol=1e-5, atol=1e-5)


def test_passes_for_different_inputs_walk_one_graph_at_the_same_time(torch):
    leaves = [torch.tensor([2.0, 3.0], requires_grad=True) for _ in range(4)]
    y = leaves[0]
    for each in leaves[1:]:
        y = (y * each).sin()
    total = y.sum()
    alone = [torch.autograd.grad(total, [each], retain_graph=True)[0].tolist() for each in leaves]
    wrong = []

    def program(number):
        for _ in range(300):
            (result,) = torch.autograd.grad(total, [leaves[number]], retain_graph=True)
            if result.tolist() != alone[number]:
                wrong.append(number)

    threads = [threading.Thread(target=program, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []

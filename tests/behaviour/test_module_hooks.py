"""Hooks around the call of a module: who runs when, with what, and what becomes of the answers."""

import gc
import warnings
import weakref

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


@pytest.fixture
def of_all_modules(torch):
    """The functions that register hooks of all modules."""
    return torch.nn.modules.module


@pytest.fixture
def double(nn):
    class Double(nn.Module):
        def forward(self, x, scale=2):
            return x * scale

    return Double()


class Log(list):
    """Notes which hook ran, and lets it answer nothing."""

    def hook(self, name, answer=None):
        def note(*arguments):
            self.append(name)
            return answer

        return note


def test_order_of_forward_hooks(torch, double, of_all_modules):
    log = Log()
    double.register_forward_pre_hook(log.hook("pre 1"))
    double.register_forward_pre_hook(log.hook("pre 2"))
    double.register_forward_pre_hook(log.hook("pre 0"), prepend=True)
    double.register_forward_hook(log.hook("post 1"))
    double.register_forward_hook(log.hook("post 0"), prepend=True)
    with of_all_modules.register_module_forward_pre_hook(log.hook("global pre")):
        with of_all_modules.register_module_forward_hook(log.hook("global post")):
            double(torch.ones(1))
    assert log == ["global pre", "pre 0", "pre 1", "pre 2", "global post", "post 0", "post 1"]


def test_what_forward_hooks_receive(torch, double):
    received = []
    double.register_forward_pre_hook(lambda *seen: received.append(seen))
    double.register_forward_pre_hook(lambda *seen: received.append(seen), with_kwargs=True)
    double.register_forward_hook(lambda *seen: received.append(seen))
    double.register_forward_hook(lambda *seen: received.append(seen), with_kwargs=True)
    x = torch.ones(1)
    y = double(x, scale=3)
    assert received == [
        (double, (x,)),
        (double, (x,), {"scale": 3}),
        (double, (x,), y),
        (double, (x,), {"scale": 3}, y),
    ]


def test_pre_hooks_replace_arguments_one_after_the_other(torch, double):
    double.register_forward_pre_hook(lambda module, args: args[0] + 1)
    double.register_forward_pre_hook(lambda module, args: (args[0] * 10,))
    double.register_forward_pre_hook(lambda module, args, kwargs: (args, {"scale": 3}), with_kwargs=True)
    assert double(torch.ones(1)).item() == 60


def test_forward_hooks_replace_the_output_one_after_the_other(torch, double):
    double.register_forward_hook(lambda module, args, output: output + 1)
    double.register_forward_hook(lambda module, args, output: None)
    double.register_forward_hook(lambda module, args, output: output * 10)
    assert double(torch.ones(1)).item() == 30


def test_a_pre_hook_with_kwargs_must_return_both(torch, double):
    double.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
    with pytest.raises(
        RuntimeError, match="forward pre-hook must return None or a tuple of \\(new_args, new_kwargs\\)"
    ):
        double(torch.ones(1))


def test_handles_remove_hooks_once_and_as_contexts(torch, double):
    log = Log()
    handle = double.register_forward_hook(log.hook("a"))
    with double.register_forward_hook(log.hook("b")):
        double(torch.ones(1))
    handle.remove()
    handle.remove()
    double(torch.ones(1))
    assert log == ["a", "b"] and not double._forward_hooks


def test_hooks_may_be_put_into_the_dictionary_and_cleared_there(torch, double):
    log = Log()
    double._forward_hooks[7] = log.hook("put")
    double(torch.ones(1))
    double._forward_hooks.clear()
    double(torch.ones(1))
    double._forward_pre_hooks = type(double._forward_pre_hooks)()
    double._forward_pre_hooks[1] = log.hook("again")
    double(torch.ones(1))
    assert log == ["put", "again"]


def test_a_hook_may_remove_itself_while_it_runs(torch, double):
    log = Log()
    handles = []

    def once(module, args, output):
        log.append("once")
        handles[0].remove()

    handles.append(double.register_forward_hook(once))
    double.register_forward_hook(log.hook("other"))
    double(torch.ones(1))
    double(torch.ones(1))
    assert log == ["once", "other", "other"]


@pytest.fixture
def failing(nn):
    class Failing(nn.Module):
        def forward(self, x):
            raise ValueError("in forward")

    return Failing()


def test_hooks_that_are_always_called_run_after_an_error(torch, failing, of_all_modules):
    log = Log()
    failing.register_forward_hook(log.hook("usual"))
    failing.register_forward_hook(log.hook("always"), always_call=True)
    failing.register_forward_hook(lambda *seen: log.append(len(seen)), always_call=True, with_kwargs=True)
    with of_all_modules.register_module_forward_hook(log.hook("global"), always_call=True):
        with pytest.raises(ValueError, match="in forward"):
            failing(torch.ones(1))
    assert log == ["global", "always", 4]


def test_a_hook_that_fails_is_not_called_again_and_the_next_is(torch, double):
    log = Log()

    def fails(module, args, output):
        log.append("fails")
        raise ValueError("in hook")

    double.register_forward_hook(log.hook("before"), always_call=True)
    double.register_forward_hook(fails, always_call=True)
    double.register_forward_hook(log.hook("after"), always_call=True)
    with pytest.raises(ValueError, match="in hook"):
        double(torch.ones(1))
    assert log == ["before", "fails", "after"]


def test_an_error_in_a_hook_after_an_error_becomes_a_warning(torch, failing):
    def fails(module, args, output):
        raise KeyError("lost")

    failing.register_forward_hook(fails, always_call=True)
    with pytest.warns(UserWarning, match="module forward hook with ``always_call=True`` raised an exception that was"):
        with pytest.raises(ValueError, match="in forward"):
            failing(torch.ones(1))


def gradients(torch, module, *inputs):
    """Calls the module on inputs that require grad and runs backward on the sum of its result."""
    inputs = [torch.tensor(value, requires_grad=True) for value in inputs]
    module(*inputs).sum().backward()
    return [x.grad for x in inputs]


def test_a_full_backward_hook_sees_the_gradients_of_inputs_and_outputs(torch, nn):
    class Product(nn.Module):
        def forward(self, x, factor, y):
            return x * factor * y

    seen = []
    module = Product()
    module.register_full_backward_hook(lambda *received: seen.append(received))
    x, y = torch.tensor([3.0], requires_grad=True), torch.tensor([4.0])
    (module(x, 2, y) * 5).backward()
    [(owner, grad_input, grad_output)] = seen
    assert owner is module and x.grad.item() == 40
    assert [None if g is None else g.item() for g in grad_input] == [40, None, 0]
    assert [g.item() for g in grad_output] == [5]


def test_a_full_backward_hook_distinguishes_the_positions_of_one_input(torch, nn):
    class Scaled(nn.Module):
        def forward(self, x, y, z):
            return 2 * x + 3 * y + 5 * z

    seen = []
    module = Scaled()
    module.register_full_backward_hook(lambda module, grad_input, grad_output: seen.extend(grad_input))
    x = torch.tensor([1.0], requires_grad=True)
    module(x, x, x).backward()
    assert [each.item() for each in seen] == [2, 3, 5]
    assert x.grad.item() == 10


def test_order_of_backward_hooks(torch, double, of_all_modules):
    log = Log()
    double.register_full_backward_pre_hook(log.hook("pre 1"))
    double.register_full_backward_pre_hook(log.hook("pre 0"), prepend=True)
    double.register_full_backward_hook(log.hook("post 1"))
    double.register_full_backward_hook(log.hook("post 0"), prepend=True)
    with of_all_modules.register_module_full_backward_pre_hook(log.hook("global pre")):
        with of_all_modules.register_module_full_backward_hook(log.hook("global post")):
            gradients(torch, double, [1.0])
    assert log == ["global pre", "pre 0", "pre 1", "global post", "post 0", "post 1"]


def test_backward_hooks_replace_gradients(torch, double):
    double.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] + 1,))
    double.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * grad_output[0] * 10,))
    [gradient] = gradients(torch, double, [1.0])
    assert gradient.item() == 80  # (1 + 1) for the output, times 2 by the module, times 2 and 10 by the hook


def test_backward_hooks_of_nested_modules_run_from_the_outside_in(torch, nn):
    log = Log()
    model = nn.Sequential(nn.ReLU(), nn.Tanh())
    for name, module in model.named_modules():
        module.register_full_backward_hook(log.hook(name))
        module.register_full_backward_pre_hook(log.hook(f"pre {name}"))
    gradients(torch, model, [1.0])
    assert log == ["pre ", "pre 1", "1", "pre 0", "0", ""]


def test_the_tensors_around_a_hooked_module_are_results_of_its_identity_nodes(torch, double):
    double.register_full_backward_hook(lambda *seen: None)
    x = torch.ones(1, requires_grad=True)
    y = double(x)
    assert type(y.grad_fn).__name__ == "BackwardHookFunctionBackward"
    inner = y.grad_fn.next_functions[0][0]
    assert [type(inner).__name__, type(inner.next_functions[0][0]).__name__] == [
        "MulBackward0",
        "BackwardHookFunctionBackward",
    ]


def test_backward_hooks_do_not_run_without_gradients(torch, double):
    log = Log()
    double.register_full_backward_hook(log.hook("hook"))
    double(torch.ones(1))
    with torch.no_grad():
        assert double(torch.ones(1, requires_grad=True)).grad_fn is None
    assert log == []


def test_outputs_of_a_hooked_module_keep_their_positions(torch, nn):
    class Several(nn.Module):
        def forward(self, x):
            return x * 2, "text", x.detach()

    seen = []
    module = Several()
    module.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_output))
    x = torch.ones(1, requires_grad=True)
    first, text, last = module(x)
    assert text == "text" and not last.requires_grad
    first.backward()
    assert [None if g is None else g.item() for g in seen[0]] == [1, None, None]


def test_without_gradients_of_inputs_the_hook_runs_at_the_outputs(torch, nn):
    layer, seen = nn.Linear(1, 1), []
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append((grad_input, grad_output)))
    result = layer(torch.ones(1, 1))
    with pytest.warns(UserWarning, match="Full backward hook is firing when gradients are computed with respect to"):
        result.backward()
    [(grad_input, (grad_output,))] = seen
    assert grad_input == (None,) and grad_output.item() == 1


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_a_hook_without_gradients_of_inputs_may_not_answer(torch, nn):
    layer = nn.Linear(1, 1)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: (torch.ones(1),))
    with pytest.raises(RuntimeError, match="Backward hook for Modules where no input requires gradient should always"):
        layer(torch.ones(1, 1)).backward()


def test_answers_of_the_wrong_length(torch, nn):
    class Sum(nn.Module):
        def forward(self, x, y):
            return x + y

    module = Sum()
    handle = module.register_full_backward_hook(lambda module, grad_input, grad_output: grad_input[:1])
    with pytest.raises(
        RuntimeError, match="Backward hook returned an invalid number of grad_input, got 1, but expected 2"
    ):
        gradients(torch, module, [1.0], [2.0])
    handle.remove()
    module.register_full_backward_pre_hook(lambda module, grad_output: ())
    with pytest.raises(
        RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got 0, but exp"
    ):
        gradients(torch, module, [1.0], [2.0])


def test_an_output_that_is_no_tensor_is_warned_of(torch, nn):
    class Dictionary(nn.Module):
        def forward(self, x):
            return {"x": x}

    module = Dictionary()
    module.register_full_backward_hook(lambda *seen: None)
    with pytest.warns(
        UserWarning, match="For backward hooks to be called, module output should be a Tensor or a tuple"
    ):
        module(torch.ones(1, requires_grad=True))


def test_in_place_on_the_input_of_a_hooked_module_is_refused(torch, nn):
    module = nn.ReLU(inplace=True)
    module.register_full_backward_hook(lambda *seen: None)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        module(torch.ones(1, requires_grad=True) * 1)


def test_hooks_of_both_kinds_do_not_mix(torch, nn, of_all_modules):
    message = "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one"
    full, old = nn.ReLU(), nn.ReLU()
    full.register_full_backward_hook(lambda *seen: None)
    old.register_backward_hook(lambda *seen: None)
    with pytest.raises(RuntimeError, match=message):
        full.register_backward_hook(lambda *seen: None)
    with pytest.raises(RuntimeError, match=message):
        old.register_full_backward_hook(lambda *seen: None)
    with of_all_modules.register_module_full_backward_hook(lambda *seen: None):
        with pytest.raises(
            RuntimeError, match="Cannot use both regular backward hooks and full backward hooks as a glo"
        ):
            of_all_modules.register_module_backward_hook(lambda *seen: None)


def test_the_old_backward_hook_sees_the_last_node_of_the_module(torch, nn):
    class Single(nn.Module):
        def forward(self, x):
            return x.exp()

    module, seen = Single(), []
    module.register_backward_hook(lambda *received: seen.append(received))
    leaf = torch.ones(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = module(leaf.clone())
    result.backward()
    [(owner, grad_input, grad_output)] = seen
    assert owner is module and grad_input[0].item() > 2 and grad_output[0].item() == 1


@pytest.mark.parametrize(
    ("forward", "message"),
    [
        (lambda x: {"x": x * 2}, "that does not return a single Tensor or a tuple of Tensors"),
        (lambda x: (x * 2, x + 1), "when outputs are generated by different autograd Nodes"),
        (lambda x: (x * 2) + 1, "when the forward contains multiple autograd Nodes"),
    ],
)
def test_the_old_backward_hook_warns_where_it_misses_gradients(torch, nn, forward, message):
    module = nn.Module()
    module.forward = forward
    module.register_backward_hook(lambda *seen: None)
    with pytest.warns(FutureWarning, match=message):
        module(torch.ones(1, requires_grad=True).clone())


def test_the_old_backward_hook_warns_of_inputs_that_are_no_tensors(torch, double):
    double.register_backward_hook(lambda *seen: None)
    with pytest.warns(FutureWarning, match="that does not take as input a single Tensor or a tuple of Tensors"):
        double(torch.ones(1, requires_grad=True), 3)


def test_double_backward_through_a_hooked_module(torch, nn):
    class Cube(nn.Module):
        def forward(self, x):
            return x**3

    module, log = Cube(), Log()
    module.register_full_backward_hook(log.hook("hook"))
    x = torch.tensor([2.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(module(x), x, create_graph=True)
    (second,) = torch.autograd.grad(gradient, x)
    assert gradient.item() == 12 and second.item() == 12


def test_hooks_keep_no_graph_alive(torch, nn):
    module = nn.Linear(2, 2)
    module.register_full_backward_hook(lambda *seen: None)
    module.register_full_backward_pre_hook(lambda *seen: None)
    x = torch.ones(1, 2, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        result = module(x)
        watched = weakref.ref(result)
        del result
        assert watched() is None
    finally:
        gc.enable()


def test_a_module_without_hooks_calls_forward_as_the_class_or_the_object_defines_it(torch, double):
    double.forward = lambda x, scale=1: x - scale
    assert double(torch.ones(1), scale=3).item() == -2
    double.register_forward_hook(lambda module, args, output: output * 10)
    assert double(torch.ones(1), 3).item() == -20


def test_hooks_see_modules_called_inside_others(torch, nn, of_all_modules):
    seen = []
    model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
    with of_all_modules.register_module_forward_hook(lambda module, *rest: seen.append(type(module).__name__)):
        model(torch.ones(1))
    model(torch.ones(1))
    assert seen == ["ReLU", "Tanh", "Sequential", "Sequential"]

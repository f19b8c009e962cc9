"""Hooks on what is kept for backward: packing, unpacking, nesting, and keeping it on the CPU."""

import pytest


def leaf(torch, values):
    return torch.tensor(values, requires_grad=True)


def logging_hooks(torch, log, name=""):
    """Saved-tensor hooks that change nothing and note each call."""

    def pack(tensor):
        log.append(f"{name}pack")
        return tensor

    def unpack(packed):
        log.append(f"{name}unpack")
        return packed

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


# --- packing and unpacking ----------------------------------------------------------------------------------------


def test_each_saved_tensor_is_packed_in_forward_and_unpacked_in_backward(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    packed, unpacked = [], []

    def pack(tensor):
        packed.append(tensor.tolist())
        return tensor

    def unpack(tensor):
        unpacked.append(tensor.tolist())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * w
    assert sorted(packed) == [[1.0, 2.0], [3.0, 4.0]] and unpacked == []
    y.sum().backward()
    assert sorted(unpacked) == [[1.0, 2.0], [3.0, 4.0]]


def test_what_is_packed_may_be_anything(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: "a word", lambda word: torch.tensor(float(len(word)))):
        y = x.exp()
    y.backward()
    assert x.grad.item() == 6.0


def test_backward_uses_what_unpack_returns(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor * 5):
        y = x.exp()
    y.backward()
    assert x.grad.item() == 5.0


def test_hooks_act_only_inside_their_context(torch):
    log = []
    x = leaf(torch, 2.0)
    with logging_hooks(torch, log):
        inside = x.exp()
    outside = x.exp()
    (inside + outside).backward()
    assert log == ["pack", "unpack"]


def test_every_backward_unpacks_again(torch):
    log = []
    x = leaf(torch, 2.0)
    with logging_hooks(torch, log):
        y = x.exp()
    y.backward(retain_graph=True)
    y.backward()
    assert log == ["pack", "unpack", "unpack"]


def test_hooks_nest_and_the_inner_one_wins(torch):
    log = []
    x = leaf(torch, 2.0)
    with logging_hooks(torch, log, "outer "):
        with logging_hooks(torch, log, "inner "):
            x.exp()
        x.exp()
    x.exp()
    assert log == ["inner pack", "outer pack"]


def test_an_error_inside_leaves_the_outer_hooks_in_force(torch):
    log = []
    x = leaf(torch, 2.0)
    with logging_hooks(torch, log, "outer "):
        with pytest.raises(KeyError), logging_hooks(torch, log, "inner "):
            raise KeyError
        x.exp()
    assert log == ["outer pack"]


def test_plain_numbers_are_not_packed(torch):
    packed = []
    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: packed.append(tensor) or tensor, lambda packed: packed
    ):
        _ = x * 3, x + 1, x / 4
        assert packed == []
        _ = x**2
    assert len(packed) == 1 and packed[0] is x


def test_what_is_not_saved_is_not_packed(torch):
    log = []
    x, constant = leaf(torch, [1.0, 2.0]), torch.tensor([3.0, 4.0])
    with logging_hooks(torch, log):
        _ = x + constant, x.sum(), x.view(2, 1), -x
        assert log == []
        _ = x * constant
    assert log == ["pack"]


def test_nothing_is_packed_under_no_grad(torch):
    log = []
    with torch.no_grad(), logging_hooks(torch, log):
        leaf(torch, 2.0).exp()
    assert log == []


def test_pack_sees_tensors_with_their_history(torch):
    seen = []
    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: seen.append(tensor) or tensor, lambda packed: packed):
        y = x**3
        z = x.exp()
    assert y.requires_grad and seen[0] is x
    assert seen[1].grad_fn is z.grad_fn and seen[1].item() == z.item()


def test_hooks_run_in_the_grad_mode_of_their_pass(torch):
    modes = []

    def note(tensor):
        modes.append(torch.is_grad_enabled())
        return tensor

    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(note, note):
        y = x.exp()
    torch.autograd.grad(y, x, create_graph=True)
    assert modes == [False, True]


def test_a_second_derivative_survives_a_pack_that_detaches(torch):
    x = leaf(torch, 3.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.detach(), lambda packed: packed):
        y = x * x
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (6.0, 2.0)


def test_custom_functions_save_through_the_hooks(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            result = value * value
            ctx.save_for_backward(value, result)
            return result

        @staticmethod
        def backward(ctx, gradient):
            value, _ = ctx.saved_tensors
            return gradient * 2 * value

    log = []
    x = leaf(torch, 3.0)
    with logging_hooks(torch, log):
        y = Square.apply(x)
    y.backward()
    assert log == ["pack", "pack", "unpack", "unpack"] and x.grad.item() == 6.0


def test_a_packed_copy_is_not_bothered_by_later_writes(torch):
    x = leaf(torch, 0.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.clone(), lambda packed: packed):
        y = x.exp()
    y.add_(1)
    y.backward()
    assert x.grad.item() == 1.0


# --- what is refused ----------------------------------------------------------------------------------------------


def test_pack_may_not_change_its_tensor_in_place(torch):
    x = leaf(torch, 2.0)
    hidden = x * 1
    with (
        torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.add_(1), lambda packed: packed),
        pytest.raises(RuntimeError, match="^A saved tensor pack hook is modifying its input in place."),
    ):
        _ = hidden * hidden


def test_unpack_must_return_a_tensor(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda packed: 3):
        y = x.exp()
    with pytest.raises(
        TypeError, match="^Output of saved tensor unpack_hook expected to be a Tensor but got result of type int"
    ):
        y.backward()
    assert x.grad is None


def test_errors_of_the_hooks_come_out_as_they_are(torch):
    def fail(value):
        raise LookupError("in the hook")

    x = leaf(torch, 2.0)
    with (
        torch.autograd.graph.saved_tensors_hooks(fail, lambda packed: packed),
        pytest.raises(LookupError, match="^in the hook$"),
    ):
        x.exp()
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, fail):
        y = x.exp()
    with pytest.raises(LookupError, match="^in the hook$"):
        y.backward()


def test_saved_tensor_hooks_can_be_forbidden(torch):
    with (
        torch.autograd.graph.disable_saved_tensors_hooks("not in this house"),
        pytest.raises(RuntimeError, match="^not in this house"),
        logging_hooks(torch, []),
    ):
        pass
    with logging_hooks(torch, []):
        pass


# --- hooks on one saved value -------------------------------------------------------------------------------------


def test_a_saved_input_is_the_same_object_and_a_saved_output_an_equal_one(torch):
    x = leaf(torch, 2.0)
    product, power = x * x, x.exp()
    assert product.grad_fn._saved_self is x and product.grad_fn._saved_other is x
    saved = power.grad_fn._saved_result
    assert saved is not power and saved.item() == power.item() and saved.grad_fn is power.grad_fn


def test_hooks_on_one_saved_value(torch):
    x = leaf(torch, 0.0)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda tensor: tensor * 10, lambda packed: packed)
    y.backward()
    assert x.grad.item() == 10.0


def test_one_saved_value_takes_one_pair_of_hooks(torch):
    y = leaf(torch, 0.0).exp()
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda tensor: tensor, lambda packed: packed)
    with pytest.raises(
        RuntimeError, match="^Calling register_hooks on a saved tensor whose hooks have already been set."
    ):
        raw.register_hooks(lambda tensor: tensor, lambda packed: packed)


def test_a_freed_value_takes_no_hooks(torch):
    y = leaf(torch, 0.0).exp()
    raw = y.grad_fn._raw_saved_result
    y.backward()
    with pytest.raises(RuntimeError, match="^Calling register_hooks on a saved tensor after it has been freed."):
        raw.register_hooks(lambda tensor: tensor, lambda packed: packed)


# --- save_on_cpu --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pin_memory", [False, True])
def test_save_on_cpu_changes_no_gradient(torch, pin_memory):
    if pin_memory and torch.__name__ == "torch" and not torch.cuda.is_available():
        pytest.skip("PyTorch pins memory only where there is an accelerator")
    x = leaf(torch, 2.0)
    with torch.autograd.graph.save_on_cpu(pin_memory=pin_memory):
        y = (x * x).exp() * x
    (plain,) = torch.autograd.grad((x * x).exp() * x, x)
    y.backward()
    assert x.grad.item() == plain.item()

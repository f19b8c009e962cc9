"""Conjugates and negatives are views: nothing is computed before it is read, and what is written through them arrives
turned round.
"""

import copy
import io
import pickle

import numpy as np
import pytest

import rushlight


@pytest.fixture
def x(torch):
    return torch.tensor([[1 + 2j, 3 - 4j], [5j, 6 + 0j]])


CONJUGATE = [[1 - 2j, 3 + 4j], [-5j, 6 - 0j]]


# ---- what is a view of what


@pytest.mark.parametrize(
    ("expression", "conj", "neg", "view"),
    [
        ("x.conj()", True, False, True),
        ("torch.conj(x)", True, False, True),
        ("x.conj().conj()", False, False, True),
        ("x.H", True, False, True),
        ("x.mH", True, False, True),
        ("x.adjoint()", True, False, True),
        ("x.mH.conj()", False, False, True),
        ("x.mT", False, False, True),
        ("x.conj().imag", False, True, True),
        ("x.conj().real", False, False, True),
        ("x.conj().conj().imag", False, False, True),
        ("torch.imag(x.conj())", False, True, True),
        ("torch._neg_view(x)", False, True, True),
        ("torch._neg_view(x.conj())", True, True, True),
        ("x._neg_view()._neg_view()", False, False, True),
        ("x._neg_view().imag", False, True, True),
        ("x._neg_view().conj().imag", False, False, True),
        ("torch.view_as_real(x._neg_view())", False, True, True),
        ("torch.view_as_complex(torch.ones(3, 2)._neg_view())", False, True, True),
        ("x.real.conj()", False, False, True),
        ("torch.ones(2, dtype=torch.int64)._neg_view()", False, True, True),
        # Views of views
        ("x.conj().T", True, False, True),
        ("x.conj().reshape(4)", True, False, True),
        ("x.conj().view(-1)", True, False, True),
        ("x.conj().flatten()", True, False, True),
        ("x.conj()[0]", True, False, True),
        ("x.conj()[0, 1]", True, False, True),
        ("x.conj()[:, None, 1:]", True, False, True),
        ("next(iter(x.conj()))", True, False, True),
        ("x.conj().unbind(1)[1]", True, False, True),
        ("x.conj().split(1)[1]", True, False, True),
        ("x.conj().expand(3, 2, 2)", True, False, True),
        ("x.conj().diagonal()", True, False, True),
        ("x.conj().unfold(0, 1, 1)", True, False, True),
        ("x.conj().as_strided((2,), (1,))", True, False, True),
        ("x.conj().squeeze()", True, False, True),
        ("x.conj().contiguous()", True, False, True),
        ("x.conj().clone().conj().unsqueeze_(0)", True, False, True),
        # The same memory without history
        ("x.conj().detach()", True, False, False),
        ("x.conj().data", True, False, False),
        ("torch.nn.Parameter(x.conj())", True, False, False),
        ("copy.copy(x.conj())", True, False, False),
        # Copies
        ("x.conj().clone()", False, False, False),
        ("x.t().conj().contiguous()", False, False, False),
        ("x.t().conj().reshape(4)", False, False, False),
        ("x.conj()[[1, 0]]", False, False, False),
        ("x.conj()[torch.tensor([True, False])]", False, False, False),
        ("x.conj().resolve_conj()", False, False, False),
        ("torch.resolve_conj(x._neg_view().conj())", False, False, False),
        ("x.conj().imag.resolve_neg()", False, False, False),
        ("x.conj_physical()", False, False, False),
        ("x.conj().conj_physical()", False, False, False),
        ("x.conj().to(torch.complex128)", False, False, False),
        ("x.conj().to('meta')", False, False, False),
        ("x.conj() * 1", False, False, False),
        ("-x.conj().imag", False, False, False),
        ("torch.tensor(x.conj().tolist())", False, False, False),
        ("torch.zeros_like(x.conj())", False, False, False),
        ("torch.stack([x.conj(), x.conj()])", False, False, False),
        ("torch.utils.data.default_collate([x.conj(), x.conj()])", False, False, False),
        ("copy.deepcopy(x.conj())", False, False, False),
        ("torch.zeros(2, dtype=torch.complex64, device='meta').conj()", True, False, True),
        ("torch.zeros(2, dtype=torch.complex64, device='meta').conj().imag", False, True, True),
    ],
)
def test_what_is_unresolved_and_what_is_a_view(torch, x, expression, conj, neg, view):
    result = eval(expression, {"torch": torch, "x": x, "copy": copy})
    assert (result.is_conj(), result.is_neg(), result._is_view()) == (conj, neg, view)
    assert (torch.is_conj(result), torch.is_neg(result)) == (conj, neg)


@pytest.mark.parametrize(
    "expression",
    [
        "x.conj().conj()._base",
        "x.resolve_conj()",
        "x.resolve_neg()",
        "x.conj().to(torch.complex64).conj()._base",
        "x.conj().cpu()._base",
        "x.conj().real._base",
        "x.conj().imag._base",
    ],
)
def test_some_are_the_tensor_itself(torch, x, expression):
    assert eval(expression, {"torch": torch, "x": x}) is x


def test_a_tensor_that_need_not_be_resolved_is_returned(torch, x):
    conjugate, negative = x.conj(), x.conj().imag
    assert conjugate.resolve_neg() is conjugate
    assert negative.resolve_conj() is negative
    assert torch.as_tensor(conjugate) is conjugate
    assert conjugate.contiguous() is conjugate


def test_the_memory_is_that_of_the_base(x):
    conjugate = x.conj()
    assert conjugate.data_ptr() == x.data_ptr()
    assert conjugate.imag.data_ptr() == x.data_ptr() + 4
    assert conjugate.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert (conjugate.stride(), conjugate.storage_offset(), conjugate.is_contiguous()) == ((2, 1), 0, True)
    assert not conjugate.is_set_to(x)


# ---- writes, from both sides


def test_a_write_to_either_side_is_seen_on_the_other(x):
    conjugate = x.conj()
    x[0, 0] = 7 + 7j
    assert conjugate[0, 0].item() == 7 - 7j
    conjugate[1] = 2j
    assert x[1].tolist() == [-2j, -2j]
    conjugate.imag.mul_(10)
    assert x[0, 0].item() == 7 + 70j
    assert x._version == conjugate._version == conjugate.imag._version == 3


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("c.mul_(1j)", [[2 - 1j, -4 - 3j], [5, -6j]]),
        ("c.zero_()", [[0, 0], [0, 0]]),
        ("c.fill_(1j)", [[-1j, -1j], [-1j, -1j]]),
        ("c.copy_(x)", CONJUGATE),
        ("x.copy_(c)", CONJUGATE),
        ("x.add_(c)", [[2, 6], [0, 12]]),
        ("c.add_(x)", [[2, 6], [0, 12]]),
        ("c.conj_physical_()", CONJUGATE),
        ("c.square_()", [[-3 + 4j, -7 - 24j], [-25, 36]]),
        ("c[:] = c.clone()", [[1 + 2j, 3 - 4j], [5j, 6]]),
        ("x[0] = c[0]", [[1 - 2j, 3 + 4j], [5j, 6]]),
        ("c[0] += 1j", [[1 + 1j, 3 - 5j], [5j, 6]]),
        ("x[0] += c[0]", [[2, 6], [5j, 6]]),
        ("c[[0, 1], [1, 0]] = torch.tensor([1j, 2j])", [[1 + 2j, -1j], [-2j, 6]]),
        ("c[c.real > 2] = 9j", [[1 + 2j, -9j], [5j, -9j]]),
        ("c.masked_fill_(c.real > 2, 9j)", [[1 + 2j, -9j], [5j, -9j]]),
        ("c.imag.copy_(torch.ones(2, 2))", [[1 - 1j, 3 - 1j], [-1j, 6 - 1j]]),
        ("c.imag[0] = 3", [[1 - 3j, 3 - 3j], [5j, 6]]),
        ("c.imag = torch.ones(2, 2)", [[1 - 1j, 3 - 1j], [-1j, 6 - 1j]]),
        ("c.real = torch.ones(2, 2)", [[1 + 2j, 1 - 4j], [1 + 5j, 1]]),
        ("c.t_().mul_(2)", [[2 + 4j, 6 - 8j], [10j, 12]]),
        ("c.t()[0].copy_(torch.tensor([1j, 2j]))", [[-1j, 3 - 4j], [-2j, 6]]),
        ("torch.mul(x, 2, out=c)", [[2 - 4j, 6 + 8j], [-10j, 12]]),
        ("torch.mul(c, 2, out=x)", [[2 - 4j, 6 + 8j], [-10j, 12]]),
        ("torch.mm(torch.eye(2) * (1 + 0j), c.clone(), out=c)", [[1 + 2j, 3 - 4j], [5j, 6]]),
        ("c.data.mul_(1j)", [[2 - 1j, -4 - 3j], [5, -6j]]),
        ("c.detach().mul_(1j)", [[2 - 1j, -4 - 3j], [5, -6j]]),
        ("x._neg_view().add_(1)", [[2j, 2 - 4j], [-1 + 5j, 5]]),
        ("x._neg_view().copy_(x)", [[-1 - 2j, -3 + 4j], [-5j, -6]]),
        ("c._neg_view().fill_(1 + 1j)", [[-1 + 1j, -1 + 1j], [-1 + 1j, -1 + 1j]]),
        ("torch.view_as_real(x)._neg_view()[..., 0].fill_(2)", [[-2 + 2j, -2 - 4j], [-2 + 5j, -2]]),
    ],
)
def test_what_is_written_through_a_view(torch, x, statement, wanted):
    exec(statement, {"torch": torch, "x": x, "c": x.conj()})
    np.testing.assert_allclose(np.array(x.tolist()), wanted, atol=1e-5)


def test_an_empty_out_grows_and_stays_a_conjugate(torch, x):
    out = torch.zeros(0, dtype=torch.complex64).conj()
    assert torch.mul(x, 1j, out=out) is out
    assert out.is_conj()
    assert out.tolist() == (x * 1j).tolist()


def test_random_numbers_are_what_is_seen(torch):
    plain, seen = torch.empty(4), torch.empty(4)
    torch.manual_seed(0)
    plain.uniform_()
    torch.manual_seed(0)
    seen._neg_view().uniform_()
    assert (-seen).tolist() == plain.tolist()


def test_memory_can_be_exchanged_under_a_view(torch, x):
    conjugate = x.conj().detach()
    conjugate.set_(torch.tensor([1j, 2j]))
    assert conjugate.is_conj()
    assert conjugate.tolist() == [-1j, -2j]
    other = torch.zeros(1, dtype=torch.complex64)
    other.data = x.conj()
    assert other.is_conj()
    assert other.tolist() == CONJUGATE


def test_an_expanded_view_is_not_written_to(torch):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.tensor([1j]).expand(3).conj().mul_(2)


# ---- what it refuses, and the way out


@pytest.mark.parametrize(
    ("expression", "error", "words"),
    [
        ("x.conj().numpy()", RuntimeError, "conjugate bit set. Use tensor.resolve_conj().numpy() instead."),
        ("x.conj().imag.numpy()", RuntimeError, "negative bit set. Use tensor.resolve_neg().numpy() instead."),
        ("np.asarray(x.conj())", RuntimeError, "conjugate bit set. Use tensor.resolve_conj().numpy() instead."),
        ("x.conj().__dlpack__()", BufferError, "Can't export tensors with the conjugate bit set"),
        ("torch.from_dlpack(x.conj())", BufferError, "Can't export tensors with the conjugate bit set"),
        ("torch.view_as_real(x.conj())", RuntimeError, "view_as_real doesn't work on unresolved conjugated tensors."),
        ("x.conj().view(torch.float32)", RuntimeError, "is not supported for conjugate view tensors when converting"),
        ("x.imag._neg_view().view(torch.int32)", RuntimeError, "is not supported for tensors with negative bit set"),
    ],
)
def test_refused(torch, x, expression, error, words):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch, "x": x, "np": np})
    assert words in str(caught.value)


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_the_note_says_how_to_repair_it(x):
    with pytest.raises(RuntimeError) as caught:
        x.conj().numpy()
    assert any("numpy(force=True)" in note for note in caught.value.__notes__)


def test_numbers_leave_computed(torch, x):
    conjugate = x.conj()
    assert conjugate.numpy(force=True).tolist() == CONJUGATE
    assert conjugate.resolve_conj().numpy().tolist() == CONJUGATE
    assert conjugate.tolist() == CONJUGATE
    assert conjugate[0, 1].item() == complex(conjugate[0, 1]) == 3 + 4j
    assert float(conjugate.imag[0, 0]) == -2
    assert torch.equal(conjugate, torch.tensor(CONJUGATE))
    assert not torch.equal(conjugate, x)
    assert f"{conjugate[0, 1]}" == "(3+4j)"
    assert repr(conjugate) == "tensor([[1.-2.j, 3.+4.j],\n        [0.-5.j, 6.-0.j]])"
    assert repr(conjugate.imag) == "tensor([[-2.,  4.],\n        [-5., -0.]])"


# PyTorch indexes by what stands in memory; its functions, index_select for one, do not.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_negative_views_of_integers_are_positions(torch):
    positions = torch.tensor([-1, 0])._neg_view()
    values = torch.tensor([10, 20, 30])
    assert values[positions].tolist() == [20, 10]
    assert values.index_select(0, positions).tolist() == [20, 10]
    values[positions] = torch.tensor([1, 2])
    assert values.tolist() == [2, 1, 30]
    assert values.repeat_interleave(torch.tensor([-1, -2, 0])._neg_view()).tolist() == [2, 1, 1]
    assert torch.arange(3)[-torch.tensor(-2)._neg_view()].item() == 1


def test_an_index_as_a_negative_view_may_stand_alone(torch):
    values = torch.tensor([10, 20, 30])
    assert values.index_select(0, torch.tensor([-2])._neg_view()).item() == 30
    assert values[torch.tensor(-2)._neg_view()].item() == 30
    assert values[int(torch.tensor(-1)._neg_view())].item() == 20


# ---- stored and copied


def test_a_pickle_keeps_the_mark(x):
    for source in (x.conj(), x.conj().imag, x._neg_view().H):
        result = pickle.loads(pickle.dumps(source))
        assert (result.is_conj(), result.is_neg()) == (source.is_conj(), source.is_neg())
        assert result.tolist() == source.tolist()


def test_a_checkpoint_keeps_the_mark_and_the_memory(torch, x):
    file = io.BytesIO()
    torch.save({"x": x, "conjugate": x.conj(), "negative": x.clone().conj().imag}, file)
    file.seek(0)
    result = torch.load(file)
    assert result["conjugate"].is_conj()
    assert result["negative"].is_neg()
    result["x"].mul_(2)
    assert result["conjugate"].tolist() == (2 * x).conj().tolist()


def test_a_buffer_of_a_module(torch, x):
    module, other = torch.nn.Module(), torch.nn.Module()
    module.register_buffer("kernel", x.conj())
    other.register_buffer("kernel", torch.zeros(2, 2, dtype=torch.complex64))
    other.load_state_dict(module.state_dict())
    assert module.state_dict()["kernel"].is_conj()
    assert other.kernel.tolist() == CONJUGATE
    other.kernel = other.kernel.conj()
    other.load_state_dict(module.state_dict())
    assert other.kernel.tolist() == CONJUGATE
    assert copy.deepcopy(module).kernel.tolist() == CONJUGATE


# ---- gradients


@pytest.mark.parametrize(
    "expression",
    [
        "x.conj()",
        "x.conj() * x",
        "x.H @ x",
        "x.conj().imag * x.real",
        "x._neg_view().conj().exp()",
        "torch.view_as_complex(torch.view_as_real(x)._neg_view()).conj()",
        "torch.einsum('ij,kj->ik', x.conj(), x)",
        "x.conj()[0] * x.conj()[[1, 0]]",
        "x.conj().resolve_conj()",
        "x.conj_physical().conj()",
        "torch.fft.fft(x.conj())",
        "torch.linalg.solve(x.mH, x.conj())",
        "torch.cat([x.conj(), x])",
    ],
)
def test_derivatives_of_both_orders(torch, expression):
    def function(x):
        return eval(expression, {"torch": torch, "x": x})

    x = torch.tensor([[1 + 2j, 3 - 4j], [5j, 6 + 1j]], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(function, x)
    assert torch.autograd.gradgradcheck(function, x)


def test_nodes(torch):
    x = torch.tensor([1j], requires_grad=True)
    assert x.conj().grad_fn.name() == "ConjBackward0"
    assert x._neg_view().grad_fn.name() == "NegViewBackward0"
    assert x.conj_physical().grad_fn.name() == "ConjPhysicalBackward0"
    imaginary = x.conj().imag.grad_fn
    names = []
    while imaginary is not None:
        names.append(imaginary.name().rsplit("::", 1)[-1])
        imaginary = imaginary.next_functions[0][0] if imaginary.next_functions else None
    wanted = ["SelectBackward0", "NegViewBackward0", "ViewAsRealBackward0", "ConjBackward0", "ConjBackward0"]
    assert names == [*wanted, "AccumulateGrad"]


def test_the_history_of_all_follows_a_write_through_a_conjugate(torch):
    x = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
    y = x * 1
    c, part = y.conj(), y.conj().imag
    c.mul_(2j)
    assert y.grad_fn.name().endswith("CopySlices")
    assert c.grad_fn.name() == "ConjBackward0"
    (gradient,) = torch.autograd.grad(y, x, torch.tensor([1 + 0j, 1j]), retain_graph=True)
    assert gradient.tolist() == [2j, -2]
    (gradient,) = torch.autograd.grad(part, x, torch.tensor([1.0, 10.0]))
    assert gradient.tolist() == [2, 20]


def test_a_conjugate_that_backward_needs_is_missed_when_its_base_is_written_to(torch):
    for write in ("y.mul_(2)", "c.mul_(2)", "c.real.zero_()"):
        x = torch.tensor([1 + 2j], requires_grad=True)
        y = x * 1
        c = y.conj()
        product = c * c
        exec(write)
        with pytest.raises(
            RuntimeError, match=r"modified by an inplace operation: .* output 0 of Conj, is at version 1"
        ):
            product.abs().sum().backward()


def test_in_place_the_old_value_is_kept(torch):
    x, w = (torch.tensor([number], requires_grad=True) for number in (1 + 2j, 3 - 1j))
    c = (x * 1).conj()
    c.mul_(w)
    c.abs().sum().backward()
    (again,) = torch.autograd.grad((x.conj() * w).abs().sum(), w)
    assert torch.allclose(w.grad, again)


def test_hooks_and_gradients_that_arrive_unresolved(torch):
    x = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
    y, seen = x * 1, []
    y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    y.register_hook(lambda gradient: (2 * gradient).conj())
    y.retain_grad()
    y.backward(torch.tensor([1j, 2]).conj())
    assert seen == [[-1j, 2]]
    assert y.grad.tolist() == x.grad.tolist() == [2j, 4]


def test_a_custom_function_may_return_conjugates(torch):
    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x.conj())
            return x * x

        @staticmethod
        def backward(context, gradient):
            (conjugate,) = context.saved_tensors
            return (2 * gradient.conj() * conjugate.conj()).conj()

    x = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
    Turned.apply(x).backward(torch.tensor([1 + 1j, 1]))
    (wanted,) = torch.autograd.grad(x * x, x, torch.tensor([1 + 1j, 1]))
    assert x.grad.tolist() == wanted.tolist()


def test_saved_tensor_hooks_see_the_view(torch):
    x, seen = torch.tensor([1 + 2j], requires_grad=True), []

    def pack(tensor):
        seen.append(tensor.is_conj())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor.conj().clone().conj()):
        (x.conj().exp() * x.conj()).abs().sum().backward()
    assert True in seen
    (wanted,) = torch.autograd.grad((x.conj().exp() * x.conj()).abs().sum(), x)
    assert torch.allclose(x.grad, wanted)


def test_a_gradient_that_was_assigned_unresolved_accumulates(torch):
    x = torch.tensor([1 + 2j], requires_grad=True)
    x.grad = torch.tensor([1j]).conj()
    (x * 1).backward(torch.tensor([1 + 1j]))
    assert x.grad.tolist() == [1]


def test_a_leaf_may_be_unresolved(torch):
    x = torch.tensor([1 + 2j]).conj().requires_grad_()
    (x * x).backward(torch.tensor([1 + 0j]))
    assert x.is_conj()
    assert x.grad.tolist() == [2 + 4j]


@pytest.mark.parametrize("optimizer", ["SGD", "Adagrad"])
def test_optimizers_take_them(torch, optimizer):
    numbers, gradient = torch.tensor([1 + 2j, 3 - 4j]), torch.tensor([1j, 2 - 1j])
    plain, turned = torch.nn.Parameter(numbers.clone()), torch.nn.Parameter(numbers.clone())
    plain.grad, turned.grad = gradient.clone(), gradient.conj_physical().conj()
    for each in (plain, turned):
        if optimizer == "Adagrad":
            each.grad = each.grad.resolve_conj()
        getattr(torch.optim, optimizer)([each], lr=0.1).step()
    assert turned.tolist() == plain.tolist()


# ---- explained

rushlight_only = pytest.mark.parametrize("torch", ["rushlight"], indirect=True)


@rushlight_only
def test_explain_says_what_stands_in_memory(torch, x):
    said = str(torch.explain(x.conj().requires_grad_()))
    assert "The memory holds the conjugates of its values" in said
    assert "numpy(force=True)" in said
    assert "the negatives of its values" in str(torch.explain(x.conj().imag))


@rushlight_only
def test_what_shows_numbers_shows_those_of_the_view(torch):
    x = torch.tensor([3 + 4j], requires_grad=True)
    assert "-4.j" in x.conj()._repr_html_()
    assert "conjugate" in str(torch.explain(x.conj()))
    not_a_number = torch.tensor([0j], requires_grad=True).conj()
    assert "finite" in str(torch.explain.nan.explain_nan((not_a_number / not_a_number).abs().sum(), {}))


# ---- dtypes and devices


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")  # PyTorch says so once
@pytest.mark.parametrize("dtype", [pytest.param("complex32", marks=pytest.mark.complex32), "complex64", "complex128"])
def test_complex_dtypes(torch, dtype):
    x = torch.tensor([1 + 2j, 3j], dtype=getattr(torch, dtype))
    assert x.conj().is_conj()
    assert x.conj().tolist() == x.conj_physical().tolist() == (x.conj() * 1).tolist() == [1 - 2j, -3j]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64", "int8", "int64", "uint8"])
def test_negatives_of_real_numbers(torch, dtype):
    x = torch.tensor([1, 2], dtype=getattr(torch, dtype))
    negative = x._neg_view()
    assert (negative + 1).tolist() == (1 - x).tolist()
    negative.add_(3)
    assert x.tolist() == (torch.tensor([-2, -1]).to(x.dtype)).tolist()
    assert negative.to(torch.float32).tolist() == (-x).float().tolist()


def written_through(x):
    """Numbers computed from a leaf, and written to through their conjugate."""
    y = x * 1
    y.conj().mul_(2j)
    y.conj().imag[0] = 5
    return y


@rushlight_only
@pytest.mark.filterwarnings("ignore:rushlight. the cuda device")
def test_on_another_device(torch):
    with torch.cuda.simulate():
        here, there = (torch.tensor([1 + 2j, 3j], device=place, requires_grad=True) for place in ("cpu", "cuda"))
        for x in (here, there):
            y = written_through(x)
            assert y.conj().device == x.device
            assert y.conj().tolist() == [4 + 5j, 6 + 0j]
            (y.conj() * y).real.sum().backward()
        assert there.grad.tolist() == here.grad.tolist()
        y = y.detach()
        assert pickle.loads(pickle.dumps(y.conj())).tolist() == [4 + 5j, 6 + 0j]
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            y.conj() + torch.tensor([1j, 2j]).conj()
        assert (y.conj() + torch.tensor(1j).conj()).device == y.device


RESOLVED = ["z * w", "w * z", "z / w", "z @ w", "z.abs()", "z.sum()", "z.clone()", "z.resolve_conj()"]


@pytest.mark.parametrize("call", RESOLVED)
def test_conjugates_that_nobody_computed_take_the_short_way(call, monkeypatch):
    """As numbers, where nothing is recorded: what is saved of them would not be noticed when it is overwritten."""

    def space(module):
        w = module.tensor([[1 + 2j, -0.5j], [3 - 1j, 0.25 + 0j]])
        return {"w": w, "z": w.conj()}

    expected = eval(call, space(pytest.importorskip("torch")))
    monkeypatch.setattr("rushlight.dispatch.general.Call", lambda *_: pytest.fail("the general path was taken"))
    result = eval(call, space(rushlight))
    np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=1e-6)
    assert result.is_conj() == expected.is_conj()


def test_a_conjugate_that_is_saved_knows_the_memory_that_it_shows(torch):
    w = torch.tensor([1 + 2j, 3 - 1j])
    x = torch.tensor([1 + 0j, 2j], requires_grad=True)
    y = w.conj() * x
    w.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.abs().sum().backward()

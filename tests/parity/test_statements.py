"""Short programs, statement by statement: values, errors and warnings once differed from PyTorch's."""

import io
import math
import warnings

import numpy as np
import pytest

import rushlight

PROGRAMS = {
    "attributes that cannot be assigned": """
        torch.device("cpu").index = 3
        torch.device("cpu").type = "cuda"
        torch.device("cpu").foo = 3
        torch.float32.itemsize = 3
        torch.float32.is_floating_point = False
        torch.float32.foo = 1
        torch.finfo(torch.float32).max = 1
        torch.iinfo(torch.int8).bits = 1
        torch.iinfo(torch.int8).foo = 1
        torch.strided.foo = 3
        torch.contiguous_format.foo = 3
        torch.device("cuda:1", 1)
        torch.set_warn_always(3)
        torch.is_warn_always_enabled()
        [torch.float32.itemsize, torch.float32.is_floating_point, torch.complex64.is_complex, torch.uint8.is_signed]
        [torch.device("cuda:2").index, torch.iinfo(torch.int8).max, torch.finfo(torch.float16).eps]
    """,
    "complex numbers and integers without an order or a distance": """
        z = torch.ones(2, 2, dtype=torch.complex64)
        torch.mode(z)
        torch.aminmax(z)
        torch.max(z, 0)
        torch.min(z, 0)
        torch.max(z)
        torch.nanmedian(z)
        torch.nanmedian(z, 0)
        torch.nanmedian(z.real.bool())
        torch.cdist(z, z)
        torch.cdist(torch.ones(2, 2), z)
        torch.pdist(z)
        torch.pdist(torch.ones(2, 2).long())
    """,
    "results of linear algebra that out= cannot hold": """
        A = torch.tensor([[2.0, 1], [1, 3]])
        whole, half, complex = torch.empty(0).long(), torch.empty(0).half(), torch.empty(0).cfloat()
        torch.linalg.pinv(A, out=whole)
        torch.linalg.pinv(A, out=half).dtype
        torch.linalg.cond(A, out=whole)
        torch.linalg.eig(A, out=(half, complex))
        torch.linalg.eig(A, out=(complex, whole))
        torch.linalg.eigvals(A, out=half)
        torch.linalg.eigvals(A, out=complex.to(torch.complex128)).dtype
        torch.linalg.householder_product(A, torch.ones(2), out=whole)
        torch.orgqr(A, torch.ones(2), out=whole)
        torch.geqrf(A, out=(whole, whole))
        torch.linalg.tensorinv(A, ind=1, out=whole)
        torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2), out=whole)
        torch.linalg.matrix_power(A, 2, out=whole)
        torch.linalg.matrix_power(A, -1, out=torch.empty(0).double())
        torch.matrix_power(A, 2, out=whole)
        [whole, half, complex]
    """,
    "labels of einsum in lists": """
        A = torch.arange(4.0).reshape(2, 2).requires_grad_()
        torch.einsum(A, [0, 1], A, [1, 2], [0, 2])
        torch.einsum(A, [0, 1], A, (1, 2))
        torch.einsum(A, [0, 0])
        torch.einsum(A, [..., 0])
        torch.einsum(A, [np.int64(0), 1], [1])
        torch.einsum(torch.tensor(3.0), [], A, [0, 1])
        torch.einsum(A, [0, 60])
        torch.einsum(A, [0, 1], 3, [1])
        torch.einsum(A)
        torch.einsum("ij", [A, 3])
        torch.einsum(A, [0, 1], A, [1, 2], [0, 2]).sum().backward()
        A.grad
    """,
    "numbers of two types": """
        torch.testing.assert_close(1, 1.0)
        torch.testing.assert_close([1, 1.0], [1, 1])
        torch.testing.assert_close(1, 1.0, check_dtype=False)
        torch.testing.assert_close(np.float64(1), 1.0)
        torch.testing.assert_close(np.int64(1), 1)
        torch.testing.assert_close(1, True)
        torch.testing.assert_close({"a": True}, {"a": 1.0})
        torch.testing.assert_close(True, np.bool_(True))
    """,
    "stored elements that are compared": """
        s = torch.eye(2).to_sparse()
        t = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        torch.testing.assert_close(s, torch.zeros(2, 2).to_sparse())
        torch.testing.assert_close(s, s * 2)
        torch.testing.assert_close(s, t.to_sparse())
        torch.testing.assert_close(s, s.double())
        torch.testing.assert_close(s, s.double(), check_dtype=False)
        torch.testing.assert_close(s, torch.eye(2), check_layout=False)
        torch.testing.assert_close(s.to_sparse_csr(), t.to_sparse_csr())
        torch.testing.assert_close(s.to_sparse_csc(), torch.ones(2, 2).to_sparse_csc())
        torch.testing.assert_close(torch.sparse_coo_tensor([[0, 0]], [1.0, 1.0], (2,)), torch.ones(2).to_sparse())
        torch.utils.data.default_collate([s, s])
    """,
    "dtypes of out= and in place before kernels": """
        A = torch.eye(2)
        z = torch.ones(2, dtype=torch.complex64)
        i = torch.ones(2, dtype=torch.long)
        torch.cat([A, A], out=torch.zeros(0, dtype=torch.long))
        torch.stack([A, A], out=torch.zeros(0, dtype=torch.bool))
        torch.hstack([A * 1j, A], out=torch.zeros(0))
        torch.abs(z, out=torch.zeros(2, dtype=torch.complex64))
        torch.abs(z, out=torch.zeros(2, dtype=torch.float64))
        torch.abs(z, out=torch.zeros(2, dtype=torch.complex128))
        torch.abs(z, out=torch.zeros(2, dtype=torch.long))
        torch.abs(A, out=torch.zeros(2, 2, dtype=torch.float64))
        i.bitwise_and_(1.0)
        i.bitwise_or_(torch.ones(2))
        i.gcd_(torch.ones(2))
        i.__ilshift__(1j)
        i.clamp_min_(z)
        torch.bitwise_xor(i, 1.0, out=torch.zeros(2, dtype=torch.long))
        torch.bitwise_xor(i, 1.0, out=torch.zeros(2))
        torch.ones(2).bitwise_and_(1)
    """,
    "arguments of norms, distances and searches": """
        A = torch.eye(2)
        torch.norm(A, "nuc", dim=0)
        torch.norm(A, "fro", dim=(0, 1, 1))
        torch.norm(A, "bar", dim=0)
        torch.norm(A, "nuc", dim=(0, 1))
        torch.norm(A, None)
        torch.norm(A, "fro", dim=1)
        torch.cdist(A, A, compute_mode="foo")
        torch.cdist(A, A, compute_mode=None)
        torch.cdist(A, A, compute_mode="use_mm_for_euclid_dist")
        torch.searchsorted(torch.tensor(1.0), 1.0)
        torch.searchsorted(torch.tensor(1.0), torch.tensor([1.0]))
        torch.ones(2) + torch.Size([2])
        torch.set_default_tensor_type(3)
    """,
    "arguments of layers": """
        nn.Conv1d(1, 1, 2, dilation=0)(torch.ones(1, 1, 4))
        nn.Conv3d(1, 1, 2, dilation=(1, 0, 1))(torch.ones(1, 1, 4, 4, 4))
        nn.ConvTranspose1d(1, 1, 2, dilation=-1)(torch.ones(1, 1, 4))
        nn.ConvTranspose2d(1, 1, 2, dilation=0)(torch.ones(1, 1, 4, 4))
        nn.ConvTranspose3d(1, 1, 2, dilation=0)(torch.ones(1, 1, 4, 4, 4))
        nn.Conv2d(1, 1, 2, dilation=-1)(torch.ones(1, 1, 4, 4))
        nn.Embedding(3, 2)(torch.tensor([True]))
        nn.Embedding(3, 2)(torch.ones(2, dtype=torch.bfloat16))
        nn.Embedding(3, 2)(torch.ones(2))
        nn.Hardtanh(min_value=0, max_value=2)
        nn.ConstantPad3d(1, 2)
        nn.ZeroPad1d(1)
        nn.Module().get_extra_state()
        nn.Module().set_extra_state(1)
        nn.LSTMCell(2, 3)(torch.ones(1, 2), torch.ones(1, 3))
        nn.utils.rnn.pad_sequence([torch.ones(2), 2])
        nn.MaxUnpool1d(2)(torch.ones(1, 1, 2), torch.tensor([[[0, 9]]]))
        nn.MaxUnpool1d(2)(torch.ones(1, 1, 2), torch.tensor([[[0, 2]]]), output_size=[9])
        F.scaled_dot_product_attention(torch.ones(1, 4, 3, 4), *[torch.ones(1, 3, 3, 4)] * 2, enable_gqa=True)
    """,
    "what backward and its modes are given": """
        x = torch.ones(2, requires_grad=True)
        (x * 1).sum().backward(inputs=[torch.ones(1)])
        torch.autograd.backward((x * 1).sum(), inputs=torch.ones(1))
        torch.autograd.backward(x.sum(), torch.tensor(1.0), grad_variables=torch.tensor(1.0))
        torch.autograd.set_detect_anomaly("a")
        torch.autograd.set_detect_anomaly(True, 3)
        torch.is_anomaly_enabled()
        repr(torch.set_grad_enabled(True))
        repr(torch.set_grad_enabled(True).clone())
        type(torch.no_grad().clone()).__name__
        torch.inference_mode(False).clone().mode
        x.exp().grad_fn.requires_grad
        x.exp().grad_fn.next_functions[0][0].requires_grad
        torch.autograd.graph.increment_version(3)
        torch.autograd.graph.increment_version([3])
        x.data = torch.ones(2, device="meta")
        x.data = np.ones(2)
        torch.autograd.graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t).__enter__()
        x.clone() ** 2
        torch.autograd.graph.saved_tensors_hooks(None, None).__exit__()
    """,
    "distributions of numbers": """
        D.Gamma(1.0, 2.0).log_prob(0.5)
        D.Chi2(2.0).log_prob(1)
        D.Poisson(3.0, validate_args=False).log_prob(2)
        D.Geometric(0.3, validate_args=False).log_prob(1)
        D.Poisson(3.0).log_prob(2)
        D.Normal(0.0, 1.0).sample(3)
        D.Normal(0.0, 1.0).sample(None)
        D.FisherSnedecor(1.0, -1.0)
        D.StudentT(-1.0)
        D.StudentT(1.0, 0.0, -1.0)
        D.kl_divergence(D.Gamma(1.0, 1.0), D.Beta(1.0, 1.0))
        D.kl_divergence(D.Poisson(1.0), D.Exponential(1.0))
        D.transforms.LowerCholeskyTransform()(torch.ones(2))
        D.constraints.positive_definite.check(torch.ones(2))
        repr(torch.Generator()).split(" at ")[0]
        torch.set_rng_state(3)
        torch.Generator().set_state("a")
        torch.set_rng_state(torch.ones(3))
    """,
    "options of checkpoints and schedules": """
        file = io.BytesIO()
        torch.save(torch.ones(1), file)
        file.seek(0)
        torch.load(file, foo=1)
        file.seek(0)
        torch.load(file, encoding="utf-8")
        o = torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1)
        torch.optim.lr_scheduler.StepLR(o, 1).__module__.split(".", 1)[1]
        torch.optim.lr_scheduler.OneCycleLR.__module__.split(".", 1)[1]
        torch.optim.lr_scheduler.LRScheduler.__module__.split(".", 1)[1]
        type("Mine", (torch.optim.lr_scheduler.StepLR,), {"__module__": "mine"}).__module__
    """,
}

OF_PYTORCH_ONLY = ("is in beta state", "Sparse invariant checks are implicitly disabled")


def ran(torch, program):
    """What each statement of a program gives, and its warnings."""
    torch.manual_seed(0)
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "D": torch.distributions}
    names |= {"np": np, "math": math, "io": io}
    return [(line, *outcome(line, names)) for line in map(str.strip, program.strip().splitlines())]


def outcome(line, names):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = described(eval(line, names)) if is_expression(line) else exec(line, names)
        except Exception as error:
            value = type(error), str(error).splitlines()[:1]
    messages = [(each.category, str(each.message).split(" (Triggered")[0]) for each in caught]
    return value, [each for each in messages if not any(words in each[1] for words in OF_PYTORCH_ONLY)]


def is_expression(line):
    try:
        compile(line, "statement", "eval")
    except SyntaxError:
        return False
    return True


def described(value):
    if not hasattr(value, "detach"):
        return repr(value).replace("rushlight", "torch")
    return f"{value.dtype} {tuple(value.shape)} {value.requires_grad}", np.array(value.detach().to_dense().tolist())


def same(mine, other):
    if isinstance(mine, tuple) and isinstance(mine[1], np.ndarray):
        return mine[0] == other[0] and np.allclose(mine[1], other[1], rtol=1e-5, atol=1e-6, equal_nan=True)
    return mine == other


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title, pytorch):
    ours, theirs = ran(rushlight, PROGRAMS[title]), ran(pytorch, PROGRAMS[title])
    for (line, mine, warned), (_, other, warned_there) in zip(ours, theirs, strict=True):
        assert same(mine, other), line
        assert warned == warned_there, line

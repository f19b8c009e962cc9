"""`__torch_function__` is told of the function that the program called, not of what it is made of."""

import pytest

import rushlight as ours

theirs = pytest.importorskip("torch")

CALLS = """
cat([x, y])  stack([x, y])  hstack([x, y])  vstack((x, y))  where(m, x, y)  where(m, p, y)  einsum('ij,jk->ik', x, y)
einsum('ij,jk->ik', p, y)  meshgrid(v, v, indexing='ij')  meshgrid(q, v, indexing='ij')  broadcast_tensors(x, v)
block_diag(x, p)  atleast_2d(v)  tensordot(x, y)  tensordot(p, y, dims=1)  combinations(v)  cartesian_prod(v, q)
norm(x)  cosine_similarity(x, y)  cosine_similarity(p, y)  pairwise_distance(x, y)  linalg.norm(x)  linalg.inv(x)
fft.fft(x)  isclose(x, p)
chunk(x, 2)  cdist(p, y)  allclose(p, y)  clamp(x, 0, 1)  amax(x, 0)  trapezoid(x)  cov(x)  quantile(x, 0.5)
nn.functional.linear(x, y)  nn.functional.linear(p, y)  nn.functional.linear(p, p, v)  nn.functional.pad(x, (1, 1))
nn.functional.one_hot(i, 2)  nn.functional.normalize(x)  nn.functional.conv1d(z, z)  nn.functional.conv1d(p[None], z)
nn.functional.interpolate(z, scale_factor=2)  nn.functional.scaled_dot_product_attention(z, z, p[None])
nn.functional.layer_norm(x, (2,))  nn.functional.gelu(x)  nn.functional.dropout(x, 0.5)
""".split("\n")
CALLS = [call for line in CALLS for call in line.split("  ") if call]


def seen_by(torch, call):
    """The names of the functions that a call is seen as, and whether the first is the very one that was called."""
    seen = []

    class Seeing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            seen.append(function)
            return super().__torch_function__(function, types, arguments, keywords or {})

    def of(values):
        return torch.tensor(values).as_subclass(Seeing)

    p, q, m = torch.tensor([[2.0, 1.0], [0.5, 3.0]]), torch.tensor([1.0, 2.0]), torch.tensor([[True, False]] * 2)
    x, y, z = of([[1.0, 2.0], [4.0, 3.0]]), of([[0.5, 1.0], [2.0, 1.0]]), of([[[1.0, 2.0], [3.0, 1.0]]])
    torch.manual_seed(0)
    given = {"p": p, "q": q, "m": m, "x": x, "y": y, "z": z, "v": of([1.0, 2.0]), "i": of([0, 1])}
    result = eval(f"torch.{call}", {"torch": torch, **given})
    function = eval(f"torch.{call.partition('(')[0]}", {"torch": torch})
    return [each.__name__ for each in seen], seen[0] is function, type(result).__name__


# Of these there is a function of Python before the one that is seen
IN_PYTHON = ("nn.functional.layer_norm", "nn.functional.dropout")


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_seen_as_what_was_called(call):
    names, is_the_same, result = seen_by(ours, call)
    expected, _, kind = seen_by(theirs, call)
    assert (names, result) == (expected, kind)
    assert is_the_same or call.startswith(IN_PYTHON)


def test_an_object_of_the_program_answers_calls_of_composites():
    for torch in (ours, theirs):

        class Answering:
            @classmethod
            def __torch_function__(cls, function, types, arguments=(), keywords=None):
                return function, arguments, keywords or {}

        answering, x = Answering(), torch.ones(2, 2)
        function, arguments, _ = torch.cat([answering, x], 1)
        assert function is torch.cat and arguments[0][0] is answering and arguments[1:] == (1,)
        function, arguments, _ = torch.einsum("ij,ij", x, answering)
        assert function is torch.einsum and arguments[-1] is answering
        function, arguments, _ = torch.nn.functional.linear(x, answering)
        assert function is torch.nn.functional.linear and arguments == (x, answering)

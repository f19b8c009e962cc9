"""Tensors on meta may be larger than any memory: no operator makes zeros of their size for the shape of its result."""

import warnings

import pytest

import rushlight as ours
from rushlight.arrays import meta

theirs = pytest.importorskip("torch")

CALLS = """
x.T  x.transpose(0, 1)  x.squeeze(0)  x.swapaxes(0, 1)  x.diagonal()  x.trace()  x.view(torch.int32)  x.movedim(0, 1)
x.expand(2, 8, 16)  x.chunk(2)[1]  x.unbind()[0]  x[L(3)]  x[L(3), L(3)]  x.gather(0, L(2, 2))  x.scatter(0, L(2, 2), x)
x.index_select(0, L(3))  x[0].index_select(0, L(3))  x.masked_fill(x > 0, 0.0)  x.std(1)  x.var(1, keepdim=True)
torch.std_mean(x, 0)[1]  x.norm()  x.max(1)[0]  x.sort()[1]  x.topk(2)[0]  x.cumsum(0)  x.softmax(1)  x.log_softmax(1)
x.half().softmax(1)  x.softmax(1, dtype=torch.float64)  x.logsumexp(1)  x.logsumexp((0, 1), True)  x.median()
x.median(1)[1]  torch.bmm(z, z.mT)  torch.baddbmm(M(2, 3, 3), z, z.mT)  torch.einsum('ij,kj->ik', x, x)
torch.clamp(x, 0, 1)  x.clamp(min=0)  x.clamp(x, x)  x.clamp_(0)  torch.logaddexp(x, x[0])  torch.complex(x, x)
torch.polar(x, x[0])  F.softplus(x)  F.mish(x)  F.hardswish(x)  F.gelu(x)  F.silu(x)  F.prelu(x, M(1))  F.glu(x)
F.embedding(L(4, 5), x)  F.embedding(L(4, 5), x, padding_idx=0)  F.embedding_bag(L(4, 5), x)
F.embedding_bag(L(9), x, L(3), mode='sum')  F.embedding_bag(L(9), x, L(3), mode='max')  F.linear(x, M(4, 16), M(4))
F.avg_pool1d(z, 2)  F.adaptive_avg_pool1d(z, 2)  F.max_pool2d(y, 2)  F.interpolate(y, scale_factor=2)
F.interpolate(y, size=(4, 4), mode='bilinear')  F.interpolate(y, size=(4, 4), mode='bicubic')
F.interpolate(z, size=5, mode='linear')  F.interpolate(v, scale_factor=2, mode='trilinear')  F.one_hot(L(3), 5)
F.cross_entropy(x, L(8))  F.nll_loss(x, L(8))  F.binary_cross_entropy(x, x)  F.kl_div(x, x)  F.gumbel_softmax(x)
F.dropout(x)  F.dropout2d(y)  F.alpha_dropout(x)  F.rrelu(x, training=True)  torch.bernoulli(x)  x.bernoulli(0.5)
x.multinomial(2)  x[0].multinomial(3, True)  torch.rand_like(x)  x.clone().normal_()  x.clone().uniform_()
torch.searchsorted(x[0], x[1])  torch.bucketize(x, x[0])  torch.block_diag(x, x[0], M())  torch.quantile(x, 0.5)
torch.index_add(x, 0, L(3), M(3, 16))  x.index_fill(0, L(2), 1.0)  x.masked_scatter(x > 0, x)  x.take(L(3))
torch.take_along_dim(x, L(2, 16), 0)  x.scatter_add(0, L(2, 2), x)  x.scatter_reduce(0, L(2, 2), x, 'mean')
torch.view_as_complex(M(3, 2))  torch.stft(M(40), 8, return_complex=True, window=M(8))  torch.rot90(x)
torch.swapdims(x, 0, 1)  torch.diag(x)  torch.diag(x[0])  torch.diag_embed(x)  torch.diagonal_scatter(x, M(8))
F.scaled_dot_product_attention(z, z, z)  F.scaled_dot_product_attention(z[None], z[None], z[None], is_causal=True)
nn.MultiheadAttention(16, 2, device='meta')(z, z, z)[0]  nn.TransformerEncoderLayer(16, 2, 32, device='meta')(z)
nn.LSTM(16, 4, device='meta')(z)[0]  nn.EmbeddingBag(5, 4, device='meta')(L(4, 5))  F.layer_norm(x, (16,))
F.batch_norm(y, None, None, training=True)  F.group_norm(M(2, 4, 5), 2)  F.normalize(x)  F.pad(y, (1, 1))
""".split("\n")
CALLS = [call for line in CALLS for call in line.split("  ") if call]

LARGE = """
F.embedding(torch.zeros(1000, 1000, dtype=torch.long, device='meta'), M(10**9, 10**5))
F.dropout(M(10**9, 10**5))
F.interpolate(M(2 * 10**8, 3, 2 * 10**8), scale_factor=2)  M(10**9, 10**5).softmax(1)
F.avg_pool1d(M(10**9, 3, 10**5), 2)
M(10**9, 10**5).clamp(0, 1)  M(10**9, 10**5).transpose(0, 1)  M(10**9, 10**5).std(0)
torch.rand_like(M(10**9, 10**5))
""".split("\n")
LARGE = [call for line in LARGE for call in line.split("  ") if call]


def metadata(torch, call):
    """Shape, strides and dtype of a result."""

    def M(*size):
        return torch.empty(size, device="meta")

    def L(*size):
        return torch.zeros(size, dtype=torch.long, device="meta")

    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "M": M, "L": L}
    names |= {"x": M(8, 16), "y": M(2, 3, 8, 8), "z": M(2, 3, 16), "v": M(2, 3, 4, 8, 8)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = eval(call, names)
    assert result.is_meta
    return tuple(result.shape), result.stride(), str(result.dtype).rpartition(".")[2]


@pytest.mark.parametrize("call", CALLS)
def test_no_elements_are_made(call, monkeypatch):
    monkeypatch.setattr(meta, "FEW", -1)
    assert metadata(ours, call) == metadata(theirs, call)


@pytest.mark.parametrize("call", LARGE)
def test_sizes_that_no_memory_has(call):
    assert metadata(ours, call) == metadata(theirs, call)

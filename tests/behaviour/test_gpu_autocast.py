"""The dtypes of results under autocast on a GPU: the lists of PyTorch's documentation.

On a simulated GPU, under rushlight alone.

https://docs.pytorch.org/docs/stable/amp.html#cuda-op-specific-behavior
"""

import pytest

import rushlight as torch

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
F = torch.nn.functional


@pytest.fixture(autouse=True)
def device():
    torch.manual_seed(0)
    with torch.cuda.simulate():
        yield


def names(kind):
    h = torch.rand(4, 4, device="cuda").to(kind)
    return {"torch": torch, "F": F, "h": h, "f": torch.rand(4, 4, device="cuda"), "b": h[None], "v": h[0]}


LOWER = [
    "f @ f", "torch.matmul(f, f)", "torch.mm(f, f)", "torch.bmm(b, b)", "torch.addmm(f, f, f)", "torch.mv(f, v)",
    "torch.addmv(v, f, v)", "torch.addbmm(f, b, b)", "torch.baddbmm(b, b, b)", "F.linear(f, f)", "torch.addr(f, v, v)",
    "torch.einsum('ij,jk->ik', f, f)", "torch.linalg.multi_dot([f, f, f])",
    "F.conv1d(b, torch.ones(2, 4, 1, device='cuda'))", "F.prelu(f, v)", "f.matmul(f)", "torch.linalg.vecdot(f, f)",
    "torch.nn.RNNCell(4, 4).cuda()(f)",
    "F.scaled_dot_product_attention(b, b, b)", "torch.nn.LSTM(4, 4).cuda()(b)[0]", "torch.nn.GRU(4, 4).cuda()(b)[0]",
]  # fmt: skip
FLOAT32 = [
    "h ** 2", "2 ** h", "1 / h", "h.acos()", "h.asin()", "h.cosh()", "h.cumprod(0)", "h.cumsum(0)", "h.exp()",
    "torch.dist(h, h)", "h.erfinv()", "h.expm1()", "h.log()", "h.log10()", "h.log1p()", "h.log2()", "h.pow(3)",
    "h.log_softmax(0)", "h.softmax(0)", "F.softmin(h, 0)", "h.sum()", "h.prod()", "h.norm()", "h.reciprocal()",
    "h.rsqrt()", "h.sinh()", "h.tan()", "F.layer_norm(h, (4,))", "F.group_norm(b, 2)", "F.softplus(h)",
    "F.mse_loss(h, h)", "F.l1_loss(h, h)", "F.smooth_l1_loss(h, h)", "F.cross_entropy(h, h)",
    "F.kl_div(h, h, reduction='sum')",
    "F.nll_loss(h, torch.tensor([0, 1, 2, 3], device='cuda'))", "F.binary_cross_entropy_with_logits(h, h)",
    "F.poisson_nll_loss(h, h)", "F.hinge_embedding_loss(h, h)", "F.soft_margin_loss(h, h)", "torch.cdist(h, h)",
    "F.margin_ranking_loss(v, v, v)", "torch.renorm(h, 2, 0, 1.0)", "F.normalize(h)", "torch.pdist(h)",
    "F.triplet_margin_loss(h, h, h)", "F.cosine_embedding_loss(h, h, v)", "F.huber_loss(h, h)",
    "torch.linalg.vector_norm(h)",
]  # fmt: skip
WIDEST = [
    "torch.addcdiv(h, f, f)", "torch.addcmul(f, h, h)", "torch.atan2(h, f)", "torch.dot(v, f[0])",
    "torch.linalg.cross(h[:, :3], f[:, :3])", "h.scatter_add(0, torch.zeros(4, 4, dtype=torch.long, device='cuda'), f)",
    "F.grid_sample(b[None], torch.zeros(1, 2, 2, 2, device='cuda'), align_corners=False)",
]  # fmt: skip
AS_IT_IS = ["h + h", "h.relu()", "h * 2", "h.mean()", "F.gelu(h)", "h.sigmoid()", "F.avg_pool1d(h, 2)", "h.t()"]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("expression", LOWER)
def test_products_are_computed_in_the_lower_precision(expression, kind):
    with torch.autocast("cuda", dtype=kind):
        assert eval(expression, names(kind)).dtype is kind


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("expression", FLOAT32)
def test_what_overflows_is_computed_in_float32(expression, kind):
    with torch.autocast("cuda", dtype=kind):
        assert eval(expression, names(kind)).dtype is torch.float32


@pytest.mark.parametrize("expression", WIDEST)
def test_operands_of_two_dtypes_take_the_wider_one(expression):
    with torch.autocast("cuda"):
        assert eval(expression, names(torch.float16)).dtype is torch.float32


@pytest.mark.parametrize("expression", AS_IT_IS)
def test_the_rest_is_computed_in_the_dtype_of_its_operands(expression):
    with torch.autocast("cuda"):
        assert eval(expression, names(torch.float16)).dtype is torch.float16


def test_the_loss_that_is_unsafe_is_refused():
    h = torch.rand(3, device="cuda")
    with torch.autocast("cuda"), pytest.raises(RuntimeError, match="and torch.nn.BCELoss are unsafe to autocast"):
        F.binary_cross_entropy(h, h)
    with torch.autocast("cuda", enabled=False):
        F.binary_cross_entropy(h, h)
    with torch.autocast("cpu"):
        F.binary_cross_entropy(torch.rand(3), torch.rand(3))


def test_the_lists_of_the_cpu_are_for_the_cpu():
    x, y = torch.rand(4, 4).bfloat16(), torch.rand(4, 4, device="cuda").half()
    with torch.autocast("cpu"), torch.autocast("cuda"):
        assert x.exp().dtype is torch.bfloat16 and y.exp().dtype is torch.float32
        assert x.softmax(0).dtype is torch.bfloat16 and y.softmax(0).dtype is torch.float32
        assert (x.float() @ x.float()).dtype is torch.bfloat16 and (y.float() @ y.float()).dtype is torch.float16

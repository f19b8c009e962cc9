"""Single calls whose results, strides or errors once differed from PyTorch's: every line runs under both."""

import math

import pytest

import rushlight

META = "x = torch.zeros(3, 4, device='meta'); m = torch.zeros(3, 4, dtype=torch.bool, device='meta'); "
ROWS = "x = torch.zeros(3, 4, device='meta'); m = torch.zeros(3, dtype=torch.bool, device='meta'); "
PLACES = "x = torch.zeros(3, 4, 5, device='meta').permute(2, 0, 1); i = torch.zeros(2, 3, dtype=torch.long); "
TURNED = "x = torch.arange(60.0).reshape(3, 4, 5).permute(2, 0, 1); i = torch.tensor([1, 0]); "
IMAGE = "x = torch.arange(120.0).reshape(2, 3, 4, 5).to(memory_format=torch.channels_last); i = torch.tensor([1, 0]); "
ONES = "x = torch.ones(3, dtype=torch.long); "
SCORES = "x = torch.arange(6.0).reshape(2, 3).requires_grad_(); w = torch.ones(3, requires_grad=True); "
SHRUNK = "torch.manual_seed(1); x = torch.randn(1, 1, {0}, {0}); x[0, 0, 3, 4] = math.inf; "

CALLS = {
    "masks without numbers": [
        META + "x[m]",
        META + "x[m] = 1; x",
        META + "x[m] = torch.ones(2, device='meta'); x",
        META + "x.index_put_((m,), torch.ones((), device='meta'), accumulate=True)",
        META + "x.index_put((m,), torch.ones((), device='meta'))",
        META + "x[m] += 1; x",
        ROWS + "x[m] = 1; x",
        ROWS + "x[m, 0] = 1; x",
        ROWS + "x[m, torch.tensor([1])] = 1; x",
        ROWS + "x[torch.tensor([True, False, True])]",
        ROWS + "x[m[0]]",
        ROWS + "x[m[0]] = 1",
    ],
    "positions without numbers": [
        PLACES + "x[i.to('meta')]",
        PLACES + "x[i]",
        PLACES + "x[:, i]",
        PLACES + "x[i, :, i]",
        PLACES + "x[:, i, i]",
        PLACES + "x[i, i] = 2; x",
        PLACES + "x[i[0, 0].to('meta')]",
        PLACES + "x.index_put_((i.to('meta'),), torch.ones((), device='meta'), accumulate=True)",
        "x = torch.zeros(3, 4, device='meta', requires_grad=True); x[torch.tensor([1, 1])].sum().backward(); x.grad",
    ],
    "positions in turned tensors": [
        *(TURNED + f"x[{index}]" for index in ("i", ":, i", ":, :, i", "i, i", "i, :, i", ":, i, i")),
        *(TURNED + f"i = i.expand(3, 2).t(); x[{index}]" for index in ("i", ":, i", "i, i")),
        *(TURNED + f"i = torch.tensor([[0, 1, 2], [1, 2, 0]]).t(); x[{index}]" for index in ("i", ":, i", "i, :, i")),
        *(TURNED + f"x[{index}]" for index in (":, [True, False, True]", ":, [0, 1]", "x > 3", "1:, i")),
        *(IMAGE + f"x[{index}]" for index in ("i", ":, i", ":, :, i", "i, :, i", "i, :, 0", ":, i, i", "..., i")),
        "x = torch.arange(15.0).reshape(3, 1, 5).expand(3, 4, 5); x[:, torch.tensor([3, 0])]",
        "x = torch.arange(15.0).reshape(3, 1, 5).expand(3, 4, 5); x[:, :, torch.tensor([3, 0])]",
        "x = torch.arange(60.0).reshape(3, 4, 5); x[:, torch.tensor([[0, 1], [1, 2]]).t()]",
        TURNED + "x[:, torch.tensor([0, -9])]",
        TURNED + "x[i, torch.tensor([0, 1, 2])]",
        TURNED + "x.requires_grad_(); x[:, i].sum().backward(); x.grad",
    ],
    "rows of a table that does not have them": [
        *(
            f"w = torch.ones(5, 3).to(torch.{kind}); "
            f"torch.nn.functional.embedding_bag(torch.tensor([{rows}]), w, torch.tensor([0]){more})"
            for kind in ("float32", "float64", "float16")
            for rows in ("0, 7", "0, -1")
            for more in ("", ", mode='sum'", ", mode='max'", ", padding_idx=1")
        ),
        *(
            f"torch.nn.functional.embedding_bag({arguments})"
            for arguments in (
                "torch.tensor([[0, 1], [9, 2]]), torch.ones(5, 3)",
                "torch.tensor([[0, 1], [9, 2]]), torch.ones(3, 5).t()",
                "torch.tensor([[0, 7]]), torch.ones(5, 3), per_sample_weights=torch.ones(1, 2), mode='sum'",
                "torch.tensor([0, 1]), torch.ones(5, 3), torch.tensor([0.0])",
            )
        ),
        "torch.nn.EmbeddingBag(5, 3)(torch.tensor([0, 7]), torch.tensor([0]))",
        *(
            f"torch.nn.functional.embedding(torch.tensor([{rows}]), torch.ones(5, 3), max_norm=1.0)"
            for rows in ("9, 0, 7", "-1, 0", "-6")
        ),
    ],
    "fractions out of range": [
        f"torch.{name}(torch.ones(3), {q})"
        for name in ("quantile", "nanquantile")
        for q in ("-1.0", "2.0", "1.25", "torch.tensor(2.0)", "torch.tensor([0.5, -1.0])", "-1e-9", "1e9")
    ],
    "sizes of parts in a tensor": [
        f"{call}({sizes})"
        for call in ("torch.ones(3, 4).split", "(lambda sizes: torch.split(torch.ones(3, 4), sizes))")
        for sizes in (
            "torch.tensor([1.0, 2.0])", "torch.tensor([1, 2])", "torch.tensor(2)", "torch.tensor(2.7)",
            "torch.tensor([2])", "torch.tensor(True)", "torch.zeros(0)", "torch.tensor(0.5)",
        )
    ],
    "the dtype of out= in which sums and products are computed": [
        *(
            f"x = torch.tensor([[1.7, 2.0], [1.0, {big}]]).to(torch.{kind}); "
            f"torch.{name}(x, 0, out=torch.empty(0, dtype=torch.{out}))"
            for name in ("sum", "prod", "cumsum", "cumprod")
            for kind, out, big in (
                ("float32", "int64", 3), ("float32", "float64", 1e8), ("int32", "bool", 0),
                ("float32", "bool", 3), ("int64", "float16", 3),
            )
        ),
        *(
            f"torch.{name}(torch.ones(2, 3), 0, dtype=torch.float64, out=torch.empty(0, dtype=torch.{out}))"
            for name in ("sum", "prod", "cumsum", "cumprod", "nansum")
            for out in ("float32", "float64", "int64")
        ),
        "torch.nansum(torch.tensor([1e8, 3.0, math.nan]), 0, out=torch.empty(0, dtype=torch.float64))",
    ],
    "gradients where NaN is the largest": [
        f"x = torch.tensor({numbers}, requires_grad=True); {call}.backward(); x.grad"
        for numbers in ("[math.nan, 1.0, 2.0, 3.0]", "[1.0, math.nan, math.nan, 2.0]", "[2.0, 2.0, -2.0, 1.0]")
        for call in (
            "x.norm(p=math.inf)", "x.norm(p=-math.inf)", "torch.linalg.vector_norm(x, math.inf)",
            "torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0, 1, 1]), x, 'amax').sum()",
            "torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0, 1, 1]), x, 'amin', include_self=False).sum()",
        )
    ],
    "units with endless slopes, and zeros": [
        f"torch.nn.functional.{name}(torch.tensor([-2.0, -0.0, 0.0, 1.0, math.nan, math.inf, -math.inf]), {alpha})"
        for name in ("elu", "celu")
        for alpha in ("math.inf", "-math.inf", "math.nan", "-1.0", "2.0", "1.0")
    ] + ["torch.nn.functional.selu(torch.tensor([-0.0, 0.0, 1.0, math.inf]))"],
    "a limit beyond single precision": ["torch.nn.functional.softshrink(torch.ones(2), 1e39)"],
    "shapes that do not fit": [
        *(
            f"torch.{name}(torch.ones({sizes[0]}, dtype=torch.{kind}), torch.ones({sizes[1]}, dtype=torch.{kind}))"
            for sizes in ((3, 2), ((2, 0), (0, 3)))
            for name, kind in (
                ("pow", "complex64"), ("float_power", "complex64"), ("gcd", "float64"), ("lcm", "bool"),
                ("xlogy", "complex64"), ("logaddexp", "int32"), ("fmod", "complex64"), ("bitwise_and", "float32"),
            )
        ),
        "torch.ones(3, dtype=torch.complex64) ** torch.ones(2, dtype=torch.complex64)",
        "torch.aminmax(torch.ones(2, 0), out=torch.zeros(0))",
        "torch.aminmax(torch.ones(2, 3), dim=0, out=torch.zeros(3))",
    ],
    "a mask without dimensions": [
        "torch.zeros(2, 3).index_put_((torch.tensor(True),), torch.tensor(5.0))",
        "torch.zeros(2, 3).index_put_((torch.tensor(False),), torch.tensor(5.0))",
        "torch.tensor(3.0).index_put((torch.tensor(True),), torch.tensor(5.0))",
        "torch.zeros(3).index_put((torch.tensor(True), torch.tensor(1)), torch.tensor(7.0))",
    ],
    "masks of attention": [
        f"x = torch.ones({shape}); torch.nn.functional.scaled_dot_product_attention(x, x, x, torch.ones({mask}))"
        for shape in ((3, 5), (2, 3, 5), (4, 2, 3, 5))
        for mask in ((), (3,), (7,), (2, 3, 3), (1, 4, 1, 3, 3))
    ],
    "histograms of other dtypes": [
        f"torch.histc(torch.tensor({numbers}, dtype=torch.{kind}), {limits})"
        for numbers, kind in (([1, 2], "int64"), ([1, 2], "complex64"), ([1, 0], "bool"), ([], "int32"))
        for limits in ("4", "0", "-1", "4, 0, 2")
    ] + ["torch.histc(torch.tensor([1, 2]), 4, 1, 0)", "torch.histc(torch.tensor([True]), 4, 1, 0)"],
    "windows that are refused": [
        f"torch.nn.functional.{kind}_pool{dims}d(torch.ones({shape}), {settings})"
        for kind in ("max", "avg")
        for dims in (2, 3)
        for shape in ((3,), (3, 3), (2, 9, 9), (1, 2, 9, 9), (1, 2, 9, 9, 9), (1, 1, 2, 9, 9, 9))
        for settings in ("0", "2, 0", "2, 1, -1", "2, 1, 2", "-1, 1", "-5, 1", "2, -1", "3, 1, 2")
    ] + [
        f"torch.nn.functional.max_pool{dims}d(torch.ones((1, 2) + (9,) * {dims}), {settings})"
        for dims in (2, 3)
        for settings in ("3, 1, 2, 2", "3, 1, 1, 2", "2, 1, 2, 3", "3, 1, 0, 0", "3, 1, 0, -1", "2, 1, 1, 3")
    ] + ["torch.nn.functional.avg_pool3d(torch.ones(1, 2, 9, 9, 9), (2, 2))"],
    "whole numbers divided": [
        ONES + "torch.ones(3).addcdiv_(x, x)",
        ONES + "torch.addcdiv(x.float(), x, x, value=1.5)",
        ONES + "torch.addcdiv(x.half(), x, x)",
        ONES + "torch.addcdiv(x.float(), x > 0, x)",
        ONES + "torch.addcdiv(x, x.float(), x)",
        ONES + "torch.addcdiv(x.half(), x, x.half())",
        ONES + "torch.addcdiv(x.expand(2000, 3).float(), x, x)",
    ],
    "a single element": [
        "torch.full((1,), 1e6, dtype=torch.float16)",
        "torch.full((1, 1), -1e39, dtype=torch.bfloat16)",
        "torch.full((0,), 1e6, dtype=torch.float16)",
        "torch.full((), 1e39)",
        "torch.full((), 300, dtype=torch.uint8)",
        "torch.full((2,), 1e6, dtype=torch.float8_e5m2)",
        "torch.scalar_tensor(65519.0, dtype=torch.float16)",
        "torch.scalar_tensor(3.395e38, dtype=torch.bfloat16)",
        "torch.scalar_tensor(1e6, dtype=torch.float8_e4m3fn)",
        "torch.scalar_tensor(1e6, dtype=torch.float8_e5m2)",
        "torch.scalar_tensor(math.inf, dtype=torch.float16)",
        "torch.scalar_tensor(1e5 + 1j, dtype=torch.complex32)",
        "torch.ones(1).half().fill_(1e6)",
        "torch.ones(()).bfloat16().fill_(-1e39)",
        "torch.full_like(torch.ones(1).half(), 70000)",
        "torch.ones(1).half().new_full((1,), 1e6)",
    ],
    "a format without infinity": [
        "torch.tensor([1e6, -1e6, 449.0, 464.0, 465.0, math.inf, -math.inf, math.nan]).to(torch.float8_e4m3fn)",
        "torch.tensor([1e6, -1e6, 449.0], dtype=torch.float8_e4m3fn)",
        "torch.tensor([1e6, -1e6, 449.0]).double().to(torch.float8_e4m3fn)",
        "torch.tensor([1e4, -1e4, 449.0]).half().to(torch.float8_e4m3fn)",
        "torch.tensor([1000, -1000, 3]).to(torch.float8_e4m3fn)",
        "torch.zeros(3, dtype=torch.float8_e4m3fn).copy_(torch.tensor([1e6, -math.inf, 2.0]))",
        "torch.tensor([1e6, -1e6, 6e4, math.inf, math.nan]).to(torch.float8_e5m2)",
        "torch.linspace(-600, 600, 5000).to(torch.float8_e4m3fn)",
    ],
    "borders": [
        "F.pad(torch.ones(2).half(), (1, 1), value=1e6)",
        "F.pad(torch.ones(2), (1, 1), value=1e39)",
        "F.pad(torch.ones(2).half(), (1, 1), value=math.inf)",
        "F.pad(torch.ones(2).bfloat16(), (1, 1), value=0.1)",
        "F.pad(torch.ones(0).half(), (1, 0), value=1e6)",
        "F.pad(torch.ones(2).half(), (0, 0), value=1e6)",
        "F.pad(torch.ones(2, 2).half(), (1, 1, 0, 0), value=1e6)",
        *(f"F.pad(torch.ones(2, dtype=torch.uint8), (1, 1), value={value})" for value in (300, -1, 1.5, 255)),
        "F.pad(torch.ones(2, dtype=torch.uint8), (-1, 0), value=300)",
        "F.pad(torch.ones(2, dtype=torch.int8), (1, 1), value=128)",
        "F.pad(torch.ones(2, dtype=torch.bool), (1, 1), value=2)",
        *(f"F.pad(torch.ones(2, dtype=torch.int64), (1, 1), value={value})" for value in ("math.inf", "1e20", "7")),
        "torch.constant_pad_nd(torch.ones(2, dtype=torch.uint8), (1, 1), 300)",
        "torch.constant_pad_nd(torch.ones(2, dtype=torch.uint8), (1, 1), -1)",
        "F.pad(torch.ones(1, 2, 3, 3).to(memory_format=torch.channels_last), (1, 1), value=2)",
    ],
    "pixels of nothing": [
        "F.pixel_unshuffle(torch.zeros(0, 1, 4, 4), 2)",
        "F.pixel_unshuffle(torch.zeros(2, 1, 0, 4), 2)",
        "F.pixel_unshuffle(torch.zeros(2, 1, 0, 4, device='meta'), 2)",
        "F.pixel_shuffle(torch.zeros(0, 4, 2, 2), 2)",
        "F.pixel_shuffle(torch.zeros(2, 4, 0, 2), 2)",
        "F.pixel_unshuffle(torch.zeros(0, 1, 3, 4), 2)",
        "x = torch.zeros(0, 1, 4, 4, requires_grad=True); F.pixel_unshuffle(x, 2).sum().backward(); x.grad",
    ],
    "ranks of poolings": [
        *(f"F.adaptive_avg_pool1d(torch.ones({shape}), 1)" for shape in ("4", "2, 0", "1, 1, 3, 4")),
        *(f"F.adaptive_avg_pool2d(torch.ones({shape}), 1)" for shape in ("3", "3, 4", "1, 2, 3, 4, 5", "2, 0, 4")),
        *(f"F.adaptive_avg_pool2d(torch.ones({shape}), 2)" for shape in ("3", "3, 4", "1, 2, 3, 4, 5", "2, 0, 4")),
        *(f"F.adaptive_avg_pool3d(torch.ones({shape}), 1)" for shape in ("4, 4", "3, 4, 4", "2, 1, 2, 3, 4, 5")),
        *(f"F.adaptive_max_pool2d(torch.ones({shape}), 1)" for shape in ("4", "4, 4", "1, 2, 3, 4, 5", "2, 0, 4")),
        *(f"F.avg_pool2d(torch.ones({shape}), 2)" for shape in ("4", "4, 4", "1, 1, 1, 4, 4", "1, 0, 4, 4")),
        *(f"F.max_pool2d(torch.ones({shape}), 2)" for shape in ("4", "4, 4", "1, 1, 1, 4, 4", "1, 0, 4, 4")),
        *(f"F.avg_pool3d(torch.ones({shape}), 2)" for shape in ("4, 4", "4, 4, 4", "1, 1, 1, 4, 4, 4")),
        *(f"F.max_pool3d(torch.ones({shape}), 2)" for shape in ("4, 4", "4, 4, 4", "1, 1, 1, 4, 4, 4")),
        "F.adaptive_avg_pool2d(torch.ones(1, 2, 4, 4, dtype=torch.long), 1)",
    ],
    "windows that are larger than what is pooled": [
        *(f"F.avg_pool3d(torch.ones({shape}), 2, padding=1)" for shape in ("1, 4, 1, 4", "1, 2, 2, 2")),
        "F.avg_pool3d(torch.ones(1, 1, 4, 4), 2, padding=1, ceil_mode=True)",
        "F.avg_pool2d(torch.ones(1, 1, 4), 2, padding=1)",
        "F.lp_pool3d(torch.ones(1, 4, 4, 1), 2, 2, ceil_mode=True)",
        "F.fractional_max_pool3d(torch.ones(1, 4, 4, 4), 3, output_size=2)",
        "F.fractional_max_pool3d(torch.ones(1, 5, 5, 5), 3, output_size=2)",
        "F.fractional_max_pool2d(torch.ones(1, 4, 4), 3, output_size=2)",
    ],
    "values repeated over positions": [
        *(
            f"i = torch.tensor([[0, 1], [0, 2]]); torch.zeros(4, dtype=torch.{kind})"
            f".{name}((i,), torch.tensor({values}, dtype=torch.{kind}), accumulate=True)"
            for kind in ("float32", "float64", "int64", "int8", "float16", "bfloat16")
            for name in ("index_put", "index_put_")
            for values in ("[1, 2]", "[[1], [2]]", "[[1, 2]]", "[1]", "1", "[[1, 2], [3, 4]]", "[1, 2, 3]")
        ),
        "i = torch.tensor([[0], [2]]); torch.zeros(3, 2).index_put((i, i % 2), torch.tensor([1.0]), accumulate=True)",
    ],
    "weights that ask for a gradient": [
        SCORES + "F.cross_entropy(x, torch.tensor([0, 1]), w)",
        SCORES + "F.cross_entropy(x, torch.tensor([0, 1]), w, label_smoothing=0.1)",
        SCORES + "F.cross_entropy(x, x.detach().softmax(1), w).backward(); w.grad",
        SCORES + "F.nll_loss(x.detach(), torch.tensor([0, 1]), w)",
        SCORES + "F.nll_loss(x.reshape(2, 3, 1), torch.tensor([[0], [1]]), w)",
        SCORES + "F.nll_loss(x.reshape(2, 3, 1, 1), torch.tensor([[[0]], [[1]]]), w)",
        SCORES + "F.binary_cross_entropy(x.sigmoid(), x.detach().sigmoid(), w)",
        SCORES + "F.binary_cross_entropy_with_logits(x, x.detach().sigmoid(), w)",
        SCORES + "F.binary_cross_entropy_with_logits(x, x.detach().sigmoid(), pos_weight=w)",
        SCORES + "torch.no_grad()(F.cross_entropy)(x, torch.tensor([0, 1]), w)",
        SCORES + "torch.no_grad()(F.binary_cross_entropy_with_logits)(x, x.sigmoid(), w)",
        SCORES + "F.batch_norm(x, w, w)",
        SCORES + "torch.no_grad()(F.batch_norm)(x, w, w)",
    ],
    "losses of two dtypes": [
        *(
            f"x = torch.tensor([0.25, 0.5]); F.{name}(x.to(torch.{one}), x.to(torch.{other}), reduction='{reduction}')"
            for name in ("binary_cross_entropy", "binary_cross_entropy_with_logits")
            for one, other in (
                ("float64", "float32"), ("float32", "float64"), ("bfloat16", "int64"), ("int64", "float32"),
                ("float16", "int64"), ("int64", "int64"),
            )
            for reduction in ("none", "mean")
        ),
        "x = torch.ones(2).double().requires_grad_(); "
        "F.binary_cross_entropy_with_logits(x, torch.ones(2)).backward(); x.grad",
    ],
    "vectors shorter than eps": [
        "x = torch.tensor([3e-9, -4e-9, 0.0]).double().requires_grad_(); y = torch.tensor([1.0, 2.0, 3.0]).double(); "
        "F.cosine_similarity(x, y, 0).backward(); x.grad",
        "x = torch.tensor([[3.0, 4.0], [0.3, 0.4]], requires_grad=True); y = torch.tensor([[1.0, 2.0]]); "
        "F.cosine_similarity(x, y, eps=1.0).sum().backward(); x.grad",
        "x = torch.zeros(3, requires_grad=True); F.cosine_similarity(x, torch.ones(3), 0).backward(); x.grad",
    ],
    "targets of more dimensions": [
        "F.multilabel_soft_margin_loss(torch.ones(2, 4), torch.arange(8.0).reshape(1, 2, 4))",
        "F.multilabel_soft_margin_loss(torch.ones(2, 4), torch.ones(4), reduction='none')",
        "F.multilabel_soft_margin_loss(torch.ones(()), torch.ones(()))",
        "F.multilabel_soft_margin_loss(torch.ones(4), torch.ones(4), torch.arange(4.0))",
    ],
    "no dimension": [
        *(f"torch.{name}(torch.arange(6.0).reshape(2, 3), dim=None)" for name in ("amax", "amin", "hash_tensor")),
        "torch.arange(6.0).reshape(2, 3).amax(None, True)",
        "torch.amax(torch.ones(0, 3), None)",
    ],
    "values that were changed, of rarer dtypes": [
        f"x = torch.ones(2, dtype=torch.{kind}, requires_grad=True).exp(); y = x.sum().abs(); x.zero_(); y.backward()"
        for kind in ("bfloat16", "float16", "float64", "complex64", "complex128")
    ],
    "rows shortened at positions of int32": [
        f"i = torch.tensor([[0, 1], [1, 1]], dtype=torch.{kind}); w = torch.arange(6.0).reshape(3, 2); "
        f"F.{name}(i, w, max_norm=1.5)"
        for kind in ("int32", "int64")
        for name in ("embedding", "embedding_bag")
    ],
    "infinities that are shrunk": [
        SHRUNK.format(size) + f"F.interpolate(x, size={new}, mode='{mode}', antialias=True)"
        for size in (16, 160)
        for new in ((7, 5), (13, 16), (37, 25))
        for mode in ("bilinear", "bicubic")
    ],
    "gamma numbers": [
        "torch._standard_gamma(torch.tensor([0.5, 1.0, 2.0]))",
        "torch._standard_gamma(torch.tensor([0.5, 1.0]).double(), generator=torch.Generator().manual_seed(3))",
        "torch._standard_gamma(torch.tensor([1, 2]))",
        "torch._sample_dirichlet(torch.tensor([1.0, 2.0, 3.0]))",
        "x = torch.tensor([0.1, 0.2]).double(); torch._dirichlet_grad(x, x * 5, torch.ones(2).double())",
    ],
    "drawn in the order of memory": [
        "x = torch.zeros(3, 4, 5).permute(2, 0, 1); torch.manual_seed(0); torch.randint_like(x, 3)",
        "x = torch.zeros(3, 4, 5).permute(2, 0, 1); torch.manual_seed(0); torch.randint_like(x, 2, 300).byte()",
        "x = torch.zeros(2, 3, 4, 4).to(memory_format=torch.channels_last); torch.randint_like(x, 3)",
        "torch.manual_seed(0); torch.randint_like(torch.zeros(3, 4)[:, ::2], 9, dtype=torch.int32)",
        "torch.manual_seed(0); torch.randint_like(torch.zeros(3, 1).expand(3, 4), 9)",
        "torch.randint_like(torch.zeros(3), 5, 5)",
        "torch.randint_like(torch.zeros(3, 2, device='meta'), 5)",
    ],
    "sums of sparse tensors of several dtypes": [
        *(
            f"x = torch.tensor([3, 4, 0], dtype=torch.{kinds[0]}){ours}; "
            f"y = torch.tensor([3, 5, 1], dtype=torch.{kinds[1]}).to_sparse(); torch.{call}.to_dense()"
            for kinds in (("int8", "uint8"), ("uint8", "int8"), ("int16", "uint8"), ("float32", "uint8"))
            for ours in (".to_sparse()", "")
            for call in ("sub(x, y)", "sub(x, y, alpha=300)", "add(x, y, alpha=-2)", "add(x, y, alpha=2.5)")
        ),
        *(
            f"x = torch.ones(3, dtype=torch.{kinds[0]}).to_sparse(); y = torch.ones(3, dtype=torch.{kinds[1]}); "
            "x - y.to_sparse()"
            for kinds in (("bool", "bool"), ("bool", "int8"), ("int8", "bool"))
        ),
    ],
    "shapes of unravel_index": [
        f"torch.unravel_index(torch.tensor(3), {shape})"
        for shape in (
            "torch.tensor([2, 3])", "2.0", "'ab'", "(2, 3.0)", "None", "(2, -3)", "-3", "(torch.tensor(2), 4)", "True",
            "range(2, 4)", "()", "7", "torch.Size([2, 3])",
        )
    ],
    "parts of complex sparse tensors": [
        f"x = torch.tensor([[1 + 2j, 0], [0, 3], [0, 0]]).to_sparse(); {call}"
        for call in (
            "x.real.to_dense()", "torch.imag(x).to_dense()", "x.resolve_conj().imag.to_dense()",
            "x.conj().resolve_conj().imag.to_dense()", "x.resolve_neg().imag.to_dense()", "x.abs().real.to_dense()",
            "x.abs().imag", "x.imag.coalesce().values() + 0",
        )
    ],
    "densities at numbers and at the ends": [
        *(
            f"D = torch.distributions; D.{distribution}.log_prob({value})"
            for distribution in ("Gamma(2.0, 2.0)", "Gamma(1.0, 1.0)", "Chi2(1.0)")
            for value in (0, 1.5, [1.0, 2.0], -1.0)
        ),
        "D = torch.distributions; D.Gamma(torch.tensor(2.0).double(), 2.0).log_prob(1)",
        *(
            "x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True); y = torch.distributions.Binomial(3, logits=x); "
            f"torch.autograd.grad(y.log_prob(torch.tensor({count}.0)).sum(), x)"
            for count in (0, 1, 3)
        ),
        *(
            "x = torch.tensor([-1e12, 1e12, 20, -20, 0.001]); y = torch.distributions.ContinuousBernoulli(logits=x); "
            f"{call}"
            for call in ("y.log_prob(torch.tensor(0.0))", "y.log_prob(torch.tensor(1.0))", "y.probs", "y.mean")
        ),
    ],
    "slopes between coordinates of another dtype": [
        f"x = torch.tensor([0.1, {large}, 0.3]); c = torch.tensor([0.0, 1.0, 2.0]).double(); "
        f"torch.gradient(x, spacing=(c,), edge_order={order})"
        for large in (1e7, 3e7)
        for order in (1, 2)
    ],
    "norms of complex order": [
        f"a = torch.eye(2); torch.{call}"
        for call in (
            "linalg.vector_norm(a, 1 + 2j)", "linalg.vector_norm(a, 2 + 0j)", "linalg.matrix_norm(a, 1j)",
            "linalg.norm(a, 1 + 2j)", "linalg.norm(a, 1 + 2j, dim=0)", "norm(a, 1j)", "norm(a, 1j, dim=(0, 1))",
            "nn.functional.normalize(a, 1j)", "dist(a, a, 1j)", "renorm(a, 1j, 0, 1.0)",
        )
    ],
}  # fmt: skip


def found(torch, call):
    """What a call gives: dtype, shape, strides and numbers, or the type and the first line of its error."""
    torch.manual_seed(0)
    *before, last = call.split("; ")
    names = {"torch": torch, "F": torch.nn.functional, "math": math}
    try:
        exec("; ".join(before), names)
        if " = " in last:
            exec(last, names)
            return None
        result = eval(last, names)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return type(error), str(error).splitlines()[0]
    return [described(each) for each in (result if isinstance(result, tuple) else (result,))]


def described(tensor):
    numbers = None if tensor.is_meta else tensor.detach().double().flatten().tolist()
    return str(tensor.dtype), tuple(tensor.shape), tensor.stride(), numbers


def same(ours, theirs):
    if not isinstance(ours, list) or not isinstance(theirs, list):
        return ours == theirs
    for (*ours_of, mine), (*theirs_of, other) in zip(ours, theirs, strict=True):
        if ours_of != theirs_of or (mine is None) != (other is None):
            return False
        if mine is not None and mine != pytest.approx(other, rel=1e-5, abs=1e-6, nan_ok=True):
            return False
    return True


@pytest.mark.parametrize("call", [pytest.param(each, id=each) for calls in CALLS.values() for each in calls])
def test_call(call, pytorch):
    ours, theirs = found(rushlight, call), found(pytorch, call)
    assert same(ours, theirs), f"{ours}\n{theirs}"

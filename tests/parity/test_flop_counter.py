"""`FlopCounterMode` next to PyTorch's: the same operations, under the same operators and modules."""

import importlib

import pytest

NET = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.head = torch.nn.Sequential(torch.nn.Linear(144, 10), torch.nn.ReLU(), torch.nn.Linear(10, 2))

    def forward(self, x):
        return self.head(self.conv(x).flatten(1))

net = Net()
"""
FORWARDS = [
    "r(3, 4) @ r(4, 5)", "r(3, 4) @ r(4)", "r(4) @ r(4, 3)", "r(2, 3, 4) @ r(2, 4, 5)", "r(2, 3, 4) @ r(4, 5)",
    "r(3, 4) @ r(2, 4, 5)", "r(2, 3, 4, 5) @ r(2, 3, 5, 6)", "r(2, 1, 4, 5) @ r(3, 5, 6)", "r(3) + 1",
    "torch.addmm(r(5), r(3, 4), r(4, 5))", "torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5))",
    "torch.addbmm(r(3, 5), r(2, 3, 4), r(2, 4, 5))", "torch.mm(r(3, 4), r(4, 5), out=torch.empty(3, 5))",
    "F.linear(r(3, 4), r(5, 4), r(5))", "F.linear(r(3, 4), r(5, 4))", "F.linear(r(2, 3, 4), r(5, 4), r(5))",
    "F.linear(r(4), r(5, 4), r(5))", "F.linear(r(4), r(5, 4))",
    "torch.einsum('bij,bjk->bik', r(2, 3, 4), r(2, 4, 5))", "torch.tensordot(r(2, 3, 4), r(4, 5), 1)",
    "torch.linalg.multi_dot([r(2, 3), r(3, 4), r(4, 1)])", "torch.matrix_power(r(3, 3), 3)",
    "F.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3), r(4), padding=1)", "F.conv1d(r(2, 3, 8), r(4, 3, 3))",
    "F.conv2d(r(2, 4, 8, 8), r(4, 2, 3, 3), groups=2, stride=2)", "F.conv3d(r(1, 2, 4, 4, 4), r(3, 2, 2, 2, 2))",
    "F.conv_transpose2d(r(2, 3, 8, 8), r(3, 4, 3, 3), stride=2)", "F.conv2d(r(3, 8, 8), r(4, 3, 3, 3))",
    "F.scaled_dot_product_attention(r(2, 3, 4, 5), r(2, 3, 6, 5), r(2, 3, 6, 5))",
    "F.scaled_dot_product_attention(r(3, 4, 5), r(3, 6, 5), r(3, 6, 5))",
    "F.scaled_dot_product_attention(r(2, 3, 4, 5), r(2, 3, 6, 5), r(2, 3, 6, 7))",
    "torch.nn.LSTMCell(3, 4)(r(2, 3))", "torch.nn.LSTM(3, 4)(r(5, 2, 3))",
    "torch.nn.GRU(3, 4, 2, bidirectional=True)(r(5, 2, 3))",
    "torch.nn.MultiheadAttention(8, 2)(r(5, 2, 8), r(5, 2, 8), r(5, 2, 8))",
    "torch.nn.MultiheadAttention(8, 2)(r(5, 2, 8), r(5, 2, 8), r(5, 2, 8), need_weights=False)", "net(r(2, 3, 8, 8))",
]  # fmt: skip
BACKWARDS = [
    "g(3, 4) @ g(4, 5)", "g(3, 4) @ r(4, 5)", "g(2, 3, 4) @ g(4, 5)", "g(2, 3, 4) @ g(2, 4, 5)",
    "torch.addmm(g(5), g(3, 4), g(4, 5))", "torch.baddbmm(g(2, 3, 5), g(2, 3, 4), g(2, 4, 5))",
    "F.linear(g(2, 3, 4), g(5, 4), g(5))", "F.linear(r(2, 3, 4), g(5, 4), g(5))", "F.linear(g(3, 4), g(5, 4))",
    "F.conv2d(g(2, 3, 8, 8), g(4, 3, 3, 3), g(4))", "F.conv2d(r(2, 3, 8, 8), g(4, 3, 3, 3), g(4))",
    "F.conv2d(g(2, 4, 8, 8), g(4, 2, 3, 3), groups=2, stride=2)", "F.conv1d(g(2, 3, 8), g(4, 3, 3))",
    "F.conv_transpose2d(g(2, 3, 8, 8), g(3, 4, 3, 3), stride=2)",
    "F.scaled_dot_product_attention(g(2, 3, 4, 5), g(2, 3, 6, 5), g(2, 3, 6, 5))",
    "F.scaled_dot_product_attention(g(3, 4, 5), g(3, 6, 5), g(3, 6, 5))",
    "torch.nn.GRU(3, 4)(g(5, 2, 3))[0]", "torch.nn.RNN(3, 4)(r(5, 2, 3))[0]", "torch.nn.GRUCell(3, 4)(g(2, 3))",
    "torch.nn.LSTM(3, 4)(g(5, 2, 3))[0]", "net(r(2, 3, 8, 8))", "net(g(2, 3, 8, 8))",
    "torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(r(2, 5, 8))",
    "torch.utils.checkpoint.checkpoint(torch.nn.Linear(4, 4), g(3, 4), use_reentrant=False)",
    "torch.nn.Sequential(torch.nn.Linear(300, 500), torch.nn.Linear(500, 600))(r(100, 300))",
]  # fmt: skip
PROGRAMS = [
    *FORWARDS,
    *(f"({each}).sum().backward()" for each in BACKWARDS),
    "(net(g(2, 3, 8, 8)).sum() + (r(3, 4) @ g(4, 5)).sum()).backward()",
    "torch.autograd.grad((w @ g(4, 5)).sum(), w)",
    "torch.autograd.grad(torch.autograd.grad((r(5, 3) @ w).pow(2).sum(), w, create_graph=True)[0].pow(2).sum(), w)",
]


def counted(library, program):
    """The counts by module and operator, without zeros, and who counted."""
    module = importlib.import_module(f"{library.__name__}.utils.flop_counter")
    names = {"torch": library, "F": library.nn.functional, "r": library.randn}
    names |= {"g": lambda *size: library.randn(*size, requires_grad=True), "w": library.ones(3, 4, requires_grad=True)}
    exec(NET, names)
    with module.FlopCounterMode(display=False) as counter:
        eval(program, names)
    counts = {
        name: {str(each): number for each, number in of_module.items() if number}
        for name, of_module in counter.get_flop_counts().items()
    }
    return {name: each for name, each in counts.items() if each}, counter


@pytest.mark.parametrize("program", PROGRAMS)
def test_counts(pytorch, program):
    import rushlight

    assert counted(rushlight, program)[0] == counted(pytorch, program)[0]


# ---- without PyTorch


def test_a_model_by_hand(torch):
    """A convolution of 3 channels to 4 by 3x3 at 36 places of 2 images, and layers of 144 to 10 to 2 numbers."""
    counts, counter = counted(torch, "net(r(2, 3, 8, 8)).sum().backward()")
    conv, layers = 2 * 2 * 36 * 4 * 3 * 9, 2 * 2 * (144 * 10 + 10 * 2)
    assert counts["Net"] == {
        "aten.convolution": conv,
        "aten.addmm": layers,
        "aten.mm": 2 * layers,  # for inputs and weights
        "aten.convolution_backward": conv,  # for weights alone, the image is given
    }
    assert counts["Net.head"] == {"aten.addmm": layers, "aten.mm": 2 * layers}
    assert counter.get_total_flops() == 2 * conv + 3 * layers


TABLES = {
    ("net(r(2, 3, 8, 8))", 1): [
        "Module FLOP % Total", "Net 21.392K 100.00%", "- aten.convolution 15.552K 72.70%", "- aten.addmm 5.840K 27.30%"
    ],
    ("(net(r(2, 3, 8, 8)), r(3, 4) @ r(4, 5))", 2): [
        "Module FLOP % Total", "Global 21.512K 100.00%", "- aten.convolution 15.552K 72.29%",
        "- aten.addmm 5.840K 27.15%", "- aten.mm 0.120K 0.56%", "Net 21.392K 99.44%",
        "- aten.convolution 15.552K 72.29%", "- aten.addmm 5.840K 27.15%", "Net.conv 15.552K 72.29%",
        "- aten.convolution 15.552K 72.29%", "Net.head 5.840K 27.15%", "- aten.addmm 5.840K 27.15%",
    ],
    ("r(3, 4) @ r(4, 5)", 2): ["Module FLOP % Total", "Global 120 100.00%", "- aten.mm 120 100.00%"],
    ("r(3) + 1", 2): ["Module FLOP % Total", "Global 0 0%"],
}  # fmt: skip


@pytest.mark.parametrize(("program", "depth"), TABLES)
def test_the_table(program, depth):
    """As PyTorch's, which needs the package tabulate for it."""
    import rushlight

    header, line, *rows = counted(rushlight, program)[1].get_table(depth).splitlines()
    assert [" ".join(each.split()) for each in (header, *rows)] == TABLES[program, depth]
    assert set(line) == {"-", " "} and len({len(each) for each in (header, line, *rows)}) == 1


def test_it_counts_from_the_beginning_each_time(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.flop_counter")
    counter = module.FlopCounterMode(display=False)
    for _ in range(2):
        with counter:
            torch.ones(2, 3) @ torch.ones(3, 4)
    assert counter.get_total_flops() == 48
    torch.ones(2, 3) @ torch.ones(3, 4)
    assert counter.get_total_flops() == 48


def test_a_backward_pass_after_the_block_is_not_counted(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.flop_counter")
    w = torch.ones(3, 4, requires_grad=True)
    with module.FlopCounterMode(display=False) as counter:
        out = torch.ones(2, 3) @ w
    out.sum().backward()
    assert counter.get_total_flops() == 48 and w.grad.tolist() == [[2.0] * 4] * 3


def test_formulas_of_ones_own(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.flop_counter")
    packet = next(each for each in module.flop_registry if str(each) == "aten.mm")

    def thrice(a_shape, b_shape, *args, out_shape=None, **kwargs):
        return 3 * out_shape[0] * out_shape[1]

    with module.FlopCounterMode(display=False, custom_mapping={packet: thrice}) as counter:
        torch.ones(2, 3) @ torch.ones(3, 4)
    assert counter.get_total_flops() == 24
    with pytest.raises(RuntimeError, match="^duplicate registrations for aten.mm$"):
        module.register_flop_formula(packet)(thrice)
    with pytest.raises(ValueError, match=r"^register_flop_formula\(targets\): expected each target to be"):
        module.register_flop_formula("mm")(thrice)


def test_an_operator_of_the_program_is_counted(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.flop_counter")
    name = f"counted_{torch.__name__}::doubled"

    @torch.library.custom_op(name, mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    packet = getattr(torch.ops, name.partition("::")[0]).doubled

    @module.register_flop_formula(packet)
    def formula(x_shape, out_shape=None, **kwargs):
        return 7 * x_shape[0]

    with module.FlopCounterMode(display=False) as counter:
        doubled(torch.ones(2))
        packet(torch.ones(3))
        torch.ones(2, 3) @ torch.ones(3, 4)
    assert counter.get_flop_counts() == {"Global": {packet: 35, torch.ops.aten.mm: 48}}


def test_the_modules_are_not_needed_any_more(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.flop_counter")
    with pytest.warns(UserWarning, match="^mods argument is not needed anymore"):
        module.FlopCounterMode(torch.nn.Linear(2, 2), display=False)


def test_who_is_running(torch):
    module = importlib.import_module(f"{torch.__name__}.utils.module_tracker")
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    seen = []
    model[1].register_forward_pre_hook(lambda *_: seen.append((sorted(tracker.parents), tracker.is_bw)))
    x = torch.ones(1, 2, requires_grad=True)
    with module.ModuleTracker() as tracker:
        out = model(x)
        model[0].weight.register_hook(lambda _: seen.append((sorted(tracker.parents), tracker.is_bw)))
        out.sum().backward()
        assert tracker.parents == {"Global"}
    assert seen[0] == (["Global", "Sequential", "Sequential.1"], False)
    assert seen[1] == (["Global"], True)  # the gradients of the inputs come first, and end it

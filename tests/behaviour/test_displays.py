"""What notebooks show of tensors and modules; that programs print what they always did."""

import re

import pytest

import rushlight
from rushlight import nn


def words(page):
    """A page without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.replace("&gt;", ">").replace("&lt;", "<")))


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (lambda: rushlight.tensor([1.0, 2.0, 3.0]), "3, torch.float32, on cpu, 12 bytes"),
        (lambda: rushlight.ones(2, 3, dtype=rushlight.int64), "2 x 3, torch.int64, on cpu, 48 bytes"),
        (lambda: rushlight.tensor(5.0), "scalar, torch.float32"),
        (lambda: rushlight.tensor([1.0, 2.0, 3.0]), "from 1 to 3, mean 2, standard deviation 0.8165"),
        (lambda: rushlight.tensor([1.0, float("nan"), float("inf")]), "1 NaN and 1 infinite"),
        (lambda: rushlight.tensor([True, False, True]), "2 of 3 are True"),
        (lambda: rushlight.tensor([3 + 4j]), "sizes from 5 to 5"),
        (lambda: rushlight.ones(2, dtype=rushlight.bfloat16), "from 1 to 1"),
        (lambda: rushlight.ones(2), "none: it does not require grad"),
        (lambda: rushlight.ones(2, requires_grad=True) * 2, "goes back through mul()"),
        (lambda: rushlight.ones(3, device="meta"), "on meta"),
        (lambda: rushlight.ones(0), "0, torch.float32"),
    ],
)
def test_what_is_reported_of_a_tensor(tensor, expected):
    assert expected in words(tensor()._repr_html_())


def test_an_accumulated_gradient_is_reported():
    x = rushlight.tensor([3.0, 4.0], requires_grad=True)
    (x * x).sum().backward()
    assert "accumulated in .grad, [6, 8]" in words(x._repr_html_())


def test_the_histogram_counts_all_elements():
    page = rushlight.linspace(0, 1, 240)._repr_html_()
    assert page.count("<rect") == 24
    assert "240 elements from 0 to 1" in page
    assert "<svg" not in rushlight.ones(240)._repr_html_()


def test_of_many_elements_some_are_looked_at():
    page = words(rushlight.zeros(3_000_000)._repr_html_())
    assert "1,000,000 of 3,000,000 elements were looked at" in page


def test_a_repr_with_angle_brackets_is_no_markup():
    x = rushlight.ones(1, requires_grad=True) * 2
    assert "grad_fn=&lt;MulBackward0&gt;" in x._repr_html_()


def test_a_module_is_a_table_of_its_layers():
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2)))
    net[0].weight.requires_grad_(False)
    page = words(net.eval()._repr_html_())
    assert "Linear(in_features=3, out_features=4, bias=True) 16" in page
    assert "14 of 26 parameters trained, 104 bytes, in evaluation mode" in page


def test_many_layers_are_cut_short():
    assert "101 more" in words(nn.Sequential(*[nn.ReLU() for _ in range(300)])._repr_html_())


def test_what_programs_print_is_as_it_was(torch):
    assert repr(torch.ones(2, requires_grad=True)) == "tensor([1., 1.], requires_grad=True)"
    assert repr(torch.nn.Linear(1, 2)) == "Linear(in_features=1, out_features=2, bias=True)"


def test_a_node_is_shown_as_the_picture_of_its_graph(monkeypatch):
    import __main__

    w = rushlight.ones(3, requires_grad=True)
    monkeypatch.setattr(__main__, "scale", w, raising=False)
    svg = (w.exp() * 2).sum().grad_fn._repr_svg_()
    assert svg.startswith("<svg") and {"scale", "exp", "mul", "sum"} <= set(re.findall(r">([a-z]+)</text>", svg))
    assert "<svg" in w.exp().grad_fn.next_functions[0][0]._repr_svg_()  # a leaf is a graph of one

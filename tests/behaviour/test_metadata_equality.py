"""`assert_metadata_eq`: two tensors that differ in their device and elements only, and pairs that differ in more."""

import importlib

import pytest


@pytest.fixture
def compare(torch):
    compare = importlib.import_module(f"{torch.__name__}._subclasses.meta_utils").assert_metadata_eq

    def differences(first, second, **options):
        pairs = []
        compare(lambda a, b: pairs.append((a, b)), first, second, **options)
        return [(a, b) for a, b in pairs if a != b]

    return differences


def test_parameters_on_the_meta_device_have_the_same_metadata(torch, compare):
    layer = torch.nn.Conv2d(2, 3, 3)
    without_memory = torch.nn.Conv2d(2, 3, 3, device="meta")
    pairs = zip(layer.parameters(), without_memory.parameters(), strict=True)
    assert [compare(parameter, other) for parameter, other in pairs] == [[], []]


def test_what_differs_is_compared(torch, compare):
    x = torch.zeros(2, 3)
    assert (torch.float32, torch.float64) in compare(x, x.double())
    assert ((2, 3), (3, 2)) in compare(x, torch.zeros(3, 2))
    assert (False, True) in compare(x, torch.zeros(2, 3, requires_grad=True))
    assert ((3, 1), (1, 2)) in compare(x, torch.empty_strided((2, 3), (1, 2)))
    assert compare(x, torch.zeros(3, 2), skip_symbolic=True) == []


def test_views_are_compared_with_what_they_are_views_of(torch, compare):
    x, y = torch.zeros(4), torch.zeros(6)
    assert compare(x[1:3], torch.zeros(4)[1:3]) == []
    assert ((4,), (6,)) in compare(x[1:3], y[1:3])


def test_gradients_are_compared(torch, compare):
    x, y = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    x.sum().backward()
    assert (False, True) in compare(y, x)
    y.sum().backward()
    assert compare(x, y) == []

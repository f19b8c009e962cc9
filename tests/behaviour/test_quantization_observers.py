"""Observers and rounding in floating point, next to PyTorch's; quantized tensors are not there."""

import copy
import importlib
import pickle
import warnings

import numpy as np
import pytest

SCHEMES = "per_tensor_affine per_tensor_symmetric per_channel_affine per_channel_symmetric".split()
SCHEMES.append("per_channel_affine_float_qparams")
DTYPES = "quint8 qint8 int8 uint8 int16 uint16 qint32 quint4x2".split()
OBSERVERS = [
    "MinMaxObserver", "MovingAverageMinMaxObserver", "PerChannelMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
]  # fmt: skip
RANGES = [{}, {"quant_min": 0, "quant_max": 127}, {"quant_min": -8, "quant_max": 7}, {"reduce_range": True}]
NUMBERS = [np.random.default_rng(0).standard_normal((4, 3, 5)).astype(np.float32) * k for k in (1, 0.3, 7)]


@pytest.fixture(autouse=True)
def without_advice():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.fixture
def Q(torch):
    return importlib.import_module(f"{torch.__name__}.ao.quantization")


def told(library, make):
    """What a module makes of numbers, and what it tells of them and keeps; an error as its type and first words."""
    module = importlib.import_module(f"{library.__name__}.ao.quantization")
    try:
        observer = make(library, module)
        results = np.stack([observer(library.tensor(each)).numpy() for each in NUMBERS])
        again = make(library, module)
        again.load_state_dict(observer.state_dict())
        outputs = [*observer.calculate_qparams(), *again.calculate_qparams(), *observer.state_dict().values()]
    except (NotImplementedError, AssertionError) as error:
        return np.zeros(()), type(error).__name__, " ".join(str(error).split())[:60]
    numbers = [(str(each.dtype), each.double().numpy().round(5).tolist()) for each in outputs]
    return results, numbers, list(observer.state_dict()), repr(observer), observer.quant_min, observer.quant_max


def agree(ours, theirs, where):
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6, atol=1e-6)
    assert ours[1:] == theirs[1:], where


@pytest.mark.parametrize("range_", RANGES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", OBSERVERS)
def test_observers_tell_what_pytorchs_do(pytorch, kind, dtype, range_):
    import rushlight

    for scheme in SCHEMES:

        def make(library, module, scheme=scheme):
            names = {"dtype": getattr(library, dtype), "qscheme": getattr(library, scheme)}
            return getattr(module, kind)(**names, **range_)

        agree(told(rushlight, make), told(pytorch, make), scheme)


def test_what_configurations_make_is_what_pytorchs_make(pytorch):
    import rushlight

    module = rushlight.ao.quantization
    defaults = [each for each in module.observer.__all__ + module.fake_quantize.__all__ if each.startswith("default")]
    for name in defaults:
        if issubclass(type(getattr(module, name)()), module.observer.WithoutParameters):
            assert repr(getattr(module, name)()) == repr(getattr(pytorch.ao.quantization, name)())
            continue
        make = lambda library, found, name=name: getattr(found, name)()  # noqa: E731
        agree(told(rushlight, make), told(pytorch, make), name)
    for name in module.qconfig.__all__[1:]:
        theirs = getattr(importlib.import_module("torch.ao.quantization.qconfig"), name)
        for half in ("activation", "weight"):
            assert repr(getattr(getattr(module, name), half)()) == repr(getattr(theirs, half)()), (name, half)


@pytest.mark.parametrize("how", [(0.1, 0, -3, 3), (0.037, 3, 0, 15), (2.0, -1, -8, 7)])
def test_rounding_and_its_gradient(torch, how):
    scale, zero_point, least, most = how
    x = torch.tensor(NUMBERS[0], requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, *how)
    y.sum().backward()
    steps = np.round(NUMBERS[0] * np.float32(1 / np.float32(scale)) + zero_point)
    expected = (steps.clip(least, most) - zero_point) * np.float32(scale)
    np.testing.assert_allclose(y.detach().numpy(), expected, rtol=1e-6)
    assert (x.grad.numpy() == ((steps >= least) & (steps <= most))).all()


def test_rounding_by_channels(torch):
    x = torch.tensor(NUMBERS[0])
    scales, zero_points = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 1, -2], dtype=torch.int32)
    y = torch.fake_quantize_per_channel_affine(x, scales, zero_points, 1, -3, 3)
    for i in range(3):
        whole = torch.fake_quantize_per_tensor_affine(x[:, i], scales[i], zero_points[i], -3, 3)
        assert torch.equal(y[:, i], whole)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("t(x, 0.1, 0, 3, -3)", RuntimeError, "^`quant_min` should be less than or"),
        ("t(x, 0.1, 9, -3, 3)", RuntimeError, "^`zero_point` must be between `quant_min` and `quant_max`"),
        ("t(x.long(), 0.1, 0, -3, 3)", NotImplementedError, '^"fake_quantize_tensor_cachemask_kernel_type_handling"'),
        ("c(x, s[:2], z[:2], 1, -3, 3)", RuntimeError, "^dimensions of scale and zero-point are not consistent"),
        ("c(x, s, z.long(), 1, -3, 3)", RuntimeError, "^Zero-point must be Int32, Float or Half, found Long"),
        ("c(x, s, z + 7, 1, -3, 3)", RuntimeError, "^`zero_point` must be between"),
        ("c(x, s, z, 5, -3, 3)", IndexError, "^Dimension out of range"),
    ],
)
def test_rounding_that_is_refused(torch, call, error, words):
    names = {"t": torch.fake_quantize_per_tensor_affine, "c": torch.fake_quantize_per_channel_affine}
    names |= {"x": torch.tensor(NUMBERS[0]), "s": torch.ones(3), "z": torch.zeros(3, dtype=torch.int32)}
    with pytest.raises(error, match=words):
        eval(call, names)


def test_a_model_is_trained_to_bear_rounding(torch, Q):
    torch.manual_seed(0)
    rounding = Q.FakeQuantize.with_args(observer=Q.MinMaxObserver, quant_min=0, quant_max=15, dtype=torch.quint8)()
    layer = torch.nn.Linear(4, 1)
    x = torch.randn(64, 4)
    target = x.sum(1, keepdim=True)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(layer(rounding(x)), target)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    before = rounding.scale.clone()
    rounding.apply(Q.disable_observer)
    rounding(100 * x)
    assert torch.equal(rounding.scale, before)
    rounding.apply(Q.disable_fake_quant)
    assert torch.equal(rounding(x), x)


def test_marks_pass_everything_on(torch, Q):
    model = Q.QuantWrapper(torch.nn.Linear(2, 2))
    x = torch.ones(1, 2)
    assert torch.equal(model(x), model.module(x)) and list(dict(model.named_children())) == [
        "quant",
        "dequant",
        "module",
    ]


def test_names_of_dtypes_and_schemes(torch):
    assert isinstance(torch.quint8, torch.dtype) and repr(torch.quint8) == "torch.quint8"
    assert (torch.qint8.itemsize, torch.qint32.itemsize, torch.qint8.is_floating_point) == (1, 4, False)
    assert repr(torch.per_tensor_affine) == "torch.per_tensor_affine"
    assert isinstance(torch.per_channel_symmetric, torch.qscheme)


def test_they_are_one_object_each():
    import rushlight as torch

    for each in (torch.quint8, torch.per_tensor_affine):
        assert pickle.loads(pickle.dumps(each)) is each and copy.deepcopy(each) is each
    with pytest.raises(NotImplementedError, match="quantized tensors"):
        torch.zeros(2, dtype=torch.qint8)

"""How every layer is made: PyTorch's arguments, in its order; `device` and `dtype` where it has numbers of its own."""

import inspect
import re
import warnings

import pytest

import rushlight

nn = rushlight.nn
ARGUMENTS = {
    "AdaptiveLogSoftmaxWithLoss": (20, 20, [5, 10, 15]), "Bilinear": (2, 3, 4), "ChannelShuffle": (2,),
    "CrossMapLRN2d": (5,), "Embedding": (5, 2), "EmbeddingBag": (5, 2), "Fold": (5, 2), "FractionalMaxPool": (5, 2),
    "GRU": (2, 3), "GRUCell": (2, 3), "GroupNorm": (2, 4), "LPPool": (2, 3), "LSTM": (2, 3), "LSTMCell": (2, 3),
    "LayerNorm": (4,), "LazyConv": (5, 2), "LazyConvTranspose": (5, 2), "LazyLinear": (5,), "Linear": (2, 3),
    "LinearCrossEntropyLoss": (4, 3), "LocalResponseNorm": (2,), "MaxUnpool": (5,), "MultiheadAttention": (4, 2),
    "PixelShuffle": (2,), "PixelUnshuffle": (2,), "RMSNorm": (4,), "RNN": (2, 3), "RNNBase": ("LSTM", 2, 3),
    "RNNCell": (2, 3), "RNNCellBase": (2, 3, True, 2), "SyncBatchNorm": (3,), "Threshold": (1, 2),
    "TransformerDecoderLayer": (4, 2), "TransformerEncoderLayer": (4, 2), "Unflatten": (1, (2, 2)), "Unfold": (3,),
    "Conv": (2, 3, 2), "ConvTranspose": (2, 3, 2), "BatchNorm": (3,), "InstanceNorm": (3,), "Transformer": (4, 2, 1, 1),
    "ConstantPad": (2, 3.5),
}  # fmt: skip
WITHOUT = ("Module", "Container", "NLLLoss2d", "TransformerDecoder", "TransformerEncoder")  # these take layers, or warn
NAMES = [name for name in nn.modules.__all__ if inspect.isclass(getattr(nn, name)) and name not in WITHOUT]


def arguments_of(name):
    stem = re.sub(r"[123]d$", "", name)
    plain = (2,) if "Pool" in name or "Pad" in name else ()
    return ARGUMENTS.get(name, ARGUMENTS.get(stem, plain))


def members(torch, name, **options):
    with warnings.catch_warnings(action="ignore"):
        module = getattr(torch.nn, name)(*arguments_of(name), **options)
    result = [*module.named_parameters(), *module.named_buffers()] if isinstance(module, torch.nn.Module) else []
    return [(key, each.device.type, str(each.dtype), each.requires_grad) for key, each in result]


@pytest.mark.parametrize("name", NAMES)
def test_arguments(pytorch, name):
    if not hasattr(pytorch.nn, name):
        pytest.skip("PyTorch has no such layer")
    theirs, ours = (inspect.signature(getattr(torch.nn, name)) for torch in (pytorch, rushlight))
    assert list(ours.parameters) == list(theirs.parameters)


@pytest.mark.parametrize("name", NAMES)
def test_device_and_dtype(pytorch, name):
    if not hasattr(pytorch.nn, name):
        pytest.skip("PyTorch has no such layer")
    takes = "device" in inspect.signature(getattr(nn, name)).parameters or "RNN" in name or name in ("LSTM", "GRU")
    for device, dtype in [(None, None), ("cpu", "float64"), ("meta", None)] if takes else [(None, None)]:
        theirs, ours = (
            members(torch, name, **({"device": device, "dtype": dtype and getattr(torch, dtype)} if takes else {}))
            for torch in (pytorch, rushlight)
        )
        assert ours == theirs


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_no_argument_is_refused(name):
    if name == "Identity":  # takes whatever it is given
        assert isinstance(nn.Identity(nonexistent=3), nn.Identity)
        return
    with pytest.raises(TypeError):
        members(rushlight, name, nonexistent=3)

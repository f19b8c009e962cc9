"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.core.numbers import ARRAY_NUMBERS as numbers
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('activations')

xp_clip = xp.clip
xp_element = xp.element
xp_elu = xp.elu
xp_exp = xp.exp
xp_leaky_relu = xp.leaky_relu
xp_log_sigmoid = xp.log_sigmoid
xp_maximum = xp.maximum
xp_sigmoid = xp.sigmoid
xp_softplus = xp.softplus
xp_tanh = xp.tanh
xp_where = xp.where
forward_celu = OPS['celu'].forward
forward_gelu = OPS['gelu'].forward
forward_glu = OPS['glu'].forward
forward_hardshrink = OPS['hardshrink'].forward
forward_hardtanh = OPS['hardtanh'].forward
forward_prelu = OPS['prelu'].forward
forward_relu6 = OPS['relu6'].forward
forward_rrelu = OPS['rrelu'].forward
forward_selu = OPS['selu'].forward
forward_slope_of_gated = OPS['slope_of_gated'].forward
forward_softshrink = OPS['softshrink'].forward
forward_softsign = OPS['softsign'].forward
forward_tanhshrink = OPS['tanhshrink'].forward


def celu(input, alpha=1.0):
    return forward_celu(xp, input, alpha)


def elu(input, alpha=1.0, scale=1.0, input_scale=1.0):
    return xp_elu(input, alpha, scale, input_scale)


def gated(value, gate):
    return value * xp_sigmoid(gate)


def gelu(input, *, approximate='none'):
    return forward_gelu(xp, input, approximate=approximate)


def glu(input, dim=-1):
    return forward_glu(xp, input, dim)


def hardshrink(input, lambd=0.5):
    return forward_hardshrink(xp, input, lambd)


def hardsigmoid(input):
    return xp_clip(input + numbers[input.dtype][3], 0, 6) / numbers[input.dtype][6]


def hardswish(input):
    return input * xp_clip(input + numbers[input.dtype][3], 0, 6) / numbers[input.dtype][6]


def hardtanh(input, min_val=-1.0, max_val=1.0):
    return forward_hardtanh(xp, input, min_val, max_val)


def leaky_relu(input, negative_slope=0.01):
    return xp_leaky_relu(input, negative_slope)


def logsigmoid(input):
    return xp_log_sigmoid(input)


def mish(input):
    return input * xp_tanh(xp_softplus(input, 1, 20))


def prelu(input, weight):
    return forward_prelu(F, input, weight)


def prelu_kernel(input, weight):
    return xp_where(input > numbers[input.dtype].zero, input, weight * input)


def relu(input):
    return xp_maximum(input, 0)


def relu6(input):
    return forward_relu6(F, input)


def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    return forward_rrelu(F, input, lower, upper, training, generator)


def rrelu_with_noise(input, noise, lower, upper, training):
    return xp_where(input > numbers[input.dtype].zero, input, input * (noise if training else xp_element((lower + upper) / 2, input.dtype)))


def selu(input):
    return forward_selu(F, input)


def silu(input):
    return input / (xp_exp(-input) + numbers[input.dtype][1])


def slope_of_gated(gate, value, g):
    return forward_slope_of_gated(F, gate, value, g)


def softplus(input, beta=1.0, threshold=20.0):
    return xp_softplus(input, beta, threshold)


def softshrink(input, lambd=0.5):
    return forward_softshrink(xp, input, lambd)


def softsign(input):
    return forward_softsign(F, input)


def tanhshrink(input):
    return forward_tanhshrink(F, input)


def threshold(input, threshold, value):
    return xp_where(input <= xp_element(threshold, input.dtype), xp_element(value, input.dtype), input)

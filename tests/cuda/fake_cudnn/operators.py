"""The operators of the stand-in, by name."""

from . import attention, batch_norm, convolution

OPERATORS = {each.name: each for each in (*convolution.OPERATORS, *batch_norm.OPERATORS, *attention.OPERATORS)}

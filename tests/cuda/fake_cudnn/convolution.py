"""Convolutions of the stand-in."""

import rushlight as torch

from .operator import COMMON, Operator

SETTINGS = ("pre_padding", "post_padding", "stride", "dilation", "convolution_mode", *COMMON)


def check(io, operands, results, pre_padding, post_padding, stride, dilation):
    assert pre_padding == post_padding and all(each.kind is io for each in (*operands.values(), *results))
    assert all(len(each.dim) == len(stride) + 2 >= 4 for each in operands.values()) and len(stride) == len(dilation)


def conv_fprop(image, weight, pre_padding, post_padding, stride, dilation, shapes):
    function = getattr(torch.nn.functional, f"conv{len(stride)}d")
    return [function(image, weight, None, stride, pre_padding, dilation, image.shape[1] // weight.shape[1])]


def conv_dgrad(loss, filter, pre_padding, post_padding, stride, dilation, shapes):
    function = getattr(torch.nn.grad, f"conv{len(stride)}d_input")
    return [function(shapes[0], filter, loss, stride, pre_padding, dilation, shapes[0][1] // filter.shape[1])]


def conv_wgrad(image, loss, pre_padding, post_padding, stride, dilation, shapes):
    function = getattr(torch.nn.grad, f"conv{len(stride)}d_weight")
    return [function(image, shapes[0], loss, stride, pre_padding, dilation, image.shape[1] // shapes[0][1])]


OPERATORS = [
    Operator(compute.__name__, operands, SETTINGS, lambda operands, settings: [True], check, compute)
    for compute, operands in (
        (conv_fprop, ("image", "weight")),
        (conv_dgrad, ("loss", "filter")),
        (conv_wgrad, ("image", "loss")),
    )
]

"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.ops import library
from rushlight.ops.declare import OPS

import rushlight._generated.raw as F

library.load('special')

xp_digamma = xp.digamma
xp_erf = xp.erf
xp_erfc = xp.erfc
xp_erfinv = xp.erfinv
xp_gammainc = xp.gammainc
xp_gammaincc = xp.gammaincc
xp_i0 = xp.i0
xp_i0e = xp.i0e
xp_i1 = xp.i1
xp_i1e = xp.i1e
xp_lgamma = xp.lgamma
xp_multigamma = xp.multigamma
xp_polygamma = xp.polygamma
forward_polygamma = OPS['polygamma'].forward


def digamma(input):
    return xp_digamma(input)


def digamma_derivative(input, n):
    return xp_polygamma(n, input)


def erf(input):
    return xp_erf(input)


def erfc(input):
    return xp_erfc(input)


def erfinv(input):
    return xp_erfinv(input)


def i0(input):
    return xp_i0(input)


def i0e(input):
    return xp_i0e(input)


def i1(input):
    return xp_i1(input)


def i1e(input):
    return xp_i1e(input)


def igamma(input, other):
    return xp_gammainc(input, other)


def igammac(input, other):
    return xp_gammaincc(input, other)


def lgamma(input):
    return xp_lgamma(input)


def mvlgamma(input, p):
    return xp_multigamma(input, p)


def polygamma(n, input):
    return forward_polygamma(F, n, input)

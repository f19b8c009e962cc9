"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('special')

xp_airy_ai = xp.airy_ai
xp_chebyshev = xp.chebyshev
xp_copy = xp.copy
xp_digamma = xp.digamma
xp_dirichlet_slope = xp.dirichlet_slope
xp_entr = xp.entr
xp_erf = xp.erf
xp_erfc = xp.erfc
xp_erfcx = xp.erfcx
xp_erfinv = xp.erfinv
xp_gamma_slope = xp.gamma_slope
xp_gammainc = xp.gammainc
xp_gammaincc = xp.gammaincc
xp_hermite_h = xp.hermite_h
xp_hermite_he = xp.hermite_he
xp_i0 = xp.i0
xp_i0e = xp.i0e
xp_i1 = xp.i1
xp_i1e = xp.i1e
xp_j0 = xp.j0
xp_j1 = xp.j1
xp_k0 = xp.k0
xp_k0e = xp.k0e
xp_k1 = xp.k1
xp_k1e = xp.k1e
xp_laguerre = xp.laguerre
xp_legendre = xp.legendre
xp_lgamma = xp.lgamma
xp_log_ndtr = xp.log_ndtr
xp_ndtri = xp.ndtri
xp_normal_distribution = xp.normal_distribution
xp_shifted_chebyshev = xp.shifted_chebyshev
xp_slope_of_gelu = xp.slope_of_gelu
xp_spherical_bessel_j0 = xp.spherical_bessel_j0
xp_xlog1py = xp.xlog1py
xp_y0 = xp.y0
xp_y1 = xp.y1
xp_zeta = xp.zeta
forward_digamma_derivative = OPS['digamma_derivative'].forward
forward_mvlgamma = OPS['mvlgamma'].forward
forward_polygamma = OPS['polygamma'].forward
forward_special_expit = OPS['special_expit'].forward
forward_special_gammainc = OPS['special_gammainc'].forward
forward_special_gammaincc = OPS['special_gammaincc'].forward
forward_special_gammaln = OPS['special_gammaln'].forward
forward_special_multigammaln = OPS['special_multigammaln'].forward
forward_special_ndtr = OPS['special_ndtr'].forward
forward_special_psi = OPS['special_psi'].forward


def digamma(input):
    return xp_digamma(input)


def digamma_derivative(input, n):
    return forward_digamma_derivative(xp, input, n)


def dirichlet_drawn(concentration, values):
    return xp_copy(values)


def dirichlet_slope(values, concentration, total):
    return xp_dirichlet_slope(values, concentration, total)


def erf(input):
    return xp_erf(input)


def erfc(input):
    return xp_erfc(input)


def erfinv(input):
    return xp_erfinv(input)


def gamma_drawn(concentration, values):
    return xp_copy(values)


def gamma_slope(values, concentration):
    return xp_gamma_slope(values, concentration)


def i0(input):
    return xp_i0(input)


def igamma(input, other):
    return xp_gammainc(input, other)


def igammac(input, other):
    return xp_gammaincc(input, other)


def lgamma(input):
    return xp_lgamma(input)


def mvlgamma(input, p):
    return forward_mvlgamma(xp, input, p)


def normal_distribution(input):
    return xp_normal_distribution(input)


def polygamma(n, input):
    return forward_polygamma(F, n, input)


def slope_of_gelu(input):
    return xp_slope_of_gelu(input)


def special_airy_ai(x):
    return xp_airy_ai(x)


def special_bessel_j0(input):
    return xp_j0(input)


def special_bessel_j1(input):
    return xp_j1(input)


def special_bessel_y0(input):
    return xp_y0(input)


def special_bessel_y1(input):
    return xp_y1(input)


def special_chebyshev_polynomial_t(x, n):
    return xp_chebyshev('t', x, n)


def special_chebyshev_polynomial_u(x, n):
    return xp_chebyshev('u', x, n)


def special_chebyshev_polynomial_v(x, n):
    return xp_chebyshev('v', x, n)


def special_chebyshev_polynomial_w(x, n):
    return xp_chebyshev('w', x, n)


def special_entr(input):
    return xp_entr(input)


def special_erfcx(input):
    return xp_erfcx(input)


def special_expit(input):
    return forward_special_expit(F, input)


def special_gammainc(input, other):
    return forward_special_gammainc(F, input, other)


def special_gammaincc(input, other):
    return forward_special_gammaincc(F, input, other)


def special_gammaln(input):
    return forward_special_gammaln(F, input)


def special_hermite_polynomial_h(x, n):
    return xp_hermite_h(x, n)


def special_hermite_polynomial_he(x, n):
    return xp_hermite_he(x, n)


def special_i0e(input):
    return xp_i0e(input)


def special_i1(input):
    return xp_i1(input)


def special_i1e(input):
    return xp_i1e(input)


def special_laguerre_polynomial_l(x, n):
    return xp_laguerre(x, n)


def special_legendre_polynomial_p(x, n):
    return xp_legendre(x, n)


def special_log_ndtr(input):
    return xp_log_ndtr(input)


def special_modified_bessel_i0(input):
    return xp_i0(input)


def special_modified_bessel_i1(input):
    return xp_i1(input)


def special_modified_bessel_k0(input):
    return xp_k0(input)


def special_modified_bessel_k1(input):
    return xp_k1(input)


def special_multigammaln(input, p):
    return forward_special_multigammaln(F, input, p)


def special_ndtr(input):
    return forward_special_ndtr(F, input)


def special_ndtri(input):
    return xp_ndtri(input)


def special_psi(input):
    return forward_special_psi(F, input)


def special_scaled_modified_bessel_k0(x):
    return xp_k0e(x)


def special_scaled_modified_bessel_k1(x):
    return xp_k1e(x)


def special_shifted_chebyshev_polynomial_t(x, n):
    return xp_shifted_chebyshev('t', x, n)


def special_shifted_chebyshev_polynomial_u(x, n):
    return xp_shifted_chebyshev('u', x, n)


def special_shifted_chebyshev_polynomial_v(x, n):
    return xp_shifted_chebyshev('v', x, n)


def special_shifted_chebyshev_polynomial_w(x, n):
    return xp_shifted_chebyshev('w', x, n)


def special_spherical_bessel_j0(x):
    return xp_spherical_bessel_j0(x)


def special_xlog1py(input, other):
    return xp_xlog1py(input, other)


def special_zeta(input, other):
    return xp_zeta(input, other)

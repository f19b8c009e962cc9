"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('order')

xp_isin = xp.isin
forward_argsort = OPS['argsort'].forward
forward_bincount = OPS['bincount'].forward
forward_corrcoef = OPS['corrcoef'].forward
forward_counts = OPS['counts'].forward
forward_cov = OPS['cov'].forward
forward_cummax = OPS['cummax'].forward
forward_cummin = OPS['cummin'].forward
forward_cumprod = OPS['cumprod'].forward
forward_cumsum = OPS['cumsum'].forward
forward_cumulative_trapezoid = OPS['cumulative_trapezoid'].forward
forward_diff = OPS['diff'].forward
forward_gradient = OPS['gradient'].forward
forward_histc = OPS['histc'].forward
forward_histogram = OPS['histogram'].forward
forward_histogram_in_edges = OPS['histogram_in_edges'].forward
forward_histogram_in_ranges = OPS['histogram_in_ranges'].forward
forward_histogramdd = OPS['histogramdd'].forward
forward_kthvalue = OPS['kthvalue'].forward
forward_logcumsumexp = OPS['logcumsumexp'].forward
forward_median = OPS['median'].forward
forward_median_all = OPS['median_all'].forward
forward_median_dim = OPS['median_dim'].forward
forward_mode = OPS['mode'].forward
forward_msort = OPS['msort'].forward
forward_nanmedian = OPS['nanmedian'].forward
forward_nanmedian_all = OPS['nanmedian_all'].forward
forward_nanmedian_dim = OPS['nanmedian_dim'].forward
forward_nanquantile = OPS['nanquantile'].forward
forward_quantile = OPS['quantile'].forward
forward_recurrence = OPS['recurrence'].forward
forward_shifted = OPS['shifted'].forward
forward_sort = OPS['sort'].forward
forward_std = OPS['std'].forward
forward_std_mean = OPS['std_mean'].forward
forward_topk = OPS['topk'].forward
forward_trapezoid = OPS['trapezoid'].forward
forward_unique = OPS['unique'].forward
forward_unique_consecutive = OPS['unique_consecutive'].forward
forward_unique_elements = OPS['unique_elements'].forward
forward_unique_runs = OPS['unique_runs'].forward
forward_unique_with_places = OPS['unique_with_places'].forward
forward_var = OPS['var'].forward
forward_var_mean = OPS['var_mean'].forward
forward_weighted_counts = OPS['weighted_counts'].forward


def argsort(input, dim=-1, descending=False, *, stable=False):
    return forward_argsort(xp, input, dim, descending, stable=stable)


def bincount(input, weights=None, minlength=0):
    return forward_bincount(F, input, weights, minlength)


def corrcoef(input):
    return forward_corrcoef(F, input)


def counts(input, minlength):
    return forward_counts(xp, input, minlength)


def cov(input, *, correction=1, fweights=None, aweights=None):
    return forward_cov(F, input, correction=correction, fweights=fweights, aweights=aweights)


def cummax(input, dim):
    return forward_cummax(xp, input, dim)


def cummin(input, dim):
    return forward_cummin(xp, input, dim)


def cumprod(input, dim, *, dtype=None):
    return forward_cumprod(xp, input, dim, dtype=dtype)


def cumsum(input, dim, *, dtype=None):
    return forward_cumsum(xp, input, dim, dtype=dtype)


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    return forward_cumulative_trapezoid(F, y, x, dx=dx, dim=dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    return forward_diff(F, input, n, dim, prepend, append)


def gradient(input, *, spacing=None, dim=None, edge_order=1):
    return forward_gradient(F, input, spacing=spacing, dim=dim, edge_order=edge_order)


def histc(input, bins=100, min=0, max=0):
    return forward_histc(xp, input, bins, min, max)


def histogram(input, bins=100, *, range=None, weight=None, density=False):
    return forward_histogram(F, input, bins, range=range, weight=weight, density=density)


def histogram_in_edges(input, weight, edges, density):
    return forward_histogram_in_edges(xp, input, weight, edges, density)


def histogram_in_ranges(input, weight, bins, range, density):
    return forward_histogram_in_ranges(xp, input, weight, bins, range, density)


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    return forward_histogramdd(F, input, bins, range=range, weight=weight, density=density)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    return xp_isin(elements, test_elements, assume_unique, invert)


def kthvalue(input, k, dim=-1, keepdim=False):
    return forward_kthvalue(xp, input, k, dim, keepdim)


def logcumsumexp(input, dim):
    return forward_logcumsumexp(xp, input, dim)


def median(input, dim=None, keepdim=False):
    return forward_median(F, input, dim, keepdim)


def median_all(input):
    return forward_median_all(xp, input)


def median_dim(input, dim, keepdim=False):
    return forward_median_dim(xp, input, dim, keepdim)


def mode(input, dim=-1, keepdim=False):
    return forward_mode(xp, input, dim, keepdim)


def msort(input):
    return forward_msort(F, input)


def nanmedian(input, dim=None, keepdim=False):
    return forward_nanmedian(F, input, dim, keepdim)


def nanmedian_all(input):
    return forward_nanmedian_all(xp, input)


def nanmedian_dim(input, dim, keepdim=False):
    return forward_nanmedian_dim(xp, input, dim, keepdim)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation='linear'):
    return forward_nanquantile(F, input, q, dim, keepdim, interpolation=interpolation)


def quantile(input, q, dim=None, keepdim=False, *, interpolation='linear'):
    return forward_quantile(F, input, q, dim, keepdim, interpolation=interpolation)


def recurrence(input, factor, dim, backwards=False):
    return forward_recurrence(xp, input, factor, dim, backwards)


def shifted(input, dim, step, fill):
    return forward_shifted(xp, input, dim, step, fill)


def sort(input, dim=-1, descending=False, *, stable=None):
    return forward_sort(xp, input, dim, descending, stable=stable)


def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_std(xp, input, dim, unbiased, keepdim, correction=correction)


def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_std_mean(xp, input, dim, unbiased, keepdim, correction=correction)


def topk(input, k, dim=-1, largest=True, sorted=True):
    return forward_topk(xp, input, k, dim, largest, sorted)


def trapezoid(y, x=None, *, dx=1, dim=-1):
    return forward_trapezoid(F, y, x, dx=dx, dim=dim)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    return forward_unique(F, input, sorted, return_inverse, return_counts, dim)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    return forward_unique_consecutive(F, input, return_inverse, return_counts, dim)


def unique_elements(input):
    return forward_unique_elements(xp, input)


def unique_runs(input, dim=None, return_inverse=True, return_counts=True):
    return forward_unique_runs(xp, input, dim, return_inverse, return_counts)


def unique_with_places(input, dim=None):
    return forward_unique_with_places(xp, input, dim)


def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_var(xp, input, dim, unbiased, keepdim, correction=correction)


def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_var_mean(xp, input, dim, unbiased, keepdim, correction=correction)


def weighted_counts(input, weights, minlength):
    return forward_weighted_counts(xp, input, weights, minlength)

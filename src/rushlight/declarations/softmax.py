"""The softmax family: exponentials over their sum."""

from __future__ import annotations

from rushlight.core.dtype import REDUCED_NUMPY, float32, float64
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import cast_to, refuse
from rushlight.declarations.shapes import one_dim

FLOAT32, FLOAT64 = float32.numpy, float64.numpy
ALONG_DIM = lambda r: [(r(2, 3), 1), (r(2, 3), 0), (r(2, 3, 2), -2), (r(), 0), (r(0, 3), 0), (r(0, 3), 1)]


def prepared(xp, input, dim, dtype, name: str):
    """Returns the input in the requested dtype, which must be floating point."""
    if dtype is not None or input.dtype.kind != "f":
        input = cast_to(xp, input, dtype)
        refuse(input, "biuc", f"{name}{'_lastdim' if dim in (-1, max(input.ndim - 1, 0)) else ''}_kernel_impl")
    # Half precision is rounded to, not computed in.
    return xp.astype(input, FLOAT32) if input.dtype in REDUCED_NUMPY else input


@op
class softmax:
    """`exp(input)` divided by its sum along `dim`."""

    def forward(xp, input: Tensor, dim, dtype=None):
        if dtype is not None or not ((kind := input.dtype) is FLOAT32 or kind is FLOAT64):
            input = prepared(xp, input, dim, dtype, "softmax")
        return xp.softmax(input, one_dim(dim, input.ndim))

    def d_input(F, g, out, dim):
        return out * (g - F.sum(g * out, dim, True))

    def jvp(F, input_t, out, dim):
        return out * (input_t - F.sum(input_t * out, dim, True))

    samples = ALONG_DIM


face(softmax, spaces=("torch", "special"), out_same_dtype=True)


@op
class log_softmax:
    """The logarithm of the softmax along `dim`."""

    def forward(xp, input: Tensor, dim, dtype=None):
        if dtype is not None or not ((kind := input.dtype) is FLOAT32 or kind is FLOAT64):
            input = prepared(xp, input, dim, dtype, "log_softmax")
        return xp.log_softmax(input, one_dim(dim, input.ndim))

    def d_input(F, g, out, dim):
        return g - F.exp(out) * F.sum(g, dim, True)

    def jvp(F, input_t, out, dim):
        return input_t - F.sum(input_t * F.exp(out), dim, True)

    samples = ALONG_DIM


face(log_softmax, spaces=("torch", "special"), out_same_dtype=True)


@composite(samples=ALONG_DIM)
def softmin(F, input, dim, dtype=None):
    """The softmax of `-input` along `dim`."""
    return F.softmax(-input, dim, dtype)


face(softmin, spaces=("nn.functional",), method=None)

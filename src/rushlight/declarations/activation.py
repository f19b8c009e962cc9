"""Activation functions of neural networks."""

from __future__ import annotations

import math

from rushlight.arrays.elementwise import random_factors
from rushlight.core.device import host
from rushlight.core.dtype import BOOL, COMPLEX, INTEGER, REDUCED
from rushlight.core.generator import generator_of
from rushlight.core.tables import forward
from rushlight.core.tensor import wrap
from rushlight.declarations.checks import activation as checks
from rushlight.declarations.declare import Direct, composite, elementwise, face, op
from rushlight.declarations.dtype_rules import FOUND_DTYPE, OTHER_SCALAR, refusal, unimplemented
from rushlight.declarations.samples import UNARY
from rushlight.declarations.shapes import wrap_dim

FUNCTIONAL = ("nn.functional",)


def floats_only(kernel: str) -> dict:
    """Most activations are for floating-point numbers."""
    return dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented(kernel))


# ---- rectifiers


@elementwise(zero_second_derivative=True, no_fp_errors=True)
class relu:
    """`input` where it is positive, otherwise 0; the derivative at 0 is 0."""

    def forward(xp, input: Tensor):
        return xp.maximum(input, 0)

    def d_input(F, g, out):
        return F.choose(out <= 0, 0, g)


face(
    relu,
    out=False,
    refuses={
        BOOL: refusal("Boolean inputs not supported for relu"),
        COMPLEX: refusal("clamp is not supported for complex types", NotImplementedError),
    },
)


FROM_0_TO_6 = Direct("type(input) is Tensor", "hardtanh", {"min_val": "0.0", "max_val": "6.0"})


@composite(samples=UNARY)
def relu6(F, input):
    """`input` kept between 0 and 6."""
    return F.hardtanh(input, 0.0, 6.0)


face(relu6, spaces=FUNCTIONAL, direct=(FROM_0_TO_6,), inplace=True)


def overwritten(name: str, wanted: str = ""):
    """Returns why in-place leaky_relu with a negative slope has no derivative: the result has the other sign."""
    words = (
        f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This is "
        f"caused by calling in-place forward function with a negative slope, please call out-of-place version instead."
        f"{wanted}"
    )

    def why(slope=1.0, *others, **named) -> str | None:
        return words if named.get("alpha", named.get("negative_slope", slope)) < 0 else None

    return why


LEAKY_OVERWRITTEN = overwritten(
    "leakyReLu",
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
    "calculation with negative slope",
)


@elementwise(zero_second_derivative=True)
class leaky_relu:
    """`input` where it is positive, otherwise `negative_slope * input`."""

    def forward(xp, input: Tensor, negative_slope=0.01):
        return xp.leaky_relu(input, negative_slope)

    def d_input(F, g, input, negative_slope):
        return F.choose(input > 0, g, g * negative_slope)

    samples = lambda r: [*UNARY(r), (r(2, 3), 0.3)]


face(leaky_relu, spaces=FUNCTIONAL, out=False, inplace_no_grad=LEAKY_OVERWRITTEN, refuses=floats_only("leaky_relu_cpu"))


@composite(samples=lambda r: [(r(2, 3), r()), (r(2, 3, 2), r(3)), (r(2), r(1))])
def prelu(F, input, weight):
    """`input` where it is positive, otherwise `weight * input`; one weight for all, or one for each channel."""
    checks.check_prelu_dtypes(input, weight)
    shape, given = tuple(input.shape), tuple(weight.shape)
    checks.check_prelu_weight(shape, given)
    along = (1, math.prod(given), *(1,) * len(shape[2:])) if len(shape) > 1 else (1,) * len(shape)
    return F.prelu_kernel(input, weight if given == along else F.reshape(weight, along))


@elementwise(internal=True, zero_second_derivative=True)
class prelu_kernel:
    """`input` where it is positive, otherwise `weight * input`."""

    def forward(xp, input: Tensor, weight: Tensor):
        return xp.where(input > 0, input, weight * input)

    def d_input(F, g, input, weight):
        return F.choose(input > 0, g, weight * g)

    def d_weight(F, g, input):
        return F.choose(input > 0, 0, input * g)

    samples = lambda r: [(r(2, 3), r(1, 3)), (r(4), r(1))]


face(prelu_kernel, refuses=floats_only("prelu_cpu"))


@elementwise(zero_second_derivative=True)
class rrelu_with_noise:
    """`input` where it is positive, otherwise times `noise` in training and times the mean of the bounds elsewhere."""

    def forward(xp, input: Tensor, noise: Constant | None, lower, upper, training):
        return xp.where(input > 0, input, input * (noise if training else xp.element((lower + upper) / 2, input.dtype)))

    def d_input(F, g, input, noise, lower, upper, training):
        return F.choose(input > 0, g, g * (noise if training else (lower + upper) / 2))

    samples = lambda r: [(r(2, 3), None, 0.1, 0.3, False), (r(2, 3), r.positive(2, 3).detach(), 0.1, 0.3, True)]


face(rrelu_with_noise, spaces=(), out=False, refuses=floats_only("leaky_relu_cpu"))


def rrelu_overwritten(lower=1 / 8, upper=1 / 3, training=False, generator=None):
    """The same for the mean of the bounds; drawn slopes are saved."""
    return None if training else LEAKY_OVERWRITTEN((lower + upper) / 2)


def random_noise(F, input, generator, lower, upper):
    """A tensor of factors drawn from between the bounds."""
    if input.is_meta:
        return F.new_zeros_of(input, tuple(input.shape))
    factors = random_factors(generator or generator_of(input._array), host(input), lower, upper)
    return F.to_copy(wrap(factors), None, input.device)


@composite(samples=lambda r: [(r(2, 3),), (r(2, 3), 0.2, 0.3)])
def rrelu(F, input, lower: Number = 1 / 8, upper: Number = 1 / 3, training=False, generator=None):
    """`input` where it is positive, otherwise times a number drawn from between the bounds, or their mean."""
    for name, bound in (("lower", lower), ("upper", upper)):
        checks.check_finite_bound(bound, name)
    checks.check_bounds_ordered(lower, upper)
    noise = None
    if training:
        checks.check_rrelu_draws()
        noise = random_noise(F, input, generator, lower, upper)
    return F.rrelu_with_noise(input.contiguous(), noise, lower, upper, training)


face(rrelu, method=None, inplace=True, inplace_no_grad=rrelu_overwritten)


@elementwise(zero_second_derivative=True, casts_scalar={"value": REDUCED})
class threshold:
    """`input` where it is above `threshold`, otherwise `value`."""

    def forward(xp, input: Tensor, threshold, value):
        return xp.where(input <= xp.element(threshold, input.dtype), xp.element(value, input.dtype), input)

    def d_input(F, g, input, threshold):
        return F.choose(input <= threshold, 0, g)

    samples = lambda r: [(r(2, 3), 0.1, 20), (r(), 0, -1.0)]


face(
    threshold,
    spaces=("torch", "nn.functional"),
    method=None,
    refuses=dict.fromkeys((BOOL, COMPLEX), unimplemented("threshold_cpu")),
)


# ---- exponential units


@elementwise
class elu:
    """`scale * input` where it is positive, otherwise `scale * alpha * (exp(input_scale * input) - 1)`."""

    def forward(xp, input: Tensor, alpha=1.0, scale=1.0, input_scale=1.0):
        return xp.elu(input, alpha, scale, input_scale)

    def d_input(F, g, input, alpha, scale, input_scale):
        # Below 0, not at 0: there the second derivative is 0.
        derivative = F.exp(F.choose(input >= 0, 0, input) * input_scale) * (alpha * scale * input_scale)
        return g * F.choose(input > 0, scale, derivative)

    samples = lambda r: [*UNARY(r), (r(2, 3), 0.5), (r(2, 3), 0.5, 2.0, 1.5)]


face(elu, spaces=FUNCTIONAL, out=False, inplace_no_grad=overwritten("elu"), refuses=floats_only("elu_cpu"))


# Klambauer, Unterthiner, Mayr & Hochreiter, "Self-Normalizing Neural Networks" (2017), section 2.
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946

SCALED = Direct(
    "type(input) is Tensor", "elu", {"alpha": str(SELU_ALPHA), "scale": str(SELU_SCALE), "input_scale": "1.0"}
)


@composite(samples=UNARY)
def selu(F, input):
    """`elu` with the scales at which activations keep mean 0 and variance 1."""
    return F.elu(input, SELU_ALPHA, SELU_SCALE)


face(selu, method=None, direct=(SCALED,), inplace=True)


@elementwise
class celu:
    """`input` where it is positive, otherwise `alpha * (exp(input / alpha) - 1)`."""

    def forward(xp, input: Tensor, alpha=1.0):
        checks.check_celu_alpha(alpha)
        number = xp.element(alpha, input.dtype)
        return xp.where(input < 0, xp.expm1(xp.minimum(input, 0) / number) * number, input)

    def d_input(F, g, input, alpha):
        return g * F.choose(input > 0, 1, F.exp(F.choose(input >= 0, 0, input) / alpha))

    samples = lambda r: [*UNARY(r), (r(2, 3), 0.5)]


face(celu, method=None, out=False, inplace_no_grad=overwritten("elu"), refuses=floats_only("elu_cpu"))


# ---- smooth gates


@elementwise
class silu:
    """`input * sigmoid(input)`."""

    def forward(xp, input: Tensor):
        return input / (xp.exp(-input) + 1)

    def d_input(F, g, input):
        gate = F.sigmoid(input)
        return g * F.conj(gate * (1 + input * (1 - gate)))


face(silu, spaces=FUNCTIONAL, out=False, refuses=dict.fromkeys((BOOL, INTEGER), unimplemented("silu_cpu")))


@elementwise
class mish:
    """`input * tanh(softplus(input))`."""

    def forward(xp, input: Tensor):
        return input * xp.tanh(xp.softplus(input, 1, 20))

    def d_input(F, g, input):
        gate = F.tanh(F.softplus(input))
        return g * (gate + input * F.sigmoid(input) * (1 - gate * gate))


face(mish, spaces=FUNCTIONAL, out=False, refuses=floats_only("mish_cpu"))


# Hendrycks & Gimpel, "Gaussian Error Linear Units" (2016), section 2.
TANH_SCALE, CUBIC = math.sqrt(2 / math.pi), 0.044715


@elementwise
class gelu:
    """`input` times the normal distribution function at `input`; `approximate="tanh"` computes that with tanh."""

    def forward(xp, input: Tensor, *, approximate="none"):
        if approximate == "none":
            return input * xp.normal_distribution(input)
        checks.check_gelu_approximation(approximate)
        return 0.5 * input * (1 + xp.tanh(TANH_SCALE * (input + CUBIC * input * input * input)))

    def d_input(F, g, input, approximate):
        if approximate == "none":
            return g * F.gelu_derivative(input)
        square = input * input
        gate = F.tanh(TANH_SCALE * (input + CUBIC * square * input))
        derivative = (1 - gate * gate) * (TANH_SCALE * (1 + 3 * CUBIC * square))
        return g * (0.5 * (1 + gate) + 0.5 * input * derivative)

    samples = lambda r: [*UNARY(r), (r(2, 3), {"approximate": "tanh"})]


face(gelu, spaces=FUNCTIONAL, out_same_dtype=FOUND_DTYPE, refuses=floats_only("GeluKernelImpl"))


@elementwise(internal=True, scalar_operands=False)
class gated:
    """`value` times the sigmoid of `gate`."""

    def forward(xp, value: Tensor, gate: Tensor):
        return value * xp.sigmoid(gate)

    def d_value(F, g, gate):
        return F.gated_gradients(gate, None, g)

    def d_gate(F, g, value, gate):
        return F.gated_gradients(gate, value, g)

    samples = lambda r: [(r(2, 3), r(3)), (r(), r(4))]


@composite(internal=True, pointwise=True, samples=lambda r: [(r(2, 3), r(3), r()), (r(3), None, r(3))])
def gated_gradients(F, gate, value, g):
    """`g` times the derivative of `gated` with respect to the gate, or to the value if `value` is None."""
    opening = F.sigmoid(gate)
    return g * opening if value is None else g * value * opening * (1 - opening)


@op
class glu:
    """The first half of `input` along `dim` times the sigmoid of the second."""

    def forward(xp, input: Tensor, dim=-1):
        checks.check_glu_rank(input)
        axis = wrap_dim(dim, input.ndim)
        checks.check_halves(input, axis)
        half = input.shape[axis] // 2
        return forward.gated(xp, *xp.split_with_sizes(input, (half, half), axis))

    def d_input(F, g, input, dim):
        value, gate = F.chunk(input, 2, dim)
        return F.cat((F.gated_gradients(gate, None, g), F.gated_gradients(gate, value, g)), dim)

    samples = lambda r: [(r(2, 4),), (r(4, 3), 0), (r(6),)]


face(glu, spaces=FUNCTIONAL, out=False, refuses=floats_only("glu_cpu"))


# ---- soft limits


@elementwise
class softplus:
    """`log(1 + exp(beta * input)) / beta`; where `beta * input` is above `threshold`, the input itself."""

    def forward(xp, input: Tensor, beta=1.0, threshold=20.0):
        return xp.softplus(input, beta, threshold)

    def d_input(F, g, input, beta, threshold):
        scaled = input * beta
        return g * F.choose(scaled > threshold, 1, F.sigmoid(scaled))

    samples = lambda r: [*UNARY(r), (r(2, 3), 2, 1)]


face(softplus, spaces=FUNCTIONAL, out_same_dtype=FOUND_DTYPE, refuses=floats_only("softplus_cpu"))


@elementwise(contiguous_result=True)
class logsigmoid:
    """`log(sigmoid(input))`, exact where the sigmoid vanishes."""

    def forward(xp, input: Tensor):
        return xp.log_sigmoid(input)

    def d_input(F, g, input):
        return g * F.sigmoid(-input)


face(
    logsigmoid,
    spaces=FUNCTIONAL,
    out_same_dtype=OTHER_SCALAR,
    inplace=False,
    node="LogSigmoidBackward0",
    refuses=floats_only("log_sigmoid_cpu"),
)


@composite(samples=UNARY)
def softsign(F, input):
    """`input / (1 + |input|)`."""
    return F.true_divide(input, F.add(F.abs(input), 1))


face(softsign, spaces=FUNCTIONAL)


@composite(samples=UNARY)
def tanhshrink(F, input):
    """`input - tanh(input)`."""
    return F.sub(input, F.tanh(input))


face(tanhshrink, spaces=FUNCTIONAL)


# ---- hard limits


@elementwise(zero_second_derivative=True, casts_scalar={"lambd": REDUCED})
class hardshrink:
    """`input`, and 0 where that is between `-lambd` and `lambd`."""

    def forward(xp, input: Tensor, lambd=0.5):
        number = xp.element(lambd, input.dtype)
        return xp.where((input >= -number) & (input <= number), 0, input)

    def d_input(F, g, input, lambd):
        return F.choose((input >= -lambd) & (input <= lambd), 0, g)

    samples = lambda r: [*UNARY(r), (r(2, 3), 0.1)]


face(
    hardshrink,
    spaces=("torch", "nn.functional"),
    out=True,
    out_same_dtype=FOUND_DTYPE,
    inplace=False,
    refuses=floats_only("hardshrink_cpu"),
)


@elementwise(zero_second_derivative=True)
class softshrink:
    """`input` moved towards 0 by `lambd`, and 0 where it is nearer than that."""

    def forward(xp, input: Tensor, lambd=0.5):
        checks.check_lambda(xp, input, lambd)
        return xp.where(xp.abs(input) <= lambd, input * 0, input - xp.sign(input) * lambd)

    def d_input(F, g, input, lambd):
        return F.choose((input >= -lambd) & (input <= lambd), 0, g)

    samples = lambda r: [*UNARY(r), (r(2, 3), 0.1)]


face(softshrink, spaces=FUNCTIONAL, out_same_dtype=FOUND_DTYPE, inplace=False, refuses=floats_only("softshrink_check"))


@elementwise(zero_second_derivative=True, casts_scalar=dict.fromkeys(("min_val", "max_val"), REDUCED))
class hardtanh:
    """`input` kept between `min_val` and `max_val`; there the derivative is 0."""

    def forward(xp, input: Tensor, min_val=-1.0, max_val=1.0):
        checks.check_hardtanh_limits(input, min_val)
        return xp.clip_to_numbers(input, xp.element(min_val, input.dtype), xp.element(max_val, input.dtype))

    def d_input(F, g, input, min_val, max_val):
        return F.choose((input <= min_val) | (input >= max_val), 0, g)

    samples = lambda r: [*UNARY(r), (r(2, 3), -0.5, 0.3)]


face(
    hardtanh,
    spaces=FUNCTIONAL,
    out=False,
    refuses={
        BOOL: refusal("Bool inputs not supported for hardtanh"),
        COMPLEX: refusal("clamp is not supported for complex types", NotImplementedError),
    },
)


@elementwise(zero_second_derivative=True)
class hardsigmoid:
    """`input / 6 + 1 / 2` kept between 0 and 1."""

    def forward(xp, input: Tensor):
        return xp.clip(input + 3, 0, 6) / 6

    def d_input(F, g, input):
        return F.choose((input > -3) & (input < 3), g / 6, 0)

    samples = lambda r: [*UNARY(r), (r(2, 3) * 4,)]


face(hardsigmoid, spaces=FUNCTIONAL, out=False, refuses=floats_only("hardsigmoid_cpu"))


@elementwise
class hardswish:
    """`input * hardsigmoid(input)`."""

    def forward(xp, input: Tensor):
        return input * xp.clip(input + 3, 0, 6) / 6

    def d_input(F, g, input):
        return g * F.choose(input <= -3, 0, F.choose(input < 3, input / 3 + 0.5, 1))

    samples = lambda r: [*UNARY(r), (r(2, 3) * 4,)]


face(hardswish, spaces=FUNCTIONAL, out=False, refuses=floats_only("hardswish_cpu"))

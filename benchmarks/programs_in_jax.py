"""The cases of the family "compiled" as JAX's users write them; the numbers in them are those of our cases."""

import jax
import jax.numpy as jnp
import numpy as np

import rushlight
from rushlight.benchmark.models import mlp
from rushlight.benchmark.pointwise import normal
from rushlight.benchmark.training import whole_numbers
from rushlight.benchmark.transforms import rosenbrock

MILLIONS = 4 << 20


def drawn(*shape, requires_grad=False):
    """The values that our cases draw."""
    return jnp.asarray(normal(rushlight, *shape, requires_grad=requires_grad).detach().numpy())


def waiting(function, *args):
    """A step that waits for the results, as the others do."""
    compiled = jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*args))


def updating(function, state):
    """A step that keeps the state which the last one returned; `function(state)` returns the new one and the result."""
    compiled = jax.jit(function, donate_argnums=0)
    kept = [state]

    def step():
        kept[0], result = compiled(kept[0])
        return jax.block_until_ready(result)

    return step


def layers_of(network):
    """Weights and biases of the linear layers of a network."""
    return [(jnp.asarray(layer.weight.detach().numpy()), jnp.asarray(layer.bias.detach().numpy()))
            for layer in network if hasattr(layer, "weight")]  # fmt: skip


def applied(layers, x, activation):
    for i, (weight, bias) in enumerate(layers):
        x = x @ weight.T + bias
        x = activation(x) if i + 1 < len(layers) else x
    return x


def cross_entropy(scores, target):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), target[:, None], 1).mean()


def adam(parameters, grads, first, second, t, lr, eps=1e-8):
    """A step of Adam (Kingma and Ba, 2015, algorithm 1); returns parameters and moments."""
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
    one, two = 1 - 0.9**t, 1 - 0.999**t
    moved = jax.tree.map(lambda p, m, v: p - lr * (m / one) / (jnp.sqrt(v / two) + eps), parameters, first, second)
    return moved, first, second


def by_adam(loss, parameters, lr):
    """A training step by Adam; its result is the loss."""

    def step(state):
        parameters, first, second, t = state
        value, grads = jax.value_and_grad(loss)(parameters)
        return (*adam(parameters, grads, first, second, t + 1, lr), t + 1), value

    return updating(step, (parameters, *zeros_like(parameters, 2), 0.0))


def zeros_like(parameters, copies):
    return [jax.tree.map(jnp.zeros_like, parameters) for _ in range(copies)]


def chain_20():
    x, w = jnp.array([0.1, -0.2, 0.3, -0.4]), jnp.array([1.1, 0.9, -1.2, 0.8])

    def function(x, w):
        y = x
        for _ in range(4):
            y = jnp.tanh(y * w + x) - w
        return jax.nn.sigmoid(jnp.exp(y * 0.5)).sum()

    return waiting(jax.grad(function, (0, 1)), x, w)


def rnn_cell():
    random = np.random.default_rng(0)
    shapes = [(20, 20), (20, 10), (1, 10), (1, 20)]
    w_h, w_x, x, prev_h = (jnp.asarray(random.normal(0, 0.3, shape).astype("float32")) for shape in shapes)
    return waiting(jax.grad(lambda w_h, w_x: jnp.tanh(w_h @ prev_h.T + w_x @ x.T).sum(), (0, 1)), w_h, w_x)


def euler():
    def function(x, rate):
        for _ in range(100):
            x = x + 0.01 * (rate * x * (1 - x))
        return x

    return waiting(jax.grad(function, (0, 1)), jnp.float32(0.1), jnp.float32(1.5))


def jvp():
    rushlight.manual_seed(0)
    layers = layers_of([rushlight.nn.Linear(64, 64) for _ in range(3)])

    def function(x, tangent):
        return jax.jvp(lambda x: jnp.tanh(applied(layers, x, jnp.tanh)), (x,), (tangent,))

    return waiting(function, drawn(64), drawn(64))


def hessian():
    return waiting(jax.jacfwd(jax.jacrev(rosenbrock)), jnp.linspace(-1, 1, 50))


def small_mlp():
    rushlight.manual_seed(0)
    nn = rushlight.nn
    layers = layers_of([nn.Linear(16, 32), nn.Linear(32, 32), nn.Linear(32, 4)])
    x, target = drawn(16, 16), jnp.asarray(whole_numbers(rushlight, 4, 16).numpy())

    def step(layers):
        loss, grads = jax.value_and_grad(lambda layers: cross_entropy(applied(layers, x, jnp.tanh), target))(layers)
        return jax.tree.map(lambda p, g: p - 1e-3 * g, layers, grads), loss

    return updating(step, layers)


def adam_200():
    random = np.random.default_rng(0)
    weights = [jnp.asarray(random.normal(0, 1, (4, 4)).astype("float32")) for _ in range(200)]
    grads = [jnp.ones((4, 4)) for _ in weights]

    def step(state):
        weights, first, second, t = state
        weights, first, second = adam(weights, grads, first, second, t + 1, 1e-4)
        return (weights, first, second, t + 1), weights[0] + 0  # the state's own memory goes to the next step

    return updating(step, (weights, *zeros_like(weights, 2), 0.0))


def pinn():
    rushlight.manual_seed(0)
    widths = [1, 32, 32, 32, 32, 1]
    layers = layers_of([rushlight.nn.Linear(*sizes) for sizes in zip(widths, widths[1:], strict=False)])
    x = jnp.linspace(0, 1, 256)

    def loss(layers):
        def u(x):
            return applied(layers, x[None], jnp.tanh)[0]

        residual = jax.vmap(lambda x: jax.grad(jax.grad(u))(x) + u(x))(x)
        return (residual**2).mean()

    return by_adam(loss, layers, 1e-4)


def chain_4m():
    x = w = drawn(MILLIONS, requires_grad=True)

    def function(x, w):
        return (jnp.tanh(x * w + x) * jax.nn.sigmoid(w) - x).sum()

    return waiting(jax.grad(function, (0, 1)), x, w)


def gated_sum():
    x = w = drawn(MILLIONS, requires_grad=True)
    return waiting(jax.grad(lambda x, w: (jax.nn.sigmoid(x) * jnp.tanh(w)).sum(), (0, 1)), x, w)


def entropy():
    scores, target = drawn(4096, 1024, requires_grad=True), whole_numbers(rushlight, 1024, 4096).numpy()
    return waiting(jax.grad(cross_entropy), scores, jnp.asarray(target))


def layer_norm():
    x, weight, bias = (drawn(*shape, requires_grad=True) for shape in ((4096, 1024), (1024,), (1024,)))

    def function(x, weight, bias):
        mean = x.mean(1, keepdims=True)
        deviation = x - mean
        scale = jax.lax.rsqrt((deviation**2).mean(1, keepdims=True) + 1e-5)
        return ((deviation * scale * weight + bias) ** 2).sum()

    return waiting(jax.grad(function, (0, 1, 2)), x, weight, bias)


def mlp_step():
    rushlight.manual_seed(0)
    x, target = drawn(128, 784), jnp.asarray(whole_numbers(rushlight, 10, 128).numpy())
    layers = layers_of(mlp(rushlight))
    return by_adam(lambda layers: cross_entropy(applied(layers, x, jax.nn.relu), target), layers, 1e-3)


PROGRAMS = {
    "chain_20": chain_20,
    "rnn_cell": rnn_cell,
    "euler": euler,
    "jvp": jvp,
    "hessian": hessian,
    "small_mlp": small_mlp,
    "adam": adam_200,
    "pinn": pinn,
    "chain_4m": chain_4m,
    "gated_sum": gated_sum,
    "entropy": entropy,
    "layer_norm": layer_norm,
    "mlp_step": mlp_step,
}

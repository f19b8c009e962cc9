"""Modes and settings around a call and inside: grad modes, autocast, determinism, default dtype, transforms."""

import contextlib
import warnings

import rushlight as torch
from rushlight.nn import functional as F


def ones():
    return torch.ones(2)


def leaf(*elements):
    return torch.tensor(elements, requires_grad=True)


def try_(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return error


def modes(compile):
    f = compile(lambda p: (p * 2 + 1, torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    p = leaf(1.0, 2.0)
    seen = []
    for _ in range(2):
        for mode in (contextlib.nullcontext, torch.no_grad, torch.inference_mode, torch.enable_grad):
            with mode():
                seen += [f(p), f(p)]
    return seen


def modes_inside(compile):
    def f(p):
        with torch.no_grad():
            a = p * 2
        with torch.enable_grad():
            b = p * 3
        with torch.inference_mode():
            c = p * 4
        with torch.set_grad_enabled(p.shape[0] > 2):
            d = p * 5
        return a, b, c.requires_grad, d

    f = compile(f)
    seen = [f(leaf(1.0, 2.0)) for _ in range(3)] + [f(leaf(1.0, 2.0, 3.0)) for _ in range(3)]
    with torch.no_grad():
        seen += [f(leaf(1.0, 2.0)) for _ in range(3)]
    return seen


def decorated_by_a_mode(compile):
    seen = []
    for decorate in (
        torch.no_grad(),
        torch.no_grad,
        torch.enable_grad(),
        torch.inference_mode(),
        torch.inference_mode(False),
        torch.autocast("cpu", dtype=torch.bfloat16),
    ):
        f = compile(decorate(lambda p, x: (p * x + x, (p * x) @ x, torch.is_grad_enabled())))
        p = leaf(1.0, 2.0)
        seen += [f(p, ones()) for _ in range(3)]
        with torch.no_grad():
            seen += [f(p, ones()) for _ in range(3)]
    return seen


def a_mode_that_the_program_holds(compile):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.quiet, self.cast = torch.set_grad_enabled(True), torch.autocast("cpu", dtype=torch.bfloat16)

        def forward(self, p, x):
            with self.quiet:
                y = p * x
            with self.cast:
                return y, x @ x

    model, p = Model(), leaf(1.0, 2.0)
    f = compile(model)
    seen = [f(p, ones()) for _ in range(3)]
    model.quiet.mode = False
    seen += [f(p, ones()) for _ in range(3)]
    model.quiet = torch.enable_grad()
    seen += [f(p, ones()) for _ in range(3)]
    model.quiet = torch.inference_mode(True)
    seen += [f(p, ones()) for _ in range(3)]
    model.quiet.mode, model.cast._enabled = False, False
    return [*seen, *[f(p, ones()) for _ in range(3)]]


def the_mode_is_left_changed(compile):
    def f(p, on):
        torch.set_grad_enabled(on)
        return p * 2, torch.is_grad_enabled()

    f = compile(f)
    p = leaf(1.0, 2.0)
    try:
        return [(f(p, on), torch.is_grad_enabled()) for on in (False, False, True, True, False, True, False)]
    finally:
        torch.set_grad_enabled(True)


def a_check_in_a_block_fails(compile):
    def f(p, x):
        with torch.no_grad():
            if x.sum() > 0:
                x = x + 1
        return p * x

    f = compile(f)
    p = leaf(1.0, 2.0)
    return [(f(p, sign * ones()), torch.is_grad_enabled()) for sign in (1, 1, -1, -1, 1, -1)]


def the_mode_decides(compile):
    f = compile(lambda x: x * (2 if torch.is_grad_enabled() else 3) * (5 if torch.is_inference_mode_enabled() else 1))
    seen = []
    for mode in (contextlib.nullcontext, torch.no_grad, torch.inference_mode, contextlib.nullcontext, torch.no_grad):
        with mode():
            seen += [f(ones()), f(ones())]
    return seen


def autocast(compile):
    f = compile(lambda a, b: (a @ b, torch.is_autocast_enabled("cpu")))
    a = torch.ones(2, 2)
    seen = []
    for on in (False, True, False, True, True):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=on):
            seen += [f(a, a), f(a, a)]
    with torch.autocast("cpu", dtype=torch.float16):
        seen += [f(a, a), f(a, a)]
    return seen


def autocast_inside(compile):
    def f(a, b, on):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=on):
            c = a @ b
        return c, c @ b.to(c.dtype)

    f = compile(f)
    a = torch.ones(2, 2)
    return [f(a, a, on) for on in (True, True, False, True, False)]


def default_device(compile):
    f = compile(lambda x: torch.ones(2) + 1)
    seen = [f(1).device.type, f(1).device.type]
    with torch.device("meta"):
        seen += [f(1).device.type, f(1).device.type, f(1).shape]
    torch.set_default_device("meta")
    try:
        seen += [f(1).device.type, f(1).device.type]
    finally:
        torch.set_default_device(None)
    return [*seen, f(1)]


def default_dtype(compile):
    f = compile(
        lambda x: (
            torch.zeros(2) + x,
            torch.tensor(1.5),
            torch.arange(2.0),
            torch.get_default_dtype(),
            x.long() / 2,
            torch.full((1,), 2.5),
        )
    )
    seen = [f(ones()), f(ones())]
    try:
        torch.set_default_dtype(torch.float64)
        seen += [f(ones()), f(ones())]
        torch.set_default_dtype(torch.bfloat16)
        seen += [f(ones()), f(ones())]
    finally:
        torch.set_default_dtype(torch.float32)
    return [*seen, f(ones())]


def deterministic(compile):
    f = compile(
        lambda x, i: (
            torch.zeros(3).put_(i, x, accumulate=False),
            torch.are_deterministic_algorithms_enabled(),
            torch.cumsum(x, 0),
            torch.empty(2).fill_(3.0),
        )
    )
    i = torch.tensor([0, 1])
    seen = [try_(f, ones(), i), try_(f, ones(), i)]
    try:
        torch.use_deterministic_algorithms(True)
        seen += [try_(f, ones(), i), try_(f, ones(), i)]
    finally:
        torch.use_deterministic_algorithms(False)
    return [*seen, try_(f, ones(), i)]


def refused_when_deterministic(compile):
    f = compile(lambda x: (torch.bincount(x, weights=torch.ones(2)) + 1).sum())
    g = compile(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear").sum())
    x, y = torch.tensor([0, 1]), torch.ones(1, 1, 2, 2, requires_grad=True)
    seen = [try_(f, x), try_(f, x), try_(g, y), try_(g, y)]
    try:
        torch.use_deterministic_algorithms(True)
        seen += [try_(f, x), try_(f, x), try_(g, y), try_(g, y)]
    finally:
        torch.use_deterministic_algorithms(False)
    return [*seen, try_(f, x)]


def uninitialized_when_deterministic(compile):
    f = compile(lambda x: torch.empty(3) + x.sum() * 0)
    f(ones()), f(ones())
    try:
        torch.use_deterministic_algorithms(True)
        return [f(ones()), f(ones())]
    finally:
        torch.use_deterministic_algorithms(False)


def function_modes(compile):
    log = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            log.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    f = compile(lambda x: x.sin() + torch.cos(x))
    seen = [f(ones()), f(ones())]
    with Mode():
        seen += [f(ones()), f(ones())]
    return [*seen, f(ones()), log]


def saved_tensor_hooks(compile):
    log = []
    f = compile(lambda x: (x.sin() * x).sum())
    p = leaf(1.0, 2.0)
    seen = []
    for on in (False, False, True, True, False):
        hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(1), t)[1], lambda t: t)
        with hooks if on else contextlib.nullcontext():
            f(p).backward()
        seen += [p.grad.clone(), len(log)]
    return seen


def anomaly(compile):
    f = compile(lambda x: (x.log() * 0).sum())
    p = torch.tensor([0.0, 1.0], requires_grad=True)
    seen = []
    for on in (False, False, True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.set_detect_anomaly(on):
                seen.append(try_(lambda: f(p).backward()))
    return seen


def transforms_of_compiled(compile):
    f = compile(lambda x: (x * x).sin().sum())
    x = torch.ones(3, 2)
    seen = [f(x[0]), f(x[0])]
    seen += [
        torch.func.grad(f)(x[0]),
        torch.func.vmap(f)(x),
        torch.func.jvp(f, (x[0],), (x[0],)),
        torch.func.hessian(f)(x[0]),
    ]
    return [*seen, f(x[0]), torch.func.vmap(torch.func.grad(f))(x)]


def second_derivatives(compile):
    f = compile(lambda x: (x**3).sin().sum())
    seen = []
    for _ in range(3):
        p = leaf(1.0, 2.0)
        (g,) = torch.autograd.grad(f(p), p, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), p, create_graph=True)
        (k,) = torch.autograd.grad(h.sum(), p)
        seen += [g, h, k]
    return seen


def test_a_change_of_a_mode_is_seen(agree, story):
    agree(story)

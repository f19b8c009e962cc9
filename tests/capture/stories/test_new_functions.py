"""Functions that a compiled function makes, hands out, or gives to a transform: they are as Python makes them."""

import functools

import rushlight as torch


def ones():
    return torch.ones(2)


def seen_of(function):
    """Returns what can be seen of a function besides its results."""
    names = ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__annotations__")
    return [repr(getattr(function, name)) for name in names], sorted(vars(function))


def with_keyword_defaults(compile):
    def run(x):
        def scaled(n, *, by=3, and_by=(1, 2)):
            return n * by, and_by

        return x + 1, scaled

    f = compile(run)
    made = [f(ones())[1] for _ in range(3)]
    return [(seen_of(each), each(2), each(2, by=5)) for each in made]


def with_annotations(compile):
    def run(x):
        def scaled(n: int, by: "float" = 2.0, like: torch.Tensor = None) -> list:
            """Scales."""
            return [n, by, like]

        return x + 1, scaled

    f = compile(run)
    return [seen_of(f(ones())[1]) for _ in range(3)]


def with_attributes(compile):
    def run(x):
        def scaled(n):
            return n

        scaled.tag, scaled.tensor = "tag", x * 2
        scaled.__name__, scaled.__qualname__, scaled.__doc__ = "other", "some.other", "words"
        return x + 1, scaled

    f = compile(run)
    made = [f(ones() * n)[1] for n in range(3)]
    return [(seen_of(each), each.tag, each.tensor) for each in made]


def that_wrap_others(compile):
    def run(x):
        def inner(n, *, by=2):
            """Scales."""
            return n * by

        @functools.wraps(inner)
        def outer(*args):
            return args

        return x + 1, outer, inner

    f = compile(run)
    made = [f(ones())[1:] for _ in range(3)]
    return [(seen_of(outer), outer.__wrapped__ is inner, inner(3)) for outer, inner in made]


def with_a_list_as_default(compile):
    def run(x):
        kept = [1]

        def first(n, to=kept, *, other=kept):
            return to, other

        def second(n, to=kept):
            return to

        return x + 1, kept, first, second

    f = compile(run)
    made = [f(ones())[1:] for _ in range(3)]
    return [[each is kept for each in (*first(0), second(0))] for kept, first, second in made]


def under_a_transform(compile):
    def run(x, scale):
        def loss(x, *, by=2.0, and_by=scale):
            return (x * by * and_by).sum()

        return torch.func.grad(loss)(x), torch.func.vmap(loss)(x)

    f = compile(run)
    return [f(ones() * n, torch.full((), n + 1.0)) for n in range(4)]


def affine(x, by=1, *, add=0):
    return x * by + add


def partials_that_are_returned(compile):
    def run(x):
        kept = [1]
        first = functools.partial(affine, add=x * 2)
        return functools.partial(first, by=3), functools.partial(lambda to, other=kept: (to, other), kept), kept

    f = compile(run)
    made = [f(ones() * n) for n in range(4)]
    return [(first(ones()), first.func is affine, [e is kept for e in second()]) for first, second, kept in made]


def partials_that_are_kept(compile):
    kept = [None]

    def run(x):
        kept[0] = functools.partial(affine, by=x)
        return x + 1

    f = compile(run)
    return [(f(ones() * n), kept[0](2), kept[0].keywords) for n in range(4)]


def partials_as_hooks(compile):
    def run(x):
        y = x * 2
        y.register_hook(functools.partial(affine, by=3, add=x.detach()))
        return y * y

    f = compile(run)
    seen = []
    for n in range(4):
        x = (ones() * n).requires_grad_()
        f(x).sum().backward()
        seen.append(x.grad)
    return seen


def partials_under_a_transform(compile):
    f = compile(lambda x: torch.func.vmap(functools.partial(affine, by=x[0], add=2))(x))
    return [f(ones() * n) for n in range(4)]


def test_new_functions_are_whole(agree, story):
    agree(story, replays=2)

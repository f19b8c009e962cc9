"""What programs and packages write around tensors: getters, errors that are caught, caches, context variables."""

import abc
import collections.abc
import contextlib
import contextvars
import functools
import inspect
import os

import pytest

import rushlight as torch

DEPTH = contextvars.ContextVar("DEPTH", default=0)
KEPT = contextvars.ContextVar("KEPT", default=None)


def ones():
    return torch.ones(2)


class Config:
    """Settings with other names for some, as packages have them."""

    names = {"width": "size"}

    def __init__(self, **settings):
        self.__dict__.update(settings)

    def __getattribute__(self, name):
        if name != "names" and name in super().__getattribute__("names"):
            name = super().__getattribute__("names")[name]
        return super().__getattribute__(name)


def a_getter_of_all_attributes(compile):
    c = Config(size=2, scale=3.0)

    def run(x):
        y = x * c.width * c.scale + getattr(c, "offset", 1) + getattr(c, "size", 0)
        return y, hasattr(c, "offset"), hasattr(c, "width")

    f = compile(run)
    seen = [f(ones()) for _ in range(3)]
    c.size = 5
    seen += [f(ones()) for _ in range(3)]
    c.offset = 7
    seen += [f(ones()) for _ in range(3)]
    Config.names = {"width": "scale"}
    try:
        return [*seen, *[f(ones()) for _ in range(3)]]
    finally:
        Config.names = {"width": "size"}


def keywords_that_an_inner_function_uses(compile):
    def run(x, *args, **kwargs):
        names = {name: kwargs.get(name, 1) for name in ("a", "b")}
        kwargs.pop("a", None)
        rest = [n * len(args) for n in args]
        return (lambda: x * names["a"] + names["b"] + len(kwargs) + sum(rest) + sum(args))()

    f = compile(run)
    return [f(ones()), f(ones(), a=2), f(ones(), a=2), f(ones(), 3, b=2, c=4), f(ones(), 3, b=2, c=4), f(ones())]


def names_of_classes(compile):
    class One:
        pass

    class Two(One):
        pass

    table = {str(One): 2, repr(Two): 3}
    f = compile(lambda x, each: x * table[str(each.__class__)] + len(f"{type(each)}"))
    return [f(ones(), each) for each in (One(), One(), Two(), One(), Two(), Two())]


def context_variables_that_are_set(compile):
    def run(x, n):
        kept = {}
        token, other = DEPTH.set(DEPTH.get() + n), KEPT.set(kept)
        try:
            kept["y"] = x * DEPTH.get()
            y = inner(x)
        finally:
            DEPTH.reset(token)
            KEPT.reset(other)
        return y, kept["y"], DEPTH.get()

    def inner(x):
        KEPT.get()["z"] = x + 1
        return KEPT.get()["z"] * DEPTH.get()

    f = compile(run)
    seen = [f(ones(), n) for n in (1, 1, 2, 1)]
    token = DEPTH.set(5)
    seen += [f(ones(), n) for n in (1, 1, 2)]
    DEPTH.reset(token)
    g = compile(lambda x: (DEPTH.set(3), x * 2)[1])
    context = contextvars.copy_context()
    return [*seen, f(ones(), 1), [context.run(lambda: (g(ones()), DEPTH.get())) for _ in range(3)], DEPTH.get()]


def attributes_of_tensors(compile):
    def run(x, p):
        y = x * 2
        first = hasattr(x, "tag"), hasattr(y, "tag"), hasattr(x, "shape"), hasattr(x, "jax"), hasattr(p, "sum")
        return y + getattr(x, "tag", 1) + getattr(y, "nothing", 3), first

    f = compile(run)
    p, x = torch.nn.Parameter(ones()), ones()
    seen = [f(x, p), f(x, p), f(x, x)]
    x.tag = 5
    seen += [f(x, p), f(x, p), f(ones(), p)]
    del x.tag
    return [*seen, f(x, p)]


def a_sequence_by_its_items(compile):
    class Rows:
        def __init__(self, count):
            self.count = count

        def __len__(self):
            return self.count

        def __getitem__(self, at):
            if at >= self.count:
                raise IndexError("no such row")
            return at + 1

    class Sequence(Rows, collections.abc.Sequence):
        pass

    f = compile(lambda x, rows: (sum([x * n for n in rows]), 2 in rows, list(rows)))
    return [f(ones(), kind(n)) for kind in (Rows, Sequence) for n in (2, 2, 3, 2)]


def abstract_classes(compile):
    class Known:
        def __iter__(self):
            return iter((1, 2))

    class Registered:
        pass

    def run(x, each):
        kinds = collections.abc.Iterable, (int, collections.abc.Mapping), collections.abc.Sized
        return x * 2, [isinstance(each, kind) for kind in kinds], issubclass(type(each), collections.abc.Hashable)

    class Choosing(type):
        chosen = True

        def __instancecheck__(cls, each):
            return cls.chosen

    class Chosen(metaclass=Choosing):
        pass

    f, g = compile(run), compile(lambda x, each: x * isinstance(each, (collections.abc.Sized, Chosen)))
    seen = [f(ones(), each) for each in ([1], [1], {"a": 1}, Known(), Known(), 3, Registered(), Registered())]
    seen += [g(ones(), 3), g(ones(), 3)]
    Choosing.chosen = False
    seen += [g(ones(), 3), g(ones(), 3)]
    collections.abc.Sized.register(Registered)
    return [*seen, f(ones(), Registered()), f(ones(), Registered())]


def signatures(compile):
    def plain(a, b=2):
        return a * b

    @functools.wraps(plain)
    def decorated(*args):
        return plain(*args)

    class Layer:
        def run(self, a, *, b=1):
            return a

    f = compile(lambda x, g: (x * len(inspect.signature(g).parameters), "b" in inspect.signature(g).parameters))
    layer = Layer()
    seen = [f(ones(), g) for g in (plain, plain, layer.run, layer.run, lambda: 1, plain, decorated, decorated)]
    plain.__signature__ = inspect.signature(lambda one: 1)
    seen += [f(ones(), plain), f(ones(), plain), f(ones(), decorated)]
    del plain.__signature__
    return [*seen, f(ones(), plain)]


def caches(compile):
    calls = []

    @functools.lru_cache(maxsize=2)
    def table(n):
        calls.append(n)
        return torch.arange(float(n))

    @functools.cache
    def name_of(kind):
        return kind.__name__

    f = compile(lambda x, n: (x + table(x.shape[0]), table(n).sum(), len(name_of(type(n))), table(n) is table(n)))
    seen = [f(ones(), n) for n in (3, 3, 4, 3)]
    table(2).mul_(3)
    seen += [f(ones(), 3), f(ones(), 3)]
    table.cache_clear()
    return [*seen, f(ones(), 3), f(ones(), 5), len(calls)]


def errors_that_are_caught(compile):
    class Missing(Exception):
        pass

    class Row:
        size = 2

    def by_key(table, x):
        try:
            scale = table["scale"]
        except KeyError:
            scale = 3
        return x * scale

    def by_index(items, x):
        try:
            return x * items[2]
        except (IndexError, TypeError) as error:
            return x * len(str(error))

    def by_attribute(row, x):
        try:
            return x * row.size + row.other
        except AttributeError:
            return x * row.size
        finally:
            x = None

    def raised(n, x):
        y = x + 1
        try:
            if n > 1:
                raise ValueError(f"{n} is too large")
            y = y * 2
        except ValueError as error:
            y = y - len(error.args[0])
        else:
            y = y + 5
        return y

    def through_calls(n, x):
        def deep(n):
            if n:
                raise RuntimeError("deep", n)
            return 1

        try:
            try:
                return x * deep(n)
            except ValueError:
                return x
        except RuntimeError as error:
            return x * error.args[1]

    def again(n, x):
        try:
            try:
                raise Missing if n else ValueError("none")
            except ValueError:
                return x * 5
        except Missing:
            return x * 7

    def by_operator(shape, x):
        try:
            return x @ torch.ones(shape)
        except RuntimeError:
            return x * 3

    other = Row()
    other.other = 4
    seen = []
    for function, *arguments in (
        (by_key, {}, {"scale": 2}, {}, {"other": 1}),
        (by_index, [1], [1, 2, 3], (), [1, 2]),
        (by_attribute, Row(), other, Row()),
        (raised, 1, 2, 3, 1),
        (through_calls, 0, 1, 2, 0),
        (again, 0, 1, 0, 1),
        (by_operator, 2, 3, 2),
    ):
        f = compile(function)
        seen.append([f(each, ones()) for each in arguments for _ in range(2)])
    return seen


def context_managers_of_the_program(compile):
    log = []

    @contextlib.contextmanager
    def scope(n):
        log.append(n)
        try:
            yield n * 2
        finally:
            log.append(-n)

    @contextlib.contextmanager
    def careful():
        try:
            yield 3
        except KeyError:
            log.append("key")

    def run(x, n, table):
        with scope(n) as k, contextlib.suppress(ValueError):
            x = x * k
        with careful() as k:
            x = x + table["a"] * k
        return x * os.environ.get("NO_SUCH_NAME", n)

    f = compile(run)
    return [(f(ones(), n, table), list(log)) for n, table in ((1, {"a": 1}), (1, {"a": 1}), (2, {}), (2, {}), (1, {}))]


def errors_in_handlers(compile):
    def run(x, table):
        try:
            try:
                y = x * table["a"]
            except KeyError:
                y = x * table["b"]
            finally:
                x = x + 1
        except KeyError as error:
            y = x * len(error.args[0])
        return y + x

    f = compile(run)
    return [f(ones(), table) for table in ({"a": 2}, {"b": 3}, {}, {"a": 2}, {}, {"b": 3})]


def an_error_that_nobody_catches(compile):
    def run(n, x):
        y = x * 2
        if n > 1:
            raise ValueError("too large")
        return y

    def outcome(n):
        try:
            return f(n, ones())
        except ValueError as error:
            return str(error)

    f = compile(run)
    return [outcome(n) for n in (1, 1, 2, 2, 1, 2)]


def dictionaries_of_the_program(compile):
    class Output(collections.OrderedDict):
        def __setitem__(self, name, value):
            super().__setitem__(name, value)
            super().__setattr__(name, value)

        def first(self):
            return next(iter(self.values()))

    def run(x):
        out = Output()
        out["logits"] = x * 2
        out["loss"] = out["logits"].sum()
        return out.first(), out.loss, dict(out)

    f = compile(run)
    return [f(ones() * n) for n in range(4)]


def changes_before_tensors(compile):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(3, 2)
            self.calls, self.running, self.log = 0, False, []

        def forward(self, index):
            self.calls += 1
            self.running = True
            try:
                return self.table(index) * 2
            finally:
                self.running = False
                self.log.append(self.calls)

    torch.manual_seed(0)
    m = Model()
    f = compile(m)
    seen = []
    for index in (0, 1, 2, 5, 1, 7, 0):
        try:
            seen.append(f(torch.tensor([index])))
        except IndexError:
            seen.append("index")
        seen.append((m.calls, m.running, list(m.log)))
    return seen


def test_language(agree, story):
    agree(story)


@contextlib.contextmanager
def scale(n):
    yield n * 2


def scaled(x):
    with scale(2) as n:
        return x * n


def no_break(function, *args):
    compiled = torch.compile(function)
    for _ in range(2):
        compiled(*args)
    return torch.compiler.explain(compiled)(*args).break_reasons == []


class Face(abc.ABC):
    """An abstract class of the program."""

    @abc.abstractmethod
    def go(self):
        """Is not there."""


@functools.cache
def cached(n):
    return n + 1


def guarded_sum(x, table):
    try:
        return x * table["scale"]
    except KeyError:
        return x


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x, c: x * c.width + getattr(c, "none", 1), (Config(size=2),)),
        (lambda x, each: x * isinstance(each, (Face, collections.abc.Iterable)), ([1],)),
        (lambda x, g: x * len(inspect.signature(g).parameters), (ones,)),
        (lambda x, n: x * cached(n), (3,)),
        (lambda x: x * len(str(x.__class__)) + hasattr(x, "nothing"), ()),
        (guarded_sum, ({},)),
        (scaled, ()),
        (lambda x: x * int(os.environ.get("NO_SUCH_NAME", 2)), ()),
        (lambda x: (DEPTH.reset(DEPTH.set(1)), x * 2)[1], ()),
    ],
)
def test_no_break(function, args):
    assert no_break(function, ones(), *args)

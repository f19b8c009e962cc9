"""Classes: properties, descriptors, methods, protocols and bases that change between calls."""

import abc
import operator

import rushlight as torch


def ones():
    return torch.ones(2)


def changed_class(bases=(), **entries):
    """Returns a new class, so that a story may change it."""
    return type("Made", bases, entries)


def an_attribute_of_the_class_becomes_a_property(compile):
    made = changed_class()
    one = made()
    one.n = 2
    f = compile(lambda x: x * one.n)
    seen = [f(ones()), f(ones())]
    made.n = property(lambda self: 5, lambda self, value: None)
    return [*seen, f(ones()), f(ones())]


def a_property_is_replaced(compile):
    made = changed_class(n=property(lambda self: 2))
    one = made()
    f = compile(lambda x: x * one.n)
    seen = [f(ones()), f(ones())]
    made.n = property(lambda self: 5)
    return [*seen, f(ones()), f(ones())]


def a_property_in_c(compile):
    made = changed_class(n=property(operator.attrgetter("m")))
    one = made()
    one.m = 2
    f = compile(lambda x: x * one.n)
    seen = [f(ones()), f(ones())]
    one.m = 5
    return [*seen, f(ones()), f(ones())]


class Descriptor:
    def __init__(self, n):
        self.n = n

    def __get__(self, owner, kind):
        return self.n

    def __set__(self, owner, value):
        self.n = value


def a_descriptor_is_replaced(compile):
    made = changed_class(n=Descriptor(2))
    one = made()
    f = compile(lambda x: x * one.n)
    seen = [f(ones()), f(ones())]
    made.__dict__["n"].n = 4
    seen += [f(ones()), f(ones())]
    made.n = 5
    seen += [f(ones()), f(ones())]
    made.n = Descriptor(6)
    return [*seen, f(ones()), f(ones())]


def the_getter_of_a_descriptor_class_is_replaced(compile):
    kind = changed_class(__get__=lambda self, owner, kind: 2)
    made = changed_class(n=kind())
    one = made()
    f = compile(lambda x: x * one.n)
    seen = [f(ones()), f(ones())]
    kind.__get__ = lambda self, owner, kind: 5
    return [*seen, f(ones()), f(ones())]


def a_descriptor_is_set(compile):
    made = changed_class(n=Descriptor(2))
    one = made()

    def f(x):
        one.n = x * 2
        return one.n + 1

    f = compile(f)
    return [f(ones()), f(ones() * 2), one.n, f(ones() * 3), one.n]


def a_property_is_set(compile):
    log = []
    made = changed_class(
        n=property(lambda self: self.m, lambda self, value: (log.append(1), setattr(self, "m", value))[0])
    )
    one = made()

    def f(x):
        one.n = x * 2
        return one.n + 1

    f = compile(f)
    return [f(ones()), f(ones() * 2), one.m, f(ones() * 3), one.m, log]


def a_method_is_replaced(compile):
    made = changed_class(scaled=lambda self, x: x * 2)
    one = made()
    f = compile(lambda x: one.scaled(x))
    seen = [f(ones()), f(ones())]
    made.scaled = lambda self, x: x * 5
    seen += [f(ones()), f(ones())]
    one.scaled = lambda x: x * 7
    seen += [f(ones()), f(ones())]
    del one.scaled
    return [*seen, f(ones()), f(ones())]


def the_code_of_a_method_is_replaced(compile):
    made = changed_class(scaled=lambda self, x: x * 2)
    one = made()
    f = compile(lambda x: one.scaled(x))
    seen = [f(ones()), f(ones())]
    made.scaled.__code__ = (lambda self, x: x * 5).__code__
    seen += [f(ones()), f(ones())]
    made.scaled.__defaults__ = (7,)
    made.scaled.__code__ = (lambda self, x, n=1: x * n).__code__
    return [*seen, f(ones()), f(ones())]


def an_operator_is_replaced(compile):
    made = changed_class(__add__=lambda self, x: x * 2, __eq__=lambda self, other: True, __hash__=None)
    one = made()
    f = compile(lambda x: (one + x, 1 if one == 3 else 2))
    seen = [f(ones()), f(ones())]
    made.__add__ = lambda self, x: x * 5
    made.__eq__ = lambda self, other: False
    return [*seen, f(ones()), f(ones())]


def an_operator_is_added(compile):
    made = changed_class()
    one, two = made(), made()
    f = compile(lambda x: x * (2 if one == two else 3))
    seen = [f(ones()), f(ones())]
    made.__eq__ = lambda self, other: True
    return [*seen, f(ones()), f(ones())]


def protocols_are_replaced(compile):
    made = changed_class(
        __len__=lambda self: 2, __getitem__=lambda self, key: key, __contains__=lambda self, key: True,
        __iter__=lambda self: iter((1, 2)), __call__=lambda self, x: x * 2,
    )  # fmt: skip
    one = made()
    f = compile(
        lambda x: (len(one), one[3], 4 in one, [*one], list(one), one(x), 1 if one else 2, sum(one), [n for n in one])
    )
    seen = [f(ones()), f(ones())]
    for name, value in (
        ("__len__", lambda self: 0), ("__getitem__", lambda self, key: -key), ("__contains__", lambda self, key: False),
        ("__iter__", lambda self: iter((5,))), ("__call__", lambda self, x: x * 7), ("__bool__", lambda self: True),
    ):  # fmt: skip
        setattr(made, name, value)
        seen += [f(ones()), f(ones())]
    return seen


def an_iterator_is_replaced(compile):
    made = changed_class(__iter__=lambda self: self, __next__=lambda self: self.n)
    one = made()
    one.n = 3

    def f(x):
        for n in one:
            return x * n

    f = compile(f)
    seen = [f(ones()), f(ones())]
    made.__next__ = lambda self: 7
    return [*seen, f(ones()), f(ones())]


def a_manager_is_replaced(compile):
    log = []
    made = changed_class(__enter__=lambda self: 2, __exit__=lambda self, *error: log.append(1))
    one = made()

    def f(x):
        with one as n:
            return x * n

    f = compile(f)
    seen = [f(ones()), f(ones())]
    made.__enter__ = lambda self: 5
    seen += [f(ones()), f(ones())]
    made.__exit__ = lambda self, *error: log.append("other")
    return [*seen, f(ones()), f(ones()), log]


def getattr_is_replaced(compile):
    made = changed_class(__getattr__=lambda self, name: 2)
    one = made()
    f = compile(lambda x: x * one.n)
    seen = [f(ones()), f(ones())]
    made.__getattr__ = lambda self, name: 5
    seen += [f(ones()), f(ones())]
    one.n = 7
    seen += [f(ones()), f(ones())]
    made.__getattribute__ = lambda self, name: 9
    return [*seen, f(ones()), f(ones())]


def setattr_is_added(compile):
    log = []
    made = changed_class()
    one = made()

    def f(x):
        one.n = x + 1
        return x

    f = compile(f)
    seen = [f(ones()), f(ones())]
    made.__setattr__ = lambda self, name, value: log.append(name)
    return [*seen, f(ones()), f(ones()), one.n, log]


def class_attributes_and_bases(compile):
    base, other = changed_class(n=2), changed_class(n=5)
    made = changed_class((base,))
    f = compile(lambda x: (x * made.n, isinstance(one, base), issubclass(made, other)))
    one = made()
    seen = [f(ones()), f(ones())]
    base.n = 3
    seen += [f(ones()), f(ones())]
    made.n = 4
    seen += [f(ones()), f(ones())]
    del made.n
    made.__bases__ = (other,)
    return [*seen, f(ones()), f(ones())]


def the_class_of_an_object(compile):
    first, second = changed_class(n=2), changed_class(n=5)
    one = first()
    f = compile(lambda x: (x * one.n, type(one) is first, isinstance(one, second)))
    seen = [f(ones()), f(ones())]
    one.__class__ = second
    return [*seen, f(ones()), f(ones())]


def an_abstract_class_registers(compile):
    made, face = changed_class(), abc.ABCMeta("Face", (), {})
    one = made()
    f = compile(lambda x: (isinstance(one, face), issubclass(made, face)))
    seen = [f(ones()), f(ones())]
    face.register(made)
    return [*seen, f(ones()), f(ones())]


def an_abstract_class_checks(compile):
    made, face = (
        changed_class(),
        abc.ABCMeta("Face", (), {"__subclasshook__": classmethod(lambda cls, kind: hasattr(kind, "go"))}),
    )
    f = compile(lambda one: isinstance(one, face))
    seen = [f(made()), f(made())]
    other = changed_class(go=lambda self: 1)
    return [*seen, f(other()), f(made())]


def a_metaclass_calls(compile):
    made = {}

    class Single(type):
        def __call__(cls, *args):
            if cls not in made:
                made[cls] = super().__call__(*args)
            return made[cls]

    class One(metaclass=Single):
        def __init__(self):
            self.n = 1

    def f(x):
        one = One()
        one.n += 1
        return x * one.n, one

    f = compile(f)
    return [f(ones()), f(ones()), f(ones()), len(made)]


def new_returns_one_that_was_there(compile):
    class One:
        kept = None

        def __new__(cls):
            if cls.kept is None:
                cls.kept = super().__new__(cls)
            return cls.kept

        def __init__(self):
            self.n = 1

    def f(x):
        one = One()
        one.n += 1
        return x * one.n, one

    f = compile(f)
    return [f(ones()), f(ones()), f(ones())]


def an_initializer_is_replaced(compile):
    def initialize(self, n):
        self.n = n

    def other(self, n):
        self.n = -n

    made = changed_class(__init__=initialize)
    f = compile(lambda x: (x * made(2).n, made(3)))
    seen = [f(ones()), f(ones())]
    made.__init__ = other
    return [*seen, f(ones()), f(ones())]


def test_a_change_of_a_class_is_seen(agree, story):
    agree(story)

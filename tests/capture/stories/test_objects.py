"""Identity of objects, attributes that are written or deleted, and lists that are kept or returned."""

import copy
import pickle

import rushlight as torch


def ones():
    return torch.ones(2)


class Holder:
    """An object with whatever attributes."""

    kind = "holder"

    def __init__(self, **entries):
        self.__dict__.update(entries)

    def scaled(self, x):
        return x * self.n


def copies_of_results(compile):
    f = compile(lambda x: {"a": x * 2, "b": [x + 1, 3]})
    seen = [f(ones()) for _ in range(3)]
    return seen, copy.deepcopy(seen), pickle.loads(pickle.dumps(seen))


def identity_of_equal_numbers(compile):
    f = compile(lambda x, a, b: x * (2 if a is b else 3))
    big, one = int("1" * 30), float("1.5")
    return [
        f(ones(), big, big),
        f(ones(), big, big),
        f(ones(), big, int("1" * 30)),
        f(ones(), one, one),
        f(ones(), one, float("1.5")),
    ]


def identity_of_objects(compile):
    f = compile(lambda x, a, b: x * (2 if a is b else 3))
    one, two = Holder(), Holder()
    return [
        f(ones(), *ab) for ab in ((one, one), (two, two), (one, two), (two, one), (one, None), (None, None), ([], []))
    ]


def equality_of_objects(compile):
    f = compile(lambda x, a, b: x * (2 if a == b else 3) + (1 if a != b else 0))
    one, two = Holder(), Holder()
    return [
        f(ones(), *ab) for ab in ((one, one), (two, two), (one, two), (two, one), (one, None), (one, 1), (ones, ones))
    ]


def objects_as_keys(compile):
    one, two = Holder(), Holder()
    table = {one: 2, two: 3}
    f = compile(lambda x, key: x * table[key])
    seen = [f(ones(), one), f(ones(), two), f(ones(), one)]
    table[one] = 9
    return [*seen, f(ones(), one), f(ones(), two)]


def two_names_of_one_object(compile):
    def f(a, b, x):
        a.n = x * 2
        return b.n

    f = compile(f)
    one, two = Holder(n=ones()), Holder(n=ones() * 7)
    return [
        f(one, two, ones()),
        f(one, two, ones()),
        f(one, one, ones() * 3),
        f(two, one, ones() * 4),
        f(two, two, ones() * 5),
    ]


def written_under_another_name(compile):
    def f(one, table, x):
        one.n = x * 2
        a = one.__dict__["n"]
        one.__dict__["n"] = x * 3
        b = one.n
        table["m"] = 5
        return a, b, one.m, vars(one)

    f = compile(f)
    one, two = Holder(n=1, m=1), Holder(n=1, m=2)
    return [
        f(one, vars(one), ones()),
        f(one, vars(one), ones()),
        f(two, vars(one), ones()),
        f(one, vars(two), ones()),
        f(two, vars(two), ones()),
    ]


def attributes_are_deleted(compile):
    def f(one, x):
        del one.n
        one.n = x + 1
        return one.n

    f = compile(f)
    one = Holder(n=1)
    return [f(one, ones()), f(one, ones()), vars(one)]


def new_objects_keep_their_parts(compile):
    def f(x):
        a = [x * 2]
        b = {"a": a, "again": a}
        c = Holder(a=a, b=b)
        d = (a, b, c)
        return a, b, c, d, c.a

    f = compile(f)
    return [f(ones()), f(ones()), f(ones())]


def new_objects_in_old_ones(compile):
    one = Holder()

    def f(x):
        made = Holder(n=x)
        one.made = made
        one.kept = [made, made]
        return made

    f = compile(f)
    return [f(ones()), f(ones() * 2), one, f(ones() * 3), one]


def a_list_at_an_attribute_is_returned(compile):
    one = Holder(sizes=[1, 2, 3], table={"a": 1})

    def f(x):
        total = 0
        for n in one.sizes:
            total += n
        for key in one.table:
            total += one.table[key]
        return x * total, one.sizes, one.table

    f = compile(f)
    seen = [f(ones()), f(ones())]
    _, sizes, table = f(ones())
    sizes.append(4)
    table["b"] = 10
    return [*seen, f(ones()), one]


def a_list_is_changed_and_returned(compile):
    one = Holder(kept=[1])

    def f(x, more):
        one.kept.append(2)
        more.extend([3, x])
        one.other = one.kept
        one.more = more
        return one.kept, more

    f = compile(f)
    more = []
    return [f(ones(), more), f(ones(), more), f(ones(), []), one, more]


def a_list_is_stored(compile):
    one = Holder(sizes=[1, 2])

    def f(x):
        for n in one.sizes:
            x = x * n
        one.again = one.sizes
        return x

    f = compile(f)
    seen = [f(ones()), f(ones())]
    one.again.append(5)
    return [*seen, f(ones()), one]


def test_a_change_of_what_an_object_holds_is_seen(agree, story):
    agree(story)

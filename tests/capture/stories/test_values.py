"""Numbers, strings, containers and names: whatever of them changes between calls is seen by the next call."""

import builtins
import collections
import threading
import types

import rushlight as torch


def ones():
    return torch.ones(2)


def try_(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return error


NUMBER, TABLE, ITEMS = 2, {"a": 1}, [1, 2]


def numbers_of_equal_value(compile):
    f = compile(lambda x, n: (x * n, n, type(n).__name__, n * 2, 1 if n else 2, str(n), {1: "one", 0: "zero"}.get(n)))
    values = (
        1,
        True,
        1.0,
        1,
        0,
        False,
        0.0,
        -0.0,
        0.0,
        float("nan"),
        float("nan"),
        float("inf"),
        10**30,
        -(10**30),
        1j,
        None,
        "1",
        b"1",
    )
    return [try_(f, ones(), n) for n in (*values, *values)]


def numbers_in_containers(compile):
    f = compile(lambda x, c: (c, [*c], c[0] if not isinstance(c, dict) else None, x * len(c), 1 in c, True in c))
    return [
        f(ones(), c)
        for c in (
            [1],
            [True],
            [1.0],
            (1,),
            (True,),
            {1: 2},
            {True: 2},
            {1.0: 2},
            [0.0],
            [-0.0],
            [float("nan")],
            ["1"],
            [[1]],
            [(1,)],
            [None],
        )
    ]


def keys_in_order(compile):
    f = compile(
        lambda x, d: ([*d], [*d.items()], x * d["a"], next(iter(d.values())), list(d)[-1], "c" in d, d.get("c", 5))
    )
    return [
        f(ones(), d)
        for d in (
            {"a": 1, "b": 2},
            {"b": 2, "a": 1},
            {"a": 1, "b": 2},
            {"a": 1, "b": 3},
            {"a": 1},
            {"a": 1, "c": 2},
            collections.OrderedDict(b=1, a=2),
        )
    ]


def keys_that_are_equal(compile):
    f = compile(lambda x, d: (x * d[1], [*d], d.get(True), d.get(1.0), 1 in d))
    return [f(ones(), d) for d in ({1: 2}, {True: 2}, {1.0: 2}, {1: 3}, {True: 3}, {1: 2, 2: 3})]


def members_in_order(compile):
    f = compile(lambda x, s: ([*s], x * len(s), 8 in s, sorted(s), max(s), sum(s)))
    return [f(ones(), s) for s in ({0, 8}, {8, 0}, {0, 8}, {0, 16}, {0}, frozenset((8, 0)), {16, 0, 8})]


def a_set_that_is_made_in_another_order(compile):
    one, other = set(), set()
    for n in range(0, 64, 8):
        one.add(n)
        other.add(56 - n)
    f = compile(lambda x, s: [x * n for n in s])
    return [f(ones(), s) for s in (one, other, one, other)]


def default_dictionaries(compile):
    table = collections.defaultdict(lambda: 3, a=1)
    f = compile(lambda x, k: (x * table[k], len(table), k in table))
    return [f(ones(), k) for k in "aabbccab"], table


def counters(compile):
    table = collections.Counter("aab")
    f = compile(lambda x, k: (x * table[k], table.most_common(1), len(table)))
    seen = [f(ones(), k) for k in "abz"]
    table.update("zzz")
    return [*seen, *[f(ones(), k) for k in "abz"]]


def queues(compile):
    queue = collections.deque([1, 2], maxlen=3)

    def f(x):
        queue.append(3)
        queue.rotate(1)
        return x * queue[0], list(queue), queue.popleft()

    f = compile(f)
    return [f(ones()) for _ in range(5)], queue


def globals_change(compile):
    global NUMBER, TABLE, ITEMS
    NUMBER, TABLE, ITEMS = 2, {"a": 1}, [1, 2]
    f = compile(lambda x: (x * NUMBER * TABLE["a"], sum(ITEMS), [n for n in ITEMS], len(TABLE)))
    seen = [f(ones()), f(ones())]
    NUMBER = 3
    seen += [f(ones()), f(ones())]
    TABLE["a"] = 5
    seen += [f(ones()), f(ones())]
    TABLE = {"b": 1, "a": 7}
    seen += [f(ones()), f(ones())]
    ITEMS.append(4)
    seen += [f(ones()), f(ones())]
    del NUMBER
    seen += [try_(f, ones())]
    NUMBER = 2
    return [*seen, f(ones())]


def globals_are_written(compile):
    global NUMBER
    NUMBER = 2

    def f(x):
        global NUMBER
        NUMBER += 1
        y = x * NUMBER
        globals()["NUMBER"] += 1
        return y, NUMBER

    f = compile(f)
    seen = [f(ones()) for _ in range(4)]
    NUMBER = 7
    return [*seen, f(ones()), NUMBER]


def a_builtin_is_shadowed(compile):
    space = {"__builtins__": builtins, "torch": torch}
    exec("def f(x): return x * len((1, 2)) + max(1, 2)", space)
    f = compile(space["f"])
    seen = [f(ones()), f(ones())]
    space["len"] = lambda v: 7
    seen += [f(ones()), f(ones())]
    del space["len"]
    seen += [f(ones()), f(ones())]
    space["max"] = min
    return [*seen, f(ones())]


def a_name_of_a_module(compile):
    module = types.ModuleType("made")
    exec("n = 2\ndef get(x):\n    return x * n\ndef put(v):\n    global n\n    n = v", vars(module))

    def f(x):
        a = module.get(x)
        module.n = 5
        b = module.get(x)
        module.put(6)
        return a, b, module.n, module.get(x)

    f = compile(f)
    seen = [f(ones()), f(ones())]
    module.n = 9
    seen += [f(ones()), f(ones())]
    module.get = lambda x: x
    return [*seen, f(ones()), module.n]


def closures_change(compile):
    n, t = 2, torch.ones(2)

    def f(x):
        return x * n + t

    def change(a, b):
        nonlocal n, t
        n, t = a, b

    f = compile(f)
    seen = [f(ones()), f(ones())]
    change(3, torch.zeros(2))
    seen += [f(ones()), f(ones())]
    change(2.5, torch.zeros(2, requires_grad=True))
    return [*seen, f(ones()), f(ones())]


def closures_are_written(compile):
    n = 0

    def f(x):
        nonlocal n
        n += 1
        n = n * 2

        def inner():
            nonlocal n
            n += 1
            return n

        return x * inner() + n

    f = compile(f)
    return [f(ones()) for _ in range(5)], n


def closures_that_are_returned(compile):
    def f(x):
        n = 0

        def count():
            nonlocal n
            n += 1
            return x * n

        def now():
            return n

        return count, now

    f = compile(f)
    pairs = [f(ones() * k) for k in range(3)]
    return [(count(), count(), now()) for count, now in pairs]


def functions_that_are_returned(compile):
    f = compile(lambda x, n: (lambda y: x * y * n, {"f": lambda: n}))
    made = [f(ones() * k, k) for k in (1, 1, 2)]
    return [(one(3), table["f"]()) for one, table in made]


def generators(compile):
    def numbers(n):
        received = yield n
        while received:
            received = yield received * 2
        return 7

    def outer(n):
        last = yield from numbers(n)
        yield last

    def f(x, n):
        g = outer(n)
        a = next(g)
        b = g.send(3)
        return x * a * b, [x * k for k in outer(n)], list(zip(outer(n), range(2), strict=False)), next(g, None)

    f = compile(f)
    return [try_(f, ones(), n) for n in (1, 1, 2, 1)]


def an_iterator_goes_on(compile):
    numbers = iter(range(100))
    letters = (c for c in "abcdef")
    f = compile(lambda x: (x * next(numbers), next(letters)))
    return [f(ones()) for _ in range(5)]


def an_iterator_as_argument(compile):
    f = compile(lambda x, it: ([x * n for n in it], next(it, None)))
    return [f(ones(), iter(v)) for v in ([1, 2], [1, 2], [3], (1, 2), {1: 2})] + [
        f(ones(), (n for n in (1, 2))) for _ in range(3)
    ]


def exceptions(compile):
    def f(x, n):
        try:
            if n > 1:
                raise ValueError(n)
            return x / n
        except ValueError as error:
            return x * error.args[0]
        finally:
            ITEMS.append(n)

    ITEMS.clear()
    f = compile(f)
    return [try_(f, ones(), n) for n in (1, 2, 1, 3, 0, 1)], list(ITEMS)


def assertions(compile):
    def f(x, n):
        assert n > 0, f"{n} is too small"
        assert x.sum() > 0
        return x * n

    f = compile(f)
    return [try_(f, x, n) for x, n in ((ones(), 1), (ones(), 0), (-ones(), 1), (ones(), 1), (ones(), 2))]


def strings(compile):
    f = compile(
        lambda x, s: (
            s.upper(),
            s * 2,
            f"{s!r:>5}",
            s.split("b"),
            x * len(s),
            "a" in s,
            s[0:1],
            s.join("xy"),
            s == "ab",
            [*s],
        )
    )
    return [f(ones(), s) for s in ("ab", "ab", "abc", "", "ab", "".join(["a", "b"]), b"ab".decode(), "\u00e4b")]


def ranges_and_slices(compile):
    f = compile(lambda x, r, s: ([x * n for n in r], x[s], len(r), r[-1], s.start))
    return [
        f(torch.ones(4), r, s)
        for r, s in (
            (range(2), slice(0, 2)),
            (range(2), slice(0, 2)),
            (range(3), slice(0, 2)),
            (range(2), slice(1, 3)),
            (range(0, 4, 2), slice(None, None, 2)),
        )
    ]


def shapes_and_dtypes(compile):
    f = compile(
        lambda s, d, v: (torch.zeros(s, dtype=d, device=v), s, d, d == torch.float32, d is torch.float64, d.itemsize)
    )
    sizes = ((2, 3), [2, 3], torch.Size([2, 3]), (3, 2), 2)
    return [
        f(s, d, v)
        for s in sizes
        for d in (torch.float32, torch.float64, torch.float32, None)
        if d
        for v in ("cpu", torch.device("cpu"), "meta")
    ]


def nested_containers(compile):
    f = compile(lambda c: (c["a"][0][1] * c["b"]["n"], c["a"][1:], len(c["a"])))
    seen = []
    for n, extra in ((1, []), (1, []), (2, []), (1, [5]), (1, [6]), (1.0, [])):
        seen.append(f({"a": [(0, ones()), *extra], "b": {"n": n}}))
    return seen


def lists_of_tensors(compile):
    f = compile(lambda ts: (torch.stack(ts).sum(0), [t * 2 for t in ts], ts[-1] is ts[0], len(ts), ts))
    a, b = ones(), ones() * 2
    return [
        f(ts)
        for ts in (
            [a, b],
            [a, b],
            [a, a],
            [b, a],
            [a],
            [a, b, a],
            (a, b),
            [a, b.double()[:2].float()],
            [torch.ones(3)] * 2,
        )
    ]


def dictionaries_of_tensors(compile):
    def f(state, x):
        state["h"] = state["h"] * 0.5 + x
        state.setdefault("steps", 0)
        state["steps"] += 1
        return state["h"].sum()

    f = compile(f)
    state = {"h": torch.zeros(2)}
    seen = [f(state, ones()) for _ in range(4)]
    state["h"] = torch.zeros(3)
    return [*seen, f(state, torch.ones(3)), state]


def lists_change(compile):
    def f(items, x):
        items.append(x * 2)
        items.insert(0, 1)
        first = items.pop()
        items.extend([3, x])
        items[0] = 5
        del items[1:2]
        items.reverse()
        return first, items[-1], len(items), items

    f = compile(f)
    items = [7, 8]
    return [f(items, ones()) for _ in range(4)], f([7, 8], ones()), f([7, 8], ones())


def sets_change(compile):
    def f(s, x, n):
        s.add(n)
        s.discard(1)
        return x * len(s), n in s, s

    f = compile(f)
    s = {1, 2}
    return [f(s, ones(), n) for n in (3, 3, 1, 4)], f({1, 2}, ones(), 3), f({1, 2}, ones(), 3)


def added_to_in_place(compile):
    def f(items, x):
        items += [x]
        return items

    f = compile(f)
    items = []
    return [f(items, ones()) for _ in range(4)], f((), ones())


def more_than_the_limit(compile):
    f = compile(lambda x, n: x * n)
    return [f(ones(), n) for n in [*range(20), *range(20)]]


def locals_of_a_thread(compile):
    local = threading.local()
    local.n = 2
    f = compile(lambda x: x * local.n)
    seen = [f(ones()), f(ones())]
    local.n = 3
    seen.append(f(ones()))

    def other():
        local.n = 7
        seen.append(f(ones()))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    return [*seen, f(ones())]


def recursion(compile):
    def depth(x, n):
        return x if n <= 0 else depth(x * 2, n - 1) + n

    f = compile(lambda x, n: depth(x, n))
    return [f(ones(), n) for n in (3, 3, 2, 0, 5, 3)]


def walrus_and_unpacking(compile):
    def f(x, *rest, **named):
        if (n := len(rest)) > 1:
            first, *middle, last = rest
            x = x * first + sum(middle) - last
        a, (b, c) = n, (1, [2, 3])
        for i, (_, v) in enumerate(named.items()):
            x = x + i * v
        return x, a, b, c, {**named, "n": n}, [*rest, n], (lambda *a, **k: (a, k))(*rest, **named)

    f = compile(f)
    return [
        f(ones(), *r, **k)
        for r, k in (
            ((1, 2), {}),
            ((1, 2), {}),
            ((1, 2, 3), {"z": 1}),
            ((), {"z": 1, "y": 2}),
            ((), {"y": 2, "z": 1}),
            ((1, 2), {}),
        )
    ]


def matches(compile):
    def f(x, v):
        match v:
            case {"n": n}:
                return x * n
            case [a, *rest]:
                return x * a + len(rest)
            case int(n) if n > 2:
                return x + n
            case _:
                return x

    f = compile(f)
    return [f(ones(), v) for v in ({"n": 2}, [1, 2], 3, 1, {"n": 3}, [4], (1, 2), "a", 3)]


def test_a_change_of_a_value_is_seen(agree, story):
    agree(story)

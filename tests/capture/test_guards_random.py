"""Random programs of objects, guards on them and changes of them: machine code and `paths.Checker` always agree."""

import types

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.capture.paths import (
    ARGUMENT,
    CELL,
    CLASS,
    ENTRY,
    EQUAL,
    FOUND,
    GETTER,
    INDEX,
    IS,
    ITEM,
    KEYS,
    KEYWORD,
    LACKS,
    LENGTH,
    NO_ENTRY,
    OBJECT,
    OTHER,
    SAME,
    SLOT,
    TENSOR,
    TYPE,
    UNFOUND,
    Guard,
    Paths,
    meta_of,
)
from rushlight.core.tensor import Tensor

NAMES = ("a", "b", "c")
KEYS_OF_ITEMS = ("a", "b", 0, 1, True, 1.0, None)


def classes():
    """Returns fresh classes, which a program may change."""

    class Base:
        a = 1

        def b(self):
            return 0

    class Heir(Base):
        c = "class"

    class Slotted:
        __slots__ = ("a", "b")

    class Both(Base):
        __slots__ = ("x",)

    class Entries(dict):
        def __missing__(self, key):
            return 1

    return Base, Heir, Slotted, Both, Entries


class World:
    """Objects that a random program makes, reads and changes; `pick` chooses."""

    def __init__(self, pick):
        self.pick = pick
        self.base, self.heir, self.slotted, self.both, self.entries = classes()
        self.objects = []
        for _ in range(6):
            self.objects.append(self.made())
        self.paths = Paths()

    def scalar(self):
        return self.pick((0, 1, 2, True, 1.0, 0.0, -0.0, float("nan"), "a", "b", None, 1 << 70, 1j, b"a"))

    def tensor(self):
        x = self.pick((torch.zeros(2), torch.zeros(2, 2), torch.zeros(2, dtype=torch.float64), torch.zeros(())))
        change = self.pick((lambda x: x, lambda x: x.requires_grad_(), lambda x: x.clone()[...], torch.nn.Parameter))
        return change(x)

    def value(self):
        return self.pick((self.scalar, self.scalar, self.tensor, self.known, self.known))()

    def known(self):
        return self.pick(self.objects) if self.objects else None

    def made(self):
        kind = self.pick("object object slotted both dict entries list tuple function tensor".split())
        if kind == "object":
            made = self.pick((self.base, self.heir))()
            for name in NAMES[: self.pick(range(3))]:
                setattr(made, name, self.value())
            return made
        if kind in ("slotted", "both"):
            made = self.slotted() if kind == "slotted" else self.both()
            made.a = self.value()
            return made
        if kind in ("dict", "entries"):
            made = {} if kind == "dict" else self.entries()
            for _ in range(self.pick(range(4))):
                made[self.pick(KEYS_OF_ITEMS)] = self.value()
            return made
        if kind in ("list", "tuple"):
            made = [self.value() for _ in range(self.pick(range(4)))]
            return made if kind == "list" else tuple(made)
        if kind == "tensor":
            return self.tensor()
        held = self.value()
        return lambda first=1: (held, first)

    # ---- paths and guards that hold

    def steps(self, value):
        """Returns the steps of paths that can be taken from a value."""
        steps = [(CLASS, None)]
        if isinstance(getattr(value, "__dict__", None), dict):
            steps += [(ENTRY, name) for name in vars(value)]
        if isinstance(value, dict):
            steps += [(ITEM, key) for key in value]
        if isinstance(value, (list, tuple)):
            steps += [(INDEX, at) for at in range(-len(value), len(value))]
        if type(value) is self.slotted:
            steps.append((SLOT, self.slotted.a))
        if type(value) is types.FunctionType:
            steps += [(SLOT, vars(types.FunctionType)[name]) for name in ("__closure__", "__defaults__", "__code__")]
        if type(value) is types.CellType:
            steps.append((CELL, None))
        if isinstance(value, type):
            steps += [(FOUND, name) for name in NAMES if hasattr(value, name)]
        steps.append((GETTER, type))
        return steps

    def path(self, args, kwargs):
        """Returns a random path that can be read, and the value."""
        starts = [(ARGUMENT, at) for at in range(len(args))] + [(KEYWORD, name) for name in kwargs]
        path = self.paths.path(None, *self.pick([*starts, (OBJECT, self.known())]))
        for _ in range(self.pick(range(5))):
            step = self.pick(self.steps(path.read(args, kwargs)))
            further = self.paths.path(path, *step)
            try:
                further.read(args, kwargs)
            except (LookupError, AttributeError, ValueError):
                break
            path = further
        return path, path.read(args, kwargs)

    def guard(self, args, kwargs):
        path, value = self.path(args, kwargs)
        other, beside = self.path(args, kwargs)
        demands = [(IS, value), (TYPE, type(value)), (SAME if value is beside else OTHER, other)]
        if type(value) in (int, float, bool, str, bytes, complex, type(None)):
            demands += [(EQUAL, value)] * 3
        if isinstance(value, (list, tuple, dict)):
            demands += [(LENGTH, len(value))] * 2
        if isinstance(value, dict):
            demands += [(KEYS, tuple(value)), (LACKS, self.pick([key for key in ("c", 5, 7.5) if key not in value]))]
        if isinstance(getattr(value, "__dict__", None), dict) and "z" not in vars(value):
            demands.append((NO_ENTRY, "z"))
        if isinstance(value, type):
            demands.append((UNFOUND, "z"))
        if isinstance(value, Tensor):
            demands += [(TENSOR, meta_of(value))] * 3
        guard = Guard(path, *self.pick(demands))
        return guard if guard.holds(args, kwargs) else Guard(path, TYPE, type(value))

    # ---- changes

    def change(self):
        """Changes one object or class; what cannot be changed so is left as it is."""
        value = self.pick(self.objects)
        changes = [lambda: setattr(self.base, self.pick((*NAMES, "z")), self.value()), self.deleted_of_class]
        if isinstance(value, (self.base, self.both)):
            changes += [lambda: setattr(value, self.pick((*NAMES, "z")), self.value())] * 3
            changes += [lambda: value.__dict__.pop(self.pick(NAMES), None), lambda: value.__dict__.clear()]
            changes.append(lambda: setattr(value, "__dict__", dict(vars(value))))
            changes.append(lambda: setattr(value, "__dict__", self.entries(vars(value))))
            if type(value) is not self.both:
                changes.append(lambda: setattr(value, "__class__", self.pick((self.base, self.heir))))
        elif type(value) is self.slotted:
            changes += [lambda: setattr(value, "a", self.value())] * 2
            changes.append(lambda: hasattr(value, "a") and delattr(value, "a"))
        elif isinstance(value, dict):
            changes += [lambda: value.__setitem__(self.pick(KEYS_OF_ITEMS), self.value())] * 3
            changes += [lambda: value.pop(self.pick(KEYS_OF_ITEMS), None), value.clear, lambda: value.update(a=1)]
            changes.append(lambda: value and value.__setitem__(next(iter(value)), value.pop(next(iter(value)))))
        elif isinstance(value, list):
            changes += [lambda: value.append(self.value()), lambda: value and value.pop(), value.reverse]
            changes.append(lambda: value and value.__setitem__(0, self.value()))
        elif type(value) is types.FunctionType:
            changes.append(lambda: setattr(value, "__defaults__", self.pick((None, (1,), (self.value(),)))))
            changes.append(lambda: setattr(value.__closure__[0], "cell_contents", self.value()))
        elif isinstance(value, Tensor) and value.is_leaf:
            changes.append(lambda: value._base is None and value.requires_grad_(self.pick((True, False))))
            changes.append(lambda: setattr(value, "data", torch.zeros(self.pick((2, 3)), dtype=value.dtype)))
            changes.append(lambda: setattr(value, "a", 1))
        self.pick(changes)()

    def deleted_of_class(self):
        name = self.pick(NAMES)
        if name in vars(self.base):
            delattr(self.base, name)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_changes_are_seen_as_paths_sees_them(both, data):
    random = data.draw(st.randoms(use_true_random=False))
    world = World(lambda choices: random.choice(list(choices)))
    args = (world.known(), world.value())
    kwargs = {"k": world.known()}
    guards = [world.guard(args, kwargs) for _ in range(random.randrange(1, 12))]
    checked = both(guards, [world.path(args, kwargs)[0] for _ in range(3)])
    assert checked(*args, **kwargs)
    for _ in range(random.randrange(1, 14)):
        world.change()
        if random.random() < 0.2:
            args = (world.known(), world.value())
        try:
            checked(*args, **kwargs)
        except (LookupError, AttributeError, ValueError, TypeError, StopIteration) as error:
            raised_alike(checked, args, kwargs, error)


def raised_alike(checked, args, kwargs, error):
    """Checks that both checkers raise this, for a wanted value that is not there."""
    for check in checked.plain, checked.fast:
        try:
            check(args, kwargs)
        except type(error) as other:
            assert str(other) == str(error)
        else:
            raise AssertionError(f"only one raised {error!r}")

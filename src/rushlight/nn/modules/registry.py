"""The dictionaries inside a module: members that read as plain attributes, hooks that announce themselves."""

import weakref
from collections import OrderedDict
from collections.abc import MutableMapping
from copy import deepcopy

ABSENT = object()


class Members(dict):
    """The parameters, buffers or children of one module by name, mirrored into the module's own `__dict__`.

    This dictionary is the truth, as code written for PyTorch expects. The mirror spares a read of `self.weight` the
    way through `Module.__getattr__`, which costs twenty times as much. An attribute that was there before the member,
    on the instance or on its class, goes on hiding it.
    """

    __slots__ = ("_module",)

    def __init__(self, module, members=()):
        super().__init__()
        self._module = weakref.ref(module)
        self.update(members)

    def __setitem__(self, name, member):
        previous = self.get(name, ABSENT)
        super().__setitem__(name, member)
        module = self._module()
        if module is None or hasattr(type(module), name):
            return
        attribute = module.__dict__.get(name, ABSENT)
        if attribute is ABSENT or attribute is previous:
            module.__dict__[name] = member

    def __delitem__(self, name):
        member = self[name]
        super().__delitem__(name)
        self._forget(name, member)

    def pop(self, name, *default):
        present = name in self
        member = super().pop(name, *default)
        if present:
            self._forget(name, member)
        return member

    def popitem(self):
        name, member = super().popitem()
        self._forget(name, member)
        return name, member

    def _forget(self, name, member):
        module = self._module()
        if module is not None and module.__dict__.get(name, ABSENT) is member:
            del module.__dict__[name]

    def __ior__(self, other):  # type: ignore[misc]
        self.update(other)
        return self

    clear = MutableMapping.clear
    update = MutableMapping.update
    setdefault = MutableMapping.setdefault

    def __reduce__(self):
        return OrderedDict, (), None, None, iter(self.items())


class Hooks(OrderedDict):
    """Hooks of one kind by handle id. The first one put in raises `flag`, a list shared by all kinds of one owner."""

    def __init__(self, flag=None):
        super().__init__()
        self.flag = [] if flag is None else flag

    def __setitem__(self, key, hook):
        super().__setitem__(key, hook)
        if not self.flag:
            self.flag.append(True)

    def __reduce__(self):
        # A plain dictionary, as in PyTorch's checkpoints; `Module.__setstate__` makes a table of it again.
        return OrderedDict, (), None, None, iter(self.items())

    def __deepcopy__(self, memo):
        # A table as it is: the copies of the hooks' handles refer to it.
        table = memo[id(self)] = Hooks(deepcopy(self.flag, memo))
        for key, hook in self.items():
            table[key] = deepcopy(hook, memo)
        return table


def hooks_like(hooks, flag):
    """A copy of `hooks` that raises `flag`."""
    table = Hooks(flag)
    table.update(hooks)
    return table

"""Random programs that register, assign, delete and look up members of a module, in both libraries: the same answers,
the same errors, and the same `__dict__` after every statement.
"""

import random
import warnings

import pytest

import rushlight

NAMES = ("a", "b", "c")
VALUES = {
    "parameter": lambda torch: torch.nn.Parameter(torch.zeros(2)),
    "tensor": lambda torch: torch.ones(2),
    "buffer": lambda torch: torch.nn.Buffer(torch.ones(3)),
    "transient buffer": lambda torch: torch.nn.Buffer(torch.ones(3), persistent=False),
    "module": lambda torch: torch.nn.Identity(),
    "None": lambda torch: None,
    "5": lambda torch: 5,
}
STATEMENTS = {
    "setattr": lambda module, name, value, flag: setattr(module, name, value),
    "delattr": lambda module, name, value, flag: delattr(module, name),
    "getattr": lambda module, name, value, flag: shown(getattr(module, name)),
    "hasattr": lambda module, name, value, flag: hasattr(module, name),
    "register_parameter": lambda module, name, value, flag: module.register_parameter(name, value),
    "register_buffer": lambda module, name, value, flag: module.register_buffer(name, value, persistent=flag),
    "add_module": lambda module, name, value, flag: module.add_module(name, value),
    "__dict__": lambda module, name, value, flag: module.__dict__.update({name: value}),
    "object.__setattr__": lambda module, name, value, flag: object.__setattr__(module, name, value),
    "del _parameters": lambda module, name, value, flag: module._parameters.pop(name),
    "del _buffers": lambda module, name, value, flag: module._buffers.pop(name) and None,
}
# What is written to a table directly is of its kind: neither library checks it.
WRITES = {"_parameters": ("parameter", "None"), "_buffers": ("tensor", "None"), "_modules": ("module", "None")}


def classes(torch):
    class Plain(torch.nn.Module):
        pass

    class WithProperty(torch.nn.Module):
        @property
        def a(self):
            return self._own  # absent until it is assigned

        @a.setter
        def a(self, value):
            self.__dict__["own"] = value

    class WithBrokenProperty(torch.nn.Module):
        @property
        def b(self):
            return self.nothing

    class WithGetattr(torch.nn.Module):
        def __getattr__(self, name):
            if name == "c" and name not in self._parameters:
                return "from __getattr__"
            return super().__getattr__(name)

    class WithClassAttributes(torch.nn.Module):
        a, b = None, 3

    return Plain, WithProperty, WithBrokenProperty, WithGetattr, WithClassAttributes


def shown(value):
    return repr(value) if isinstance(value, int | str | None) else type(value).__name__


def state(module):
    own = vars(module)
    return {
        "__dict__": list(own),
        "members": {
            kind: {name: shown(each) for name, each in own[kind].items()}
            for kind in ("_parameters", "_buffers", "_modules")
        },
        "transient": sorted(own["_non_persistent_buffers_set"]),
        "hidden": {name: shown(own[name]) for name in NAMES if name in own},
        "attributes": {name: shown(getattr(module, name, "absent")) for name in NAMES},
        "state_dict": list(module.state_dict()),
        "dir": [name for name in dir(module) if name in NAMES],
        "children": [name for name, _ in module.named_children()],
    }


def outcome(torch, module, statement):
    what, name, value, flag = statement
    try:
        if what in WRITES:
            getattr(module, what)[name] = VALUES[value](torch)
            return None
        return STATEMENTS[what](module, name, VALUES[value](torch), flag)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(pytorch, kind, seed):
    draw = random.Random(f"{kind} {seed}")
    for _ in range(50):
        modules = [(torch, classes(torch)[kind]()) for torch in (pytorch, rushlight)]
        program = []
        for _ in range(draw.randrange(3, 12)):
            what = draw.choice([*STATEMENTS, *WRITES, "setattr", "setattr"])
            value = draw.choice(WRITES.get(what, list(VALUES)))
            program.append((what, draw.choice(NAMES), value, draw.random() < 0.5))
            theirs, ours = (outcome(torch, module, program[-1]) for torch, module in modules)
            if not isinstance(theirs, pytorch.nn.Parameter):  # what a pop returned
                assert ours == theirs, program
            assert state(modules[1][1]) == state(modules[0][1]), program


LAYERS = {
    "Linear": (2, 3),
    "Conv2d": (2, 3, 1),
    "BatchNorm1d": (3,),
    "LSTM": (2, 3),
    "MultiheadAttention": (4, 2),
    "Sequential": (),
    "Embedding": (4, 2),
    "LayerNorm": (3,),
    "GRUCell": (2, 3),
    "Transformer": (4, 2, 1, 1, 4),
    "Bilinear": (2, 3, 4),
    "PReLU": (),
    "CrossEntropyLoss": (),
    "Dropout": (),
    "ModuleList": (),
    "ParameterList": (),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_dict_of_a_layer_has_the_entries_of_pytorch(pytorch, name):
    with warnings.catch_warnings(action="ignore"):
        theirs, ours = (vars(getattr(torch.nn, name)(*LAYERS[name])) for torch in (pytorch, rushlight))
    assert {key: type(value).__name__ for key, value in theirs.items()} == {
        key: type(value).__name__ for key, value in ours.items()
    }

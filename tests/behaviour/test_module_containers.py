"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict: as lists and dictionaries, and as modules."""

from collections import OrderedDict

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


def letters(nn, text):
    """Modules named by letters: their texts show which is where."""
    classes = {"r": nn.ReLU, "t": nn.Tanh, "s": nn.Sigmoid, "i": nn.Identity}
    return [classes[letter]() for letter in text]


def text(modules):
    return "".join(type(module).__name__[0].lower() for module in modules)


def names(module):
    return [name for name, _ in module.named_children()]


def test_sequential_calls_its_modules_in_turn(torch, nn):
    assert nn.Sequential(nn.ReLU(), nn.Hardtanh(0.0, 2.0))(torch.tensor([-1.0, 1.0, 5.0])).tolist() == [0, 1, 2]
    x = torch.ones(1)
    assert nn.Sequential()(x) is x


def test_sequential_by_name(nn):
    model = nn.Sequential(OrderedDict([("act", nn.ReLU()), ("out", nn.Tanh())]))
    assert names(model) == ["act", "out"] and isinstance(model.act, nn.ReLU)
    assert names(model[1:]) == ["out"] and isinstance(model[-1], nn.Tanh)


def test_sequential_is_a_list(nn):
    model = nn.Sequential(*letters(nn, "rts"))
    assert len(model) == 3 and text(model) == "rts" and type(model[:2]) is nn.Sequential
    model[1] = nn.Identity()
    assert text(model) == "ris"
    del model[0]
    assert text(model) == "is" and names(model) == ["0", "1"]
    assert model.append(nn.ReLU()) is model and model.extend(letters(nn, "tt")) is model
    assert model.insert(1, nn.Sigmoid()) is model and text(model) == "issrtt"
    model.insert(-1, nn.ReLU())
    assert text(model) == "issrtrt" and names(model) == list("0123456")
    del model[::2]
    assert text(model) == "srr" and names(model) == list("012")
    assert text([model.pop(0)]) == "s" and text(model) == "rr"


def test_sequential_arithmetic(nn):
    a, b = nn.Sequential(*letters(nn, "rt")), nn.Sequential(*letters(nn, "s"))
    total = a + b
    assert text(total) == "rts" and text(a) == "rt" and total[0] is a[0]
    a += b
    assert text(a) == "rts" and a[2] is b[0]
    assert text(b * 3) == text(3 * b) == "sss"
    b *= 2
    assert text(b) == "ss" and list(b._modules) == ["0", "1"] and b[0] is b[1]


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("m[5]", IndexError, "index 5 is out of range"),
        ("m[-3]", IndexError, "index -3 is out of range"),
        ("m['a']", TypeError, "'str' object cannot be interpreted as an integer"),
        ("m + [1]", ValueError, "add operator supports only objects of Sequential class, but <class 'list'> is given."),
        (
            "m += [1]",
            ValueError,
            "add operator supports only objects of Sequential class, but <class 'list'> is given.",
        ),
        ("m * 0", ValueError, "Non-positive multiplication factor 0 for"),
        ("m * 1.5", TypeError, "unsupported operand type(s) for *:"),
        ("m *= -1", ValueError, "Non-positive multiplication factor -1 for"),
        ("m.insert(7, m[0])", IndexError, "Index out of range: 7"),
        ("m.insert(0, 'x')", AssertionError, "module should be of type: <class"),
        ("m.append(3)", TypeError, "int is not a Module subclass"),
        ("nn.ModuleList(3)", TypeError, "ModuleList.extend should be called with an iterable, but got int"),
        ("nn.ModuleList(m)[2]", IndexError, "index 2 is out of range"),
        ("nn.ModuleList(m)(1)", NotImplementedError, 'Module [ModuleList] is missing the required "forward" function'),
        (
            "nn.ModuleDict(3)",
            TypeError,
            "ModuleDict.update should be called with an iterable of key/value pairs, but got",
        ),
        ("nn.ModuleDict([3])", TypeError, "ModuleDict update sequence element #0 should be Iterable; isint"),
        ("nn.ModuleDict([('a',)])", ValueError, "ModuleDict update sequence element #0 has length 1; 2 is required"),
        ("nn.ModuleDict()['a']", KeyError, "a"),
        ("nn.ModuleDict({'keys': m})", KeyError, "attribute 'keys' already exists"),
        ("nn.ParameterList(3)", TypeError, "ParameterList.extend should be called with an iterable, but got int"),
        (
            "nn.ParameterList(torch.ones(2))",
            TypeError,
            "ParameterList.extend should be called with an iterable, but got",
        ),
        ("nn.ParameterList()[0]", IndexError, "index 0 is out of range"),
        ("nn.ParameterList()(1)", RuntimeError, "ParameterList should not be called."),
        ("nn.ParameterDict()(1)", RuntimeError, "ParameterDict should not be called."),
        (
            "nn.ParameterDict(3)",
            TypeError,
            "ParametersDict.update should be called with an iterable of key/value pairs",
        ),
        ("nn.ParameterDict([3])", TypeError, "ParameterDict update sequence element #0 should be Iterable; isint"),
        (
            "nn.ParameterDict([[1, 2, 3]])",
            ValueError,
            "ParameterDict update sequence element #0 has length 3; 2 is req",
        ),
        (
            "nn.ParameterDict({1: 2})",
            TypeError,
            "Index given to ParameterDict cannot be used as a key as it is not a str",
        ),
        ("nn.ParameterDict().popitem()", KeyError, "popitem(): dictionary is empty"),
    ],
)
def test_what_containers_refuse(torch, nn, statement, kind, message):
    with pytest.raises(kind) as caught:
        exec(statement, {"m": nn.Sequential(nn.ReLU(), nn.Tanh()), "nn": nn, "torch": torch})
    assert message in str(caught.value)


def test_module_list_is_a_list(nn):
    modules = nn.ModuleList(letters(nn, "rts"))
    assert len(modules) == 3 and text(modules) == "rts" and text([modules[-1]]) == "s"
    assert type(modules[1:]) is nn.ModuleList and text(modules[1:]) == "ts"
    modules[0] = nn.Identity()
    modules.insert(1, nn.Sigmoid())
    assert text(modules) == "ists" and names(modules) == list("0123")
    del modules[1], modules[-1]
    assert text(modules) == "it" and names(modules) == list("01")
    modules += letters(nn, "r")
    assert text(modules + letters(nn, "s")) == "itrs" and text(modules) == "itr"
    assert modules.append(nn.ReLU()) is modules and text([modules.pop(0)]) == "i" and text(modules) == "trr"
    del modules[:2]
    assert text(modules) == "r" and list(nn.ModuleList()) == []


def test_module_list_prints_repetitions_once(nn):
    modules = nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.ReLU(), nn.Sequential(nn.Tanh())])
    assert repr(modules) == (
        "ModuleList(\n"
        "  (0-1): 2 x Linear(in_features=1, out_features=2, bias=True)\n"
        "  (2): ReLU()\n"
        "  (3): Sequential(\n"
        "    (0): Tanh()\n"
        "  )\n"
        ")"
    )
    assert repr(nn.ModuleList()) == "ModuleList()"


def test_module_dict_is_a_dictionary(nn):
    modules = nn.ModuleDict({"b": nn.ReLU(), "a": nn.Tanh()})
    assert list(modules) == ["b", "a"] == list(modules.keys()) and len(modules) == 2 and "a" in modules
    assert text(modules.values()) == "rt" and [key for key, _ in modules.items()] == ["b", "a"]
    modules["c"] = nn.Sigmoid()
    modules.update([("a", nn.Identity()), ["d", nn.ReLU()]])
    modules.update(nn.ModuleDict({"e": nn.Tanh()}))
    assert text(modules.values()) == "risrt" and isinstance(modules.e, nn.Tanh)
    del modules["b"]
    assert text([modules.pop("c")]) == "s" and list(modules) == ["a", "d", "e"]
    modules.clear()
    assert len(modules) == 0 and not hasattr(modules, "a")


def test_parameter_list_is_a_list(torch, nn):
    values = nn.ParameterList([torch.zeros(2), nn.Parameter(torch.ones(1)), "text"])
    assert [type(value) is nn.Parameter for value in values] == [True, True, False]
    assert [name for name, _ in values.named_parameters()] == ["0", "1"] and values[-1] == "text" and len(values) == 3
    assert type(values[1:]) is nn.ParameterList and values[1:][0] is values[1]
    values[0] = torch.ones(3)
    assert isinstance(values[0], nn.Parameter) and values[0].shape == (3,)
    values += [torch.ones(4)]
    assert values.append(5) is values and values.extend([6]) is values and list(values)[3:][1:] == [5, 6]
    assert repr(nn.ParameterList([torch.zeros(2, 3), 7])) == (
        "ParameterList(\n    (0): Parameter containing: [torch.float32 of size 2x3]\n    (1): Object of type: int\n)"
    )


def test_parameter_dict_is_a_dictionary(torch, nn):
    values = nn.ParameterDict({"b": torch.zeros(2), "a": 3})
    assert list(values) == ["a", "b"] and list(nn.ParameterDict(OrderedDict(b=1, a=2))) == ["b", "a"]
    assert isinstance(values["b"], nn.Parameter) and values.a == 3 and len(values) == 2 and "b" in values
    assert [name for name, _ in values.named_parameters()] == ["b"]
    values["c"] = torch.ones(1)
    assert list(reversed(values)) == ["c", "b", "a"] and values.get("d") is None and values.get("d", 4) == 4
    assert values.setdefault("a", 9) == 3 and values.setdefault("d", 5) == 5 and values.popitem() == ("d", 5)
    assert values.pop("a") == 3 and list(values.keys()) == ["b", "c"]
    assert [key for key, _ in values.items()] == ["b", "c"] and len(list(values.values())) == 2
    copy = values.copy()
    assert copy["b"] is values["b"] and list(copy | nn.ParameterDict({"e": 1})) == ["b", "c", "e"]
    copy |= {"f": 2}
    assert copy["f"] == 2 and list(values.fromkeys(["x", "y"], 1).items()) == [("x", 1), ("y", 1)]
    del copy["b"]
    copy.clear()
    assert len(copy) == 0 and len(values) == 2
    assert repr(nn.ParameterDict({"w": torch.zeros(2), "n": 1})) == (
        "ParameterDict(\n    (n): Object of type: int\n    (w): Parameter containing: [torch.FloatTensor of size 2]\n)"
    )


def test_names_of_a_containers_entries_are_not_in_dir(torch, nn):
    for container in (nn.Sequential(nn.ReLU()), nn.ModuleList([nn.ReLU()]), nn.ParameterList([torch.ones(1)])):
        assert "0" not in dir(container)


def test_the_oldest_container(nn):
    with pytest.warns(FutureWarning, match="`nn.Container` is deprecated"):
        assert names(nn.Container(a=nn.ReLU())) == ["a"]

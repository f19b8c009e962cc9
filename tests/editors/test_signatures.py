"""What `help`, `inspect.signature` and completion say of everything public: nothing that only our own code needs."""

import copy
import importlib
import inspect
import pickle
import pydoc
import re
import rlcompleter
from types import ModuleType

import pytest
import rushlight

# The default of an argument that has none, what takes other names or orders of arguments, and nameless objects.
INTERNAL = re.compile(r"NOTHING|ABSENT|\*\*named\b(?!:)|\*between|<[\w.]+ object at 0x|<object object")
# PyTorch shows its default generator in the same way.
AS_IN_PYTORCH = {"rushlight.utils.data.random_split"}
OWN = ("rushlight", "torch")
# What the package is made of, which is not for users, can be looked up all the same.
OURS = (
    "_as_torch", "_generated", "arrays", "benchmark", "capture", "cli", "core", "create", "declarations", "describe",
    "dispatch",
    "errors", "explain", "graph", "kernels", "lower", "memory", "settings", "testing", "transforms",
)  # fmt: skip


def public_modules():
    """The root and the modules in it, by name."""
    waiting, result = ["rushlight"], {}
    while waiting:
        name = waiting.pop()
        result[name] = module = importlib.import_module(name)
        for member in dir(module):
            value = getattr(module, member)
            inside = isinstance(value, ModuleType) and value.__name__ == f"{name}.{member}"
            if inside and not member.startswith("_") and member not in OURS:
                waiting.append(value.__name__)
    return result


def public_callables():
    """Everything that can be called: functions, classes and methods, each once, by name."""
    seen = set()
    for place, module in public_modules().items():
        for name in dir(module):
            value = getattr(module, name)
            if name.startswith("_") or not str(getattr(value, "__module__", "")).startswith(OWN):
                continue
            members = [(name, value)]
            if isinstance(value, type):
                members += [(f"{name}.{each}", getattr(value, each, None)) for each in dir(value) if each[0] != "_"]
            for member, each in members:
                if callable(each) and id(each) not in seen:
                    seen.add(id(each))
                    yield f"{place}.{member}", each


def test_signatures_show_nothing_internal():
    shown = {}
    for name, value in public_callables():
        try:
            shown[name] = str(inspect.signature(value))
        except ValueError:  # what C code does not tell
            continue
    assert len(shown) > 3000
    bad = [f"{name}{text}" for name, text in shown.items() if INTERNAL.search(text) and name not in AS_IN_PYTORCH]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("name", ["add", "sum", "softmax", "chunk", "scatter_add", "Tensor.sum", "linalg.norm", "sub"])
def test_help_shows_the_arguments_that_pytorch_documents(name):
    value = rushlight
    for part in name.split("."):
        value = getattr(value, part)
    text = pydoc.render_doc(value, renderer=pydoc.plaintext)
    assert not INTERNAL.search(text)
    assert f"{name.rpartition('.')[2]}(" in text


def test_a_signature_without_an_argument_that_others_may_follow():
    assert str(inspect.signature(rushlight.add)) == "(input, other, *, alpha=1, out=None)"
    assert str(inspect.signature(rushlight.chunk)) == "(input, chunks, dim=0)"
    assert str(inspect.signature(rushlight.sum)) == "(input, dim=None, keepdim=False, *, dtype=None, out=None)"


def test_signatures_are_ordinary_ones():
    shown = inspect.signature(rushlight.add)
    assert shown == copy.copy(shown) == pickle.loads(pickle.dumps(shown))
    assert list(shown.replace(parameters=list(shown.parameters.values())[:1]).parameters) == ["input"]
    assert shown.bind(1, 2, alpha=3).arguments == {"input": 1, "other": 2, "alpha": 3}
    assert hash(shown) == hash(inspect.signature(rushlight.add))


@pytest.mark.parametrize("text", ["torch.sof", "torch.nn.Conv", "torch.Tensor.unsq", "torch.optim.lr_scheduler.Cos"])
def test_completion_at_the_prompt(text):
    complete = rlcompleter.Completer({"torch": rushlight}).complete
    results = [name for place in range(100) if (name := complete(text, place)) is not None]
    assert results and all(each.startswith(text) for each in results)


@pytest.mark.parametrize("name", ["add", "chunk", "softmax", "Tensor.sum"])
def test_signatures_that_jedi_shows_while_one_types(name):
    jedi = pytest.importorskip("jedi", reason="jedi comes with IPython")
    result = jedi.Interpreter(f"torch.{name}(", [{"torch": rushlight}]).get_signatures()
    assert result and not any(INTERNAL.search(each.to_string()) for each in result)

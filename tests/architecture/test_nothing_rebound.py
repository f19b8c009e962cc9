"""What runs is what is written: after import, functions change only as entries that `dispatch/plan.py` assigns."""

import json
import subprocess
import sys

import pytest

PROGRAM = '''
import json, sys, types
import rushlight as torch
import rushlight.nn.functional as F
from rushlight.declarations.declare import OPS
from rushlight.dispatch.methods import LaterMethod
from rushlight.dispatch.plan import ENTRIES

DATA = (int, float, str, bytes, tuple, frozenset, list, dict, set, type(None))  # a program's state, and constants


def small():
    x = torch.randn(3, 4, requires_grad=True)
    (F.softmax(x @ x.T, 1).log().sum() + x.exp().mean()).backward()
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(model(torch.randn(5, 4)), torch.tensor([0, 1, 0, 1, 0])).backward()
        optimizer.step()
    torch.fft.fft(torch.ones(4)), torch.linalg.inv(torch.eye(3)), torch.sort(torch.randn(5)), torch.special.i0(x)
    F.gelu(x), F.conv2d(torch.randn(1, 1, 5, 5), torch.randn(1, 1, 3, 3)), F.layer_norm(x, (4,))
    x.detach().add_(1).mul_(2), x.half() + x.half(), x + x.double()


def large():
    x = torch.randn(300, 300, requires_grad=True)
    for _ in range(3):
        (F.softmax(x, 1) + x.exp() * torch.tanh(x) + F.gelu(x) + F.silu(x) + (x @ x)).sum().backward()
        x.detach().half().exp(), x.detach().clone().add_(1).mul_(x.detach()), torch.sort(x.detach())
        torch.cumsum(x, 1).sum().backward(), F.layer_norm(x, (300,)).sum().backward()
        images = F.relu(F.conv2d(torch.randn(8, 16, 32, 32), torch.randn(16, 16, 3, 3, requires_grad=True), padding=1))
        F.batch_norm(F.max_pool2d(images, 2), torch.zeros(16), torch.ones(16), training=True).sum().backward()
        F.cross_entropy(x, torch.randint(300, (300,))).backward(), x.detach()[torch.randint(300, (5000,))]


def owners():
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and name.partition(".")[0] == "rushlight":
            yield module
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__.partition(".")[0] in ("rushlight", "torch"):
                    yield value
    yield from OPS.values()


def snapshot():
    return {
        (id(owner), name): (value, f"{getattr(owner, '__name__', owner)}.{name}")
        for owner in owners()
        for name, value in list(vars(owner).items())
        if not isinstance(value, DATA)
    }


def changed(before):
    """What has another value. A method becomes itself when it is first looked up; entries are the plan's to assign."""
    return sorted(
        before[key][1]
        for key, (value, _) in snapshot().items()
        if key in before and before[key][0] is not value and key not in ENTRIES
        and type(before[key][0]) is not LaterMethod
    )


found = {}
small()
before = snapshot()
small()
found["small arrays"] = changed(before)
large()
found["large arrays"] = changed(before)
with torch.explain.lines():
    small()
    found["while lines are recorded"] = changed(before)
found["after lines were recorded"] = changed(before)
with torch.watch():
    small(), large()
    found["under a watch"] = changed(before)
found["after a watch"] = changed(before)
codes = {name: function.__code__ for name, function in vars(torch).items() if isinstance(function, types.FunctionType)}
with torch.profiler.profile(with_stack=True, record_shapes=True, profile_memory=True):
    small(), large()
    found["under a profile"] = changed(before)
found["after a profile"] = changed(before)
found["code after a profile"] = [name for name, code in codes.items() if getattr(torch, name).__code__ is not code]
large()
found["large arrays again"] = changed(before)
found["entries that kernels took over"] = sum(each.base is not each.plain for each in ENTRIES.values())
found["observers left"] = sum(len(each.observers) for each in ENTRIES.values())
print(json.dumps(found))
'''
SITUATIONS = (
    "small arrays",
    "large arrays",
    "while lines are recorded",
    "after lines were recorded",
    "under a watch",
    "after a watch",
    "under a profile",
    "after a profile",
    "code after a profile",
    "large arrays again",
)


@pytest.fixture(scope="module")
def found():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_name_is_bound_again(found, situation):
    assert found[situation] == []


def test_kernels_take_entries_over(found):
    pytest.importorskip("llvmlite", reason="the extra jit is not installed")
    assert found["entries that kernels took over"] > 100


def test_observers_leave(found):
    assert found["observers left"] == 0

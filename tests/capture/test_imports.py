"""Imports of ours inside a call that is watched: finders of other packages are no part of the program."""

import subprocess
import sys

PROGRAM = """
import gc, sys

class Finder:  # as setuptools and many tools install one
    def find_spec(self, name, path=None, target=None):
        return getattr(self, f"spec_of_{name}", lambda: None)()

sys.meta_path.insert(0, Finder())

import rushlight as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.ones(5, 3), torch.tensor([0, 1, 1, 0, 1])
imported = set(sys.modules)

@torch.compile
def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), target)
    loss.backward()
    optimizer.step()
    return loss

losses = [step().item() for _ in range(20)]
assert losses[-1] < losses[0]
assert any(name.startswith("rushlight.arrays") for name in set(sys.modules) - imported), "no import in a run"
print(sum(type(each).__name__ == "WholeStep" for each in gc.get_objects()))
"""


def test_a_training_step_is_one_program_beside_a_finder_of_modules():
    actual = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert actual.returncode == 0, actual.stderr
    assert actual.stdout.split() == ["1"]


FINDS_IN_A_RUN = """
import sys

import rushlight as torch

class Finder:  # one that changes what the program reads
    def find_spec(self, name, path=None, target=None):
        if name == "colorsys":
            weights.append(2.0)

sys.meta_path.insert(0, Finder())
weights = [1.0]

def f(x, colorsys=None):
    y = x * weights[-1]
    import colorsys
    return y + x * weights[-1]

g = torch.compile(f)
results = []
for _ in range(3):
    sys.modules.pop("colorsys", None)
    results.append(g(torch.ones(1)).item())
print(results)
"""


def test_imports_of_the_program_itself_are_part_of_it():
    actual = subprocess.run([sys.executable, "-c", FINDS_IN_A_RUN], capture_output=True, text=True, check=True)
    assert actual.stdout.strip() == "[3.0, 4.0, 4.0]"

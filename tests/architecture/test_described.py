"""What is written to be read, stubs and the table of operators, is what the package is: fresh, and right for mypy."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUBS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.pyi"))
DESCRIBED = [*STUBS, "docs/operators.md"]


def run(*command, source, cwd):
    """Exit status and output of a Python module, run with a copy of the package."""
    environment = {**os.environ, "PYTHONPATH": str(source), "MYPYPATH": ""}
    done = subprocess.run([sys.executable, "-m", *command], env=environment, cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(root):
    return run("rushlight.describe", "--check", source=root / "src", cwd=root)


def test_descriptions_are_fresh():
    status, output = check(ROOT)
    assert status == 0, f"run scripts/generate\n{output}"


def test_stale_descriptions_are_noticed_and_written_again(checkout):
    for name in DESCRIBED:
        (checkout / name).write_text("stale", "utf-8")
    status, output = check(checkout)
    assert status != 0
    assert all(name in output for name in DESCRIBED)
    subprocess.run([sys.executable, "scripts/generate"], cwd=checkout, check=True, capture_output=True)
    assert check(checkout) == (0, "")


# ---- mypy, as it runs where the package is installed: no configuration, `--strict`

RIGHT = """
import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.first(x), inplace=True).flatten(1)


def shapes(x: torch.Tensor) -> tuple[int, ...]:
    rows, columns = x.shape
    one: int = x.size(0) + x.stride(1) + rows + columns
    x = x.view(-1, one).reshape((2, 3)).permute(1, 0).transpose(0, 1).unsqueeze(0).expand(2, -1, -1).contiguous()
    first, second = x.chunk(2, dim=0)
    return tuple(torch.cat([first, second], dim=1).size())


def arithmetic(x: torch.Tensor) -> float:
    x = 2 * x + x / 3 - x**2 @ x.T + (-x).abs().clamp(min=0.0, max=1)
    x = torch.div(x, 2, rounding_mode="floor").masked_fill(x > 0, 0.0).quantile(torch.tensor([0.1]), dim=0)
    x = torch.normal(x, 1.0) + torch.clamp(x, min=x, max=x) + torch.randint(10, (2, 3)) + torch.stack([x, x])[0]
    x += torch.add(x, 1.0, alpha=2) + torch.where(x > 0, x, 0.0) + torch.rand(2, 3, dtype=torch.float64)
    x.add_(1).mul_(2.0)
    x[0, ..., None] = x[1:2].softmax(dim=-1)
    total: float = x.sum(dim=(0, 1), keepdim=True).mean(axis=0).item()
    return total


def results(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    found = torch.max(x, 1)
    values, indices = x.sort(descending=True)
    torch.mul(x, 2, out=out)
    decomposed = torch.linalg.svd(x, full_matrices=False)
    same: bool = torch.allclose(x, x) and x.requires_grad
    return found.values + values + indices + decomposed.S + torch.fft.rfft(x).real + torch.special.erf(x) + int(same)


def training(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor | None:
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = F.cross_entropy(net(x), target, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    with torch.no_grad():
        torch.manual_seed(0)
        device: torch.device = x.to("cpu", torch.float32).device
        torch.zeros(2, 3, device=device).copy_(x)
    return net.first.weight.grad
"""
WRONG_HEAD = "import rushlight as torch\n\nx = torch.ones(2, 2)"
WRONG = {
    "torch.sume(x)": "attr-defined",
    "x.sume()": "attr-defined",
    'torch.add(x, "one")': "arg-type",
    "torch.sum(x, dmi=1)": "call-arg",
    "torch.sum()": "call-arg",
    "x.softmax(dim=1, dtype=3)": "arg-type",
    'torch.linalg.cross(x, x, dim="rows")': "arg-type",
    "torch.topk(x, 2).vectors": "attr-defined",
    "torch.special.erf(x, x)": "call-arg",
    "torch.nn.functional.relu(3)": "arg-type",
    "number: str = x.dim()": "assignment",
    "torch.zeros(2, dtype=2)": "arg-type",
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """What mypy says of the right program and of the wrong lines: the code of the error, by file and line."""
    pytest.importorskip("mypy", reason="mypy comes with the extra `check`")
    folder = tmp_path_factory.mktemp("programs")
    (folder / "right.py").write_text(RIGHT, "utf-8")
    (folder / "wrong.py").write_text("\n".join([WRONG_HEAD, *WRONG]), "utf-8")
    _, output = run("mypy", "--strict", "--config-file=", "right.py", "wrong.py", source=ROOT / "src", cwd=folder)
    assert re.search(r"^Found \d+ errors in 1 file \(checked 2 source files\)$", output, re.MULTILINE), output
    return {
        (file, int(line)): code for file, line, code in re.findall(r"(\w+\.py):(\d+): error: .*\[([a-z-]+)\]", output)
    }


def test_a_right_program_passes(complaints):
    assert [place for place in complaints if place[0] != "wrong.py"] == []


@pytest.mark.parametrize(("number", "code"), list(enumerate(WRONG.values())), ids=list(WRONG))
def test_a_wrong_line_is_refused(complaints, number, code):
    assert complaints.get(("wrong.py", number + 4)) == code


# Where the stubs say something else than the functions' signatures, on purpose.
ALLOWED = (
    r"runtime does not have parameter \"(axis|keepdims)\"",  # which the signatures of methods do not show
    r"has a default value but stub parameter does not",  # `dim`, which may be missing where `axis` is given
    r"does not have \*args parameter \"(between|old)\"",  # the forms of long ago, of which PyTorch warns
    # Several forms, which are spelled out
    r"\.(max|min|median|nanmedian|size|stride|to|nonzero|new_(empty|ones|zeros)) is inconsistent",
    r"__(dir|all|torch_function)__ is not present in stub",  # for those who look, not for those who call
)
SPELLED_OUT = r"rushlight\.(linalg\.|fft\.|special\.|nn\.functional\.\w+ |core\.tensor\.Tensor\.|\w+ )"


def test_the_stubs_agree_with_what_runs(tmp_path):
    pytest.importorskip("mypy", reason="mypy comes with the extra `check`")
    # The package's own modules are checked by our own run of mypy
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_errors = True\n", "utf-8")
    command = ("mypy.stubtest", "--concise", "--mypy-config-file", "mypy.ini", "rushlight")
    _, output = run(*command, source=ROOT / "src", cwd=tmp_path)
    lines = [line for line in output.splitlines() if re.match(SPELLED_OUT, line)]
    assert any(re.search(ALLOWED[0], line) for line in lines), output
    differing = [line for line in lines if not any(re.search(each, line) for each in ALLOWED)]
    assert not differing, "\n".join(differing)

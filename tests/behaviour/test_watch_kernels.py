"""NaN and infinity that are born in machine code, which large arrays get: the watch names the line and the numbers."""

import json
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("llvmlite", reason="without the extra `jit` there is no machine code")

AROUND = """
import json, warnings
import rushlight as torch
from rushlight.core.policy import notice
warnings.simplefilter("ignore")

def run():
    torch.manual_seed(0)
    w = torch.rand(200, 200).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    x = w * 1.0
    zero = x - x.detach()
    loss = ({loss}).mean()  # born
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

{before}
with torch.watch() as watch:
    for _ in range(2):  # the first large array brings the machine code in
        run()
print(json.dumps([[each.line, each.text] for each in watch.findings]))
"""
LINE = 13  # of the program, where it is born
BORN = {
    "torch.log(zero)": "The loss is -inf. It began here: log(0) is -inf.",
    "(x * 3e38 * 10)": "The loss is inf. It began here: mul(",
    "torch.sigmoid(zero.log())": "It began here: the gradient of log() is nan where `input` is 0.",
    "(torch.nn.functional.softplus(x) / zero)": "It began here: true_divide(",
    "torch.softmax(x.masked_fill(x > -1, -float('inf')), 1)": "It began here: softmax(numbers of shape (200, 200)) is",
    "torch.sqrt(zero)": "It began here: the gradient of sqrt() is inf where its result is 0.",
    "zero ** 0.5": "It began here: the gradient of pow() is inf where `input` is 0.",
}


def findings(program):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("before", ["", "notice()"], ids=["engaged while it watches", "engaged before"])
@pytest.mark.parametrize("loss", BORN)
def test_the_line_and_the_numbers_are_told(loss, before):
    ((line, text),) = findings(AROUND.format(loss=loss, before=before))
    assert BORN[loss] in text
    assert line == LINE


def test_a_mask_that_leaves_something_is_silent():
    loss = "torch.softmax(x.masked_fill(x > 0.9, -float('inf')), 1)"
    assert findings(AROUND.format(loss=loss, before="notice()")) == []

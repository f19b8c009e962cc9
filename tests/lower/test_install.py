"""When machine code is used: at the first large array or after many medium ones, never if it is switched off."""

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")


from rushlight.core import policy
from rushlight.lower import install
from rushlight.lower.install import until_large


def run(program, **environment):
    """Returns what a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


SMALL = """
import sys, rushlight as torch
x = torch.randn(100, 100, requires_grad=True)
torch.nn.functional.gelu(x).softmax(-1).sum().backward()
print("llvmlite" in sys.modules, "rushlight.lower.install" in sys.modules)
"""

LARGE = """
import sys, rushlight as torch
torch.manual_seed(0)
x = torch.randn(300, 200, requires_grad=True)
y = torch.nn.functional.gelu(x * 2).softmax(-1)
(y * y).sum().backward()
print("llvmlite" in sys.modules, y.sum().item(), x.grad.abs().sum().item())
"""


def test_small_arrays_use_no_machine_code():
    assert run(SMALL) == ["False", "False"]


MEDIUM = """
import sys, rushlight as torch
from rushlight.core.policy import COMPILER_WORK
x, w, engaged = torch.ones(100, 100), torch.ones(100, 100, requires_grad=True), []
h = torch.ones(100, 100, dtype=torch.float16)
for share in (0.5, 0.7):
    for _ in range(int(share * COMPILER_WORK) // x.numel()):
        {step}
    engaged.append("llvmlite" in sys.modules)
print(*engaged)
"""
STEPS = {
    "arrays are made": "torch.ones(100, 100)",
    "gradients arrive": "w.grad = None; (w * 2.0).backward(x)",
    "sums": "x.sum()",
    "losses": "torch.nn.functional.mse_loss(x, x)",
    "functions of SciPy's": "x.erf()",
    "functions of NumPy's": "x.sin()",
    "formulas of several steps": "torch.nn.functional.gelu(x)",
    "functions of a lazy module": "torch.special.entr(x)",
    "several results": "x.sort()",
    "sums of halves": "h + h",
    "halves that are written to": "h.copy_(x)",
    "gradients of samples": "torch.vmap(torch.func.grad(lambda w, x: (w @ x).sum()), (None, 0))(x[:10], x[:10])",
    "results in another shape": "torch.nn.functional.layer_norm(x, (100,))",
}


@pytest.mark.parametrize("step", STEPS)
def test_many_arrays_of_medium_size_load_machine_code(step):
    assert run(MEDIUM.format(step=STEPS[step])) == ["False", "True"]


@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_windows_of_a_convolution_load_machine_code(name):
    """For 10,000 elements NumPy would copy or add 250,000."""
    program = f"""
import sys, rushlight as torch
x, w = torch.ones(1, 1, 100, 100), torch.ones(1, 1, 5, 5)
print("llvmlite" in sys.modules)
torch.nn.functional.{name}(x, w, stride=2)
print("llvmlite" in sys.modules)
"""
    assert run(program) == ["False", "True"]


def test_many_small_arrays_load_no_machine_code():
    program = """
import sys, rushlight as torch
from rushlight.core.policy import MEDIUM, SEEN
for _ in range(10_000):
    x = torch.ones(MEDIUM - 1, requires_grad=True)
    x.sum().backward()
print("llvmlite" in sys.modules, SEEN.elements)
"""
    assert run(program) == ["False", "0"]


def test_functions_with_small_results_are_not_counted():
    """Counting their work would slow down all calls of a small program."""
    program = """
import rushlight as torch
import numpy as np
from rushlight.core.policy import PROBED_CALLS
from rushlight.core.tables import fast, forward
from rushlight.lower.probe import Probe
x = torch.ones(4)
print(fast.exp is np.exp, fast.add is np.add)
for _ in range(PROBED_CALLS):
    x.exp()
print(fast.exp is np.exp, fast.sin is np.sin)
torch.ones(1 << 15)
print(any(type(each) is Probe for table in (fast, forward) for each in vars(table).values()))
"""
    assert run(program) == ["False", "True", "True", "False", "False"]


def test_arithmetic_is_not_counted_since_kernels_gain_nothing():
    assert run(MEDIUM.format(step="x + x; x * 2.0; x > x; x.view(-1)")) == ["False", "False"]


def test_medium_arrays_are_not_counted_without_the_compiler():
    program = MEDIUM.format(step="x.sum()") + "from rushlight.core.policy import SEEN; print(SEEN.elements)"
    assert run(program, RUSHLIGHT_JIT="0") == ["False", "False", "0"]


def test_normal_random_numbers_count_three_times():
    """NumPy takes three times as long for them as for other arrays, so kernels are loaded earlier."""
    program = """
import rushlight as torch
from rushlight.core.policy import SEEN
torch.randn(100), torch.rand(2048)
uniform = SEEN.elements
torch.randn(2048)
print(uniform, SEEN.elements - uniform)
"""
    assert run(program) == ["2048", "8192"]


def test_kernels_of_medium_arrays_are_loaded_when_they_pay_off():
    program = """
import rushlight as torch
from rushlight.core.policy import notice
notice()
from rushlight.core import policy
from rushlight.lower import llvm
x = torch.linspace(-3, 3, 4096)
calls = {"gelu": torch.nn.functional.gelu, "exp": torch.exp, "sum": lambda x: x.sum(1), "cumsum": lambda x: x.cumsum(0)}
x = x.view(64, 64)
for call in calls.values():
    before, after = len(llvm.host().loaded), []
    passes = 1 if call is torch.exp else 4
    for times in (policy.WARMUP // passes // 4096 - 1, 2):
        for _ in range(times):
            call(x)
        after.append(len(llvm.host().loaded) - before)
    print(after[0] == 0, after[1] > 0)
"""
    assert run(program) == ["True", "True"] * 4


def test_large_arrays_load_machine_code_and_results_are_the_same():
    engaged, *with_it = run(LARGE)
    off, *without = run(LARGE, RUSHLIGHT_JIT="0")
    assert (engaged, off) == ("True", "False")
    assert list(map(float, with_it)) == pytest.approx(list(map(float, without)), rel=1e-5)


def test_without_llvmlite_numpy_computes_everything():
    hide = "import sys; sys.modules['llvmlite'] = None\n"
    assert (
        run(hide + LARGE.replace('"llvmlite" in sys.modules', '"rushlight.lower.install" in sys.modules'))[0] == "False"
    )


def test_a_cache_that_cannot_be_written_to_changes_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    assert run(LARGE, RUSHLIGHT_CACHE=str(tmp_path / "file" / "cache")) == run(LARGE, RUSHLIGHT_CACHE=str(tmp_path))


def test_results_do_not_depend_on_the_number_of_threads():
    """Elements and rows are computed alike by any thread."""
    assert run(LARGE, OMP_NUM_THREADS="1") == run(LARGE, OMP_NUM_THREADS="3")


def test_concurrent_threads_get_correct_results():
    program = """
import threading, rushlight as torch
found = []
def work(seed):
    x = torch.linspace(-3 + seed, 3, 40_000)
    for _ in range(20):
        good = (torch.sigmoid(x) - 1 / (1 + torch.exp(-x))).abs().max().item() < 1e-6
        found.append(good)
threads = [threading.Thread(target=work, args=(each,)) for each in range(4)]
[each.start() for each in threads]
[each.join() for each in threads]
print(len(found), all(found))
"""
    assert run(program, OMP_NUM_THREADS="3") == ["80", "True"]


LATE = """
import sys, rushlight as torch
x = torch.randn(300, 200)
y = x + x
before = "rushlight._generated.functions_of_special" in sys.modules
z = torch.erf(x)
from rushlight.core.tables import fast
print(before, fast.erf.__module__, (z - torch.erf(x.double()).float()).abs().max().item() < 1e-6)
"""


def test_lazy_modules_have_kernels_too():
    assert run(LATE) == ["False", "rushlight.lower.install", "True"]


TANGENTS = """
import sys, rushlight as torch
from rushlight.core import policy
from rushlight.lower import is_ready
from rushlight.transforms import forward

def f(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]).sinh() ** 2).sum()

def calls_of_the_long_path():
    counted = []
    sys.setprofile(lambda frame, event, _: event == "call" and frame.f_code is long and counted.append(frame))
    hessian(x)
    sys.setprofile(None)
    return len(counted)

long, x, hessian = forward.interpret.__code__, torch.linspace(-1, 1, 50), torch.func.jacfwd(torch.func.jacrev(f))
before = hessian(x)
assert calls_of_the_long_path() == 0
policy.WARMUP = 0
assert is_ready()
torch.testing.assert_close(hessian(x), before)
print(calls_of_the_long_path())
"""


def test_tangents_of_elements_keep_the_short_path_beside_kernels():
    assert run(TANGENTS) == ["0"]


def test_small_arrays_leave_products_to_the_blas():
    """A product is compiled when it pays off, whatever else is large."""
    program = """
import sys, rushlight as torch
torch.ones(40_000) + 1
small = torch.ones(8, 8) @ torch.ones(8, 8)
before = "rushlight.lower.install" in sys.modules, "rushlight.kernels.matmul" not in sys.modules
large = torch.ones(100, 100) @ torch.ones(100, 100)
print(*before, len(sys.modules["rushlight.kernels.matmul"].multiply.kernels), large.sum().item())
"""
    assert run(program) == ["True", "True", "1", "1000000.0"]


def test_unsupported_products_do_not_compile_the_kernel():
    program = """
import sys, rushlight as torch
one = torch.ones(200, 200, dtype=torch.float64)
found = one @ one
print("rushlight.lower.install" in sys.modules, "rushlight.kernels.matmul" in sys.modules)
"""
    assert run(program) == ["True", "False"]


def test_layer_kernels_are_imported_on_first_use():
    program = """
import sys, rushlight as torch
torch.ones(40_000) + 1
names = ["rushlight.lower." + each for each in ("convolution", "recurrent")]
before = [each in sys.modules for each in names]
found = torch.nn.functional.conv2d(torch.ones(2, 4, 16, 16), torch.ones(4, 4, 3, 3))
print(*before, *[each in sys.modules for each in names], found.unique().item())
"""
    assert run(program) == ["False", "False", "True", "False", "36.0"]


def test_contiguous_arrays_need_no_code_for_strided_ones():
    program = """
import sys, rushlight as torch
x = torch.ones(200, 200)
x = (x + 1).relu().mul_(3).clamp(max=5) > 0.5
blocks = sys.modules["rushlight.kernels.loops"].in_blocks
before = len(blocks.plain.addresses)
print(before, torch.sin(torch.ones(200, 400)[:, ::2]).shape[1], len(blocks.plain.addresses))
"""
    assert run(program) == ["0", "200", "1"]


WITH_KEYWORD = """
import sys, rushlight as torch
torch.exp(torch.ones(1 << 16))
general = []
sys.modules["rushlight._generated.functions"].general = lambda *call: general.append(call)
for size in (4, 1 << 16):
    ones = torch.ones(size)
    print(torch.addcmul(ones, ones, ones, value=0.5)[0].item(), torch.addcdiv(ones, ones, ones, value=2)[0].item())
print("rushlight.lower.install" in sys.modules, len(general))
"""


def test_kernels_take_keywords():
    assert run(WITH_KEYWORD) == [*("1.5", "3.0") * 2, "True", "0"]


@pytest.mark.parametrize(("name", "count"), [("exp", 1), ("subtract", 2)])
def test_waiting_for_a_large_array_costs_small_ones_one_function_call(name, count, monkeypatch):
    """It is removed afterwards; from the next call on the kernel writes the output array."""
    original, called, assigned = getattr(np, name), [], []
    waiting = until_large(name, original)
    monkeypatch.setattr(install, "assign", lambda table, name, function: assigned.append(function))
    few, many = ([np.linspace(0, 2, size, dtype=np.float32)] * count for size in (4, policy.LARGE))

    def seen(frame, event, argument):
        called.append(event)

    sys.setprofile(seen)
    try:
        result = waiting(*few, out=...)
    finally:
        sys.setprofile(None)
    assert called.count("call") == 1 and (result == original(*few)).all() and not assigned
    first = waiting(*many, out=...)
    (kernel,) = assigned
    np.testing.assert_array_equal(first, kernel(*many), strict=True)
    np.testing.assert_allclose(first, original(*many), rtol=3e-7)
    place = np.empty(policy.LARGE, np.float32)
    assert until_large(name, original)(*many, out=place) is place
    np.testing.assert_allclose(place, first, rtol=3e-7)


def test_a_large_transposed_array_loads_the_kernel_too(monkeypatch):
    assigned = []
    monkeypatch.setattr(install, "assign", lambda table, name, function: assigned.append(function))
    turned = np.ones((16, policy.LARGE // 16), np.float32).T
    result = until_large("add", np.add)(turned, turned[0], out=...)
    assert not result.flags.c_contiguous and (result == 2).all()
    assert assigned[0] is not np.add and (assigned[0](turned, turned) == 2).all()

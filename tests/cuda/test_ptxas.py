"""Every kernel of GPUs as PTX: nothing approximate in it, and NVIDIA's assembler takes it, for several GPUs.

A part of them here, all of them in `scripts/nightly`. The assembler needs no GPU; the extra `test-cuda` has it.
"""

import itertools
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower.elementwise import Argument
from rushlight.lower.nvptx import target
from rushlight.lower.nvptx.calls import GpuKernels
from rushlight.lower.nvptx.draws import DISTRIBUTIONS, Draws
from rushlight.lower.nvptx.elementwise import MOST_DIMS, Elementwise
from rushlight.lower.nvptx.many import GpuUpdates
from rushlight.lower.nvptx.row_calls import FORMULAS, rows_of
from rushlight.lower.nvptx.rows import COLUMN, Rows
from rushlight.lower.row_nest_loop import NUMBER
from rushlight.testing.kernel_samples import DTYPES, ELEMENTWISE, FLOAT32, FLOAT64, samples

WHEEL = Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "bin", "ptxas")
PTXAS = shutil.which("ptxas") or (str(WHEEL) if WHEEL.exists() else None)
ALL = ((8, 0), (9, 0), (10, 0))
OFTEN = ("add", "sub", "gelu", "sin", "fmod", "lgamma", "where", "pow", "special_log_ndtr", "nextafter", "isfinite")
MOST_REGISTERS = 128  # of a thread, so that a block of 512 fits a multiprocessor
# Bytes that the assembler keeps on the stack, though it has registers left: across its own call of a division.
SPILLED = {("layer_normalized float64 by block", "sm_100"): 8}
# Instructions that round otherwise than the CPU's, or flush denormals.
INEXACT = re.compile(r"\.approx|\.ftz|\bdiv\.full|\b(?:mul|add|sub|fma|div|sqrt)\.f(?:32|64)\b|\b(?:mul|add)\.r[zmp]\.")


class Assembled(NamedTuple):
    """What the assembler reports of a kernel."""

    registers: int
    spilled: int  # bytes


def assembled(parts: list[str], capability: tuple[int, int], folder: Path) -> list[Assembled]:
    """Assembles PTX as one file, which saves time. Raises AssertionError with the assembler's message."""
    name = target.target_of(capability)
    (folder / "kernels.ptx").write_text("".join([parts[0], *[HEADER.sub("", part) for part in parts[1:]]]))
    command = [PTXAS, "-v", f"-arch={name}", str(folder / "kernels.ptx"), "-o", str(folder / "kernels.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reports = re.split(r"Compiling entry function 'kernel(\d+)'", done.stderr)
    by_number = {int(number): report for number, report in zip(reports[1::2], reports[2::2], strict=True)}
    assert sorted(by_number) == list(range(len(parts))), done.stderr
    return [numbers_of(by_number[number]) for number in range(len(parts))]


def ptx_of(text: str, number: int, capability: tuple[int, int]) -> str:
    """Returns the PTX of a module, whose symbols end in a number."""
    return target.compiled(re.sub(r"@(kernel|element|shared|own)\b", rf"@\g<1>{number}", text), capability)


def numbers_of(report: str) -> Assembled:
    registers = max(map(int, re.findall(r"Used (\d+) registers", report)))
    return Assembled(registers, sum(map(int, re.findall(r"(\d+) bytes spill stores", report))))


# What a file of PTX has once.
HEADER = re.compile(r"^\.(?:version|target|address_size) .*\n", re.M)


class NoGpu:
    """What traces kernels and runs none."""


def written(op, dtypes=tuple(DTYPES), layouts=(0, MOST_DIMS)):
    """Yields the kernels of a declaration, each once, with a name."""
    seen = set()
    for dtype in dtypes:
        for sample in samples(op, dtype):
            values = {name: x.item() if sample.built_in and isinstance(x, np.ndarray) and not x.ndim else x
                      for name, x in sample.values.items()}  # fmt: skip
            try:
                kernel = GpuKernels(NoGpu(), sample.formula, sample.built_in).find(values, sample.dtype, sample.rounded)
            except NotImplementedError:  # a derivative that PyTorch refuses
                continue
            if kernel is None or kernel.call is None:
                continue
            for layout in layouts:
                call = kernel.call
                text = target.PTX.module(Elementwise(call.operands, call.kinds, call.results, layout)(target.PTX))
                if text not in seen:
                    seen.add(text)
                    yield f"{sample.name} {dtype} {layout or 'contiguous'}", text


def others():
    """Yields the kernels that are not elementwise: of rows, of random numbers, of many tensors."""
    for name, (dtype, work) in itertools.product(
        (*FORMULAS, "softmax_backward", "log_softmax_backward"), DTYPES.items()
    ):
        rows = rows_of(NoGpu(), name)
        kinds = {"target": np.dtype(np.int64), **{x: None for x, kind in rows.kinds.items() if kind == NUMBER}}
        dtypes = {x: kinds.get(x, dtype) for x, kind in rows.kinds.items() if kind != COLUMN and x in ASKED[name]}
        rounded = None if work == dtype else [dtype] * len(rows.nest(dtypes, work, None)[0].results)
        nest, _ = rows.nest(dtypes, work, rounded)
        for whole in (False, True):
            yield f"{name} {dtype} by {'block' if whole else 'warp'}", target.PTX.module(Rows(nest, whole)(target.PTX))
    for distribution, dtype in itertools.product(DISTRIBUTIONS, DTYPES):
        for width in (1, 2, 4, 8) if distribution == "dropout" else (1,):
            kernel = Draws(distribution, dtype.name, width)(target.PTX)
            yield f"{distribution} {dtype}, {width} at once", target.PTX.module(kernel)
    for dtype in (FLOAT32, FLOAT64):
        update = GpuUpdates(NoGpu(), momentum, ("p", "g", "v"), [Argument("lr", "number")], ("p", "v"), dtype)
        yield f"momentum {dtype}", target.PTX.module(update.kernel(target.PTX))


def momentum(x):
    v = x["v"] * 0.9 + x["g"]
    return [x["p"] - v * x["lr"], v]


# The operands of each formula; the bias has no part in a gradient of layer norm.
ASKED = {name: set(kinds) - ({"bias"} if "gradient" in name else set()) for name, (_, kinds) in FORMULAS.items()}
ASKED |= dict.fromkeys(("softmax_backward", "log_softmax_backward"), {"g", "out"})


def check(kernels, capabilities, folder):
    """Assembles kernels, (name, text), and prints their registers, for `pytest -rP`."""
    names, texts = zip(*kernels, strict=True) if (kernels := list(kernels)) else ((), ())
    for capability in capabilities:
        parts = [ptx_of(text, number, capability) for number, text in enumerate(texts)]
        for name, part in zip(names, parts, strict=True):
            assert not INEXACT.findall(part), name
        reports = assembled(parts, capability, folder) if parts else []
        for name, report in zip(names, reports, strict=True):
            print(f"{name} {target.target_of(capability)}: {report.registers} registers, {report.spilled} spilled")
            spilled = SPILLED.get((name, target.target_of(capability)), 0)
            assert report.registers <= MOST_REGISTERS and report.spilled <= spilled, (name, report)


needs_ptxas = pytest.mark.skipif(PTXAS is None, reason="no ptxas: the extra test-cuda is not installed")


@needs_ptxas
@pytest.mark.parametrize("op", [x for x in ELEMENTWISE if x.name in OFTEN], ids=lambda op: op.name)
def test_a_part_of_the_kernels_is_assembled(op, tmp_path):
    check(written(op, dtypes=(FLOAT32,)), [(9, 0)], tmp_path)


@needs_ptxas
def test_kernels_of_rows_random_numbers_and_many_tensors_are_assembled(tmp_path):
    check(others(), [(9, 0)], tmp_path)


@pytest.mark.nightly
@needs_ptxas
@pytest.mark.timeout(600)
@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_every_kernel_is_assembled_for_several_gpus(op, tmp_path):
    check(written(op), ALL, tmp_path)


@pytest.mark.nightly
@needs_ptxas
def test_the_other_kernels_are_assembled_for_several_gpus(tmp_path):
    check(others(), ALL, tmp_path)


@pytest.mark.parametrize("op", [x for x in ELEMENTWISE if x.name in ("gelu", "tan")], ids=lambda op: op.name)
def test_instructions_round_as_the_ones_of_the_cpu(op):
    """Also without the assembler."""
    for name, text in written(op):
        assert not INEXACT.findall(target.compiled(text, (9, 0))), name


def test_an_approximate_instruction_would_be_noticed():
    for text in ("mul.f32 %r1, %r2", "div.full.f32 %r1", "sqrt.approx.ftz.f32", "add.ftz.f32"):
        assert INEXACT.search(text)
    for text in ("mul.rn.f32 %r1, %r2", "div.rn.f64", "mul.wide.u32", "add.s64", "fma.rn.f64"):
        assert not INEXACT.search(text)


def test_a_kernel_reads_sixteen_bytes_at_once():
    (op,) = [x for x in ELEMENTWISE if x.name == "sub"]
    text = next(text for name, text in written(op, dtypes=(FLOAT32,)) if name.startswith("sub float32 contiguous"))
    ptx = target.compiled(text, (9, 0))
    assert "ld.global.v4.b32" in ptx and "st.global.v4.b32" in ptx


def test_a_gpu_before_the_ones_that_are_known_is_refused():
    assert target.target_of((8, 7)) == "sm_86"
    assert target.target_of((13, 0)) == "sm_120"
    with pytest.raises(RuntimeError, match="7.5 or newer"):
        target.target_of((6, 1))


def test_ptx_is_cached_by_the_generation_of_gpus(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    (op,) = [x for x in ELEMENTWISE if x.name == "sub"]
    _, text = next(written(op, dtypes=(FLOAT32,)))
    first = target.compiled(text, (9, 0))
    emitted = []
    monkeypatch.setattr(target, "emitted", lambda text, name: emitted.append(name) or "")
    assert target.compiled(text, (9, 0)) == first and not emitted
    target.compiled(text, (8, 0))
    assert emitted == ["sm_80"]

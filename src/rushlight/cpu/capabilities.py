"""What the processor can do, as Linux reports it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

# Instruction sets by PyTorch's names; the second word is Linux's name, where it has another one.
X86 = tuple(
    (words[0], words[-1])
    for words in map(
        str.split,
        """
        sse, sse2, sse3 pni, ssse3, sse4_1, sse4_2, sse4a, avx, avx2, avx_vnni, avx_vnni_int8, avx_vnni_int16,
        avx_ne_convert, avx10_1, avx10_2, avx512_f avx512f, avx512_cd avx512cd, avx512_bw avx512bw,
        avx512_dq avx512dq, avx512_vl avx512vl, avx512_ifma avx512ifma, avx512_vbmi avx512vbmi, avx512_vbmi2,
        avx512_bitalg, avx512_vpopcntdq, avx512_vnni, avx512_bf16, avx512_fp16, avx512_vp2intersect,
        avx512_4vnniw, avx512_4fmaps, amx_bf16, amx_tile, amx_int8, amx_fp16, fma3 fma, fma4, f16c, bmi bmi1, bmi2,
        popcnt, lzcnt abm, aes, sha sha_ni, clflush, clflushopt, clwb
        """.split(","),
    )
)
ARM = tuple(
    (words[0], words[-1])
    for words in map(
        str.split,
        """
        neon asimd, fp16_arith asimdhp, bf16, i8mm, dot asimddp, sve, sve2, sve_bf16 svebf16, sme, sme2, atomics,
        fhm asimdfhm, rdm asimdrdm, crc32, aes, sha1, sha2, pmull
        """.split(","),
    )
)
SETS = {"x86_64": X86, "aarch64": ARM}
CPUINFO = Path("/proc/cpuinfo")


@cache
def get_capabilities() -> Mapping[str, bool | int | str]:
    """Returns the architecture, the number of logical cores and, on Linux, which instruction sets there are."""
    result: dict[str, bool | int | str] = {"architecture": architecture()}
    cores = os.cpu_count()
    if cores is not None:
        result["num_logical_cores"] = cores
    if CPUINFO.exists():
        flags = flags_in(CPUINFO.read_text())
        result |= {name: linux in flags for name, linux in SETS.get(architecture(), ())}
    return MappingProxyType(result)


def architecture() -> str:
    """Returns PyTorch's name of the architecture."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def flags_in(text: str) -> frozenset[str]:
    """Returns the flags of the first processor in the text of `/proc/cpuinfo`."""
    for line in text.splitlines():
        name, _, words = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return frozenset(words.split())
    return frozenset()

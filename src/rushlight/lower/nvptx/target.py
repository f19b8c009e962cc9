"""PTX, the assembly language of NVIDIA's GPUs, from LLVM text: what all kernels share, and the target.

A kernel is written once, in the primitives of a `Threads`: its place in the grid, a barrier, an exchange between the
lanes of a warp. `Ptx` makes them the GPU's instructions; `lockstep.py` makes them the host's, where the same text
runs without a GPU. No instruction is approximate, contracted or flushes denormals, so that a kernel without reductions
gives the bits of the CPU's. The PTX is cached on disk (`cache.py`) by compute capability; the driver compiles it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from rushlight.lower import cache
from rushlight.lower.llvm import COMPILING, binding

TRIPLE = "nvptx64-nvidia-cuda"
SYMBOL = "kernel"
WARP = 32  # lanes
BLOCK = 256  # threads of a block, unless a kernel needs more
# Compute capabilities with a name in LLVM; PTX for one runs on all later ones.
CAPABILITIES = ((7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0))
PASSES = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "new_gvn", "simplify_cfg")
REGISTERS = {"tid": "tid.x", "block": "ctaid.x", "threads": "ntid.x", "blocks": "nctaid.x"}
READ = "llvm.nvvm.read.ptx.sreg"
SHUFFLE = "llvm.nvvm.shfl.sync.bfly.i32"
BARRIER = "llvm.nvvm.barrier.cta.sync.aligned.all"


class KernelText(NamedTuple):
    """A kernel in LLVM text: parameters as (type, name), and the lines of its body, which end in the block `done`.

    The lines may use `%tid`, `%block`, `%threads`, `%blocks`, all i32, and `%shared`, memory of the block in bytes.
    `waits` says whether the threads of a block wait for each other.
    """

    parameters: Sequence[tuple[str, str]]
    lines: Sequence[str]
    functions: str = ""
    declared: Sequence[str] = ()
    shared: int = 0
    most: int = BLOCK  # threads per block
    waits: bool = False

    @property
    def heading(self) -> str:
        return ", ".join(f"{type} {name}" for type, name in self.parameters)


class Threads(Protocol):
    """How the threads of a kernel wait for each other and exchange values; names end in `at`, unique in the kernel."""

    def barrier(self, at: str) -> list[str]:
        """Returns the lines of a barrier for all threads of the block."""

    def exchange(self, name: str, value: str, type: str, distance: str, at: str) -> list[str]:
        """Returns the lines that define `name`: the value of the lane whose number differs in the bits `distance`."""

    def module(self, kernel: KernelText) -> str:
        """Returns the module of a kernel."""


class Ptx:
    """The primitives as PTX has them."""

    def barrier(self, at: str) -> list[str]:
        return [f"call void @{BARRIER}(i32 0)"]

    def exchange(self, name: str, value: str, type: str, distance: str, at: str) -> list[str]:
        words, width = {"float": (1, 32), "double": (2, 64), "i32": (1, 32)}[type]
        lines = [f"%bits{at} = bitcast {type} {value} to <{words} x i32>"]
        moved = "poison"
        for word in range(words):
            part = f"%word{at}.{word}"
            lines += [
                f"{part} = extractelement <{words} x i32> %bits{at}, i32 {word}",
                f"{part}.other = call i32 @{SHUFFLE}(i32 -1, i32 {part}, i32 {distance}, i32 {WARP - 1})",
                f"{part}.all = insertelement <{words} x i32> {moved}, i32 {part}.other, i32 {word}",
            ]
            moved = f"{part}.all"
        return [*lines, f"{name} = bitcast <{words} x i32> {moved} to {type}"]

    def module(self, kernel: KernelText) -> str:
        shared = f"@shared = internal addrspace(3) global [{kernel.shared} x i8] undef, align 16"
        special = [f"%{name} = call i32 @{READ}.{register}()" for name, register in REGISTERS.items()]
        if kernel.shared:
            special.append("%shared = addrspacecast ptr addrspace(3) @shared to ptr")
        return "\n".join(
            [
                *[f"declare i32 @{READ}.{register}()" for register in REGISTERS.values()],
                f"declare i32 @{SHUFFLE}(i32, i32, i32, i32) convergent nounwind",
                f"declare void @{BARRIER}(i32) convergent nounwind",
                *kernel.declared,
                *([shared] if kernel.shared else []),
                kernel.functions,
                f'define ptx_kernel void @{SYMBOL}({kernel.heading}) nounwind "nvvm.maxntid"="{kernel.most}" {{',
                "entry:",
                *special,
                *kernel.lines,
                "done:",
                "ret void",
                "}",
            ]
        )


PTX = Ptx()


def target_of(capability: tuple[int, int]) -> str:
    """Returns the newest target that LLVM has and a GPU of this compute capability runs, such as "sm_90".

    >>> target_of((9, 0)), target_of((10, 3))
    ('sm_90', 'sm_100')
    """
    known = [each for each in CAPABILITIES if each <= tuple(capability)]
    if not known:
        raise RuntimeError(f"kernels need a GPU of compute capability 7.5 or newer, and this one has {capability}")
    return "sm_{}{}".format(*known[-1])


@functools.cache
def machine(target: str) -> Any:
    """Returns LLVM's code generator for a target."""
    llvm = binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=target, features="", opt=3)


def compiled(text: str, capability: tuple[int, int]) -> str:
    """Returns the PTX of a module, from the cache if possible."""
    target = target_of(capability)
    version = ".".join(map(str, binding().llvm_version_info))
    key = cache.key_of(f"PTX; LLVM {version}; {target}", text, *PASSES)
    known = cache.read(key)
    if known is None:
        with COMPILING:
            known = emitted(text, target).encode()
        cache.write(key, known)
    return known.decode()


def emitted(text: str, target: str) -> str:
    """Returns the PTX of a module."""
    llvm, generator = binding(), machine(target)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(generator.target_data)
    module.verify()
    builder = llvm.create_pass_builder(generator, llvm.create_pipeline_tuning_options(speed_level=2))
    passes = llvm.create_new_module_pass_manager()
    for name in PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
    return generator.emit_assembly(module)


def ptx_of(kernel: Callable[[Threads], KernelText], capability: tuple[int, int]) -> str:
    """Returns the PTX of a kernel, which is a function of the primitives."""
    return compiled(PTX.module(kernel(PTX)), capability)

"""Compiles LLVM text to functions of this process, for the host machine."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections.abc import Iterator
from typing import Any

from rushlight.core.fork_locks import LockAcrossForks
from rushlight.lower import cache

# Pass pipelines that replace O2 for text that is already vectorized: a twentieth of O2's time, or a third with inlining
# and unrolling. BARE suffices where the time is spent in called machine code.
BARE = ("sroa", "simplify_cfg")
FORMULA = ("simplify_cfg", "instruction_combine")
LIGHT = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "loop_rotate", "simplify_cfg")
INLINED = (*LIGHT[:5], "loop_unroll", "sroa", "instruction_combine", "new_gvn", "simplify_cfg")
# BARE with inlining and unrolling.
UNROLLED = (*BARE, "always_inliner", *BARE, "loop_rotate", "loop_unroll", *BARE)
# For loops of products only; all code generation passes run.
TILES = ("instruction_combine",)
# For code that waits more than it works: unoptimised, in a sixth of the time.
COLD = ("simplify_cfg", "sroa")
# Code generation passes to disable: they took half of the time, without a measurable effect on text with explicit
# vectors. Options are global to the process, where another library may compile.
#
# Moves between blocks; instruction scheduling, before and after register allocation, where formulas are shorter than
# the processor's window; and, without scalar loops, strength reduction of addresses.
SKIPPED_MOVES = (("-disable-cgp", "true", "false"),)
SKIPPED_SCHEDULING = (("-enable-misched", "false", "true"), ("-disable-post-ra", "true", "false"))
SKIPPED_ADDRESSING = (("-disable-lsr", "true", "false"),)
# Copies and spills, common subexpressions across blocks, sinking, and what such text does not contain.
OTHER_PASSES = "copyprop ssc machine-cse machine-sink constant-hoisting early-ifcvt mergeicmps partial-libcall-inlining"
SKIPPED_OTHERS = tuple((f"-disable-{name}", "true", "false") for name in OTHER_PASSES.split())
SKIPPED = {
    FORMULA: SKIPPED_OTHERS,
    TILES: SKIPPED_SCHEDULING + SKIPPED_ADDRESSING,
    LIGHT: SKIPPED_MOVES + SKIPPED_SCHEDULING + SKIPPED_OTHERS,
    BARE: SKIPPED_MOVES + SKIPPED_SCHEDULING + SKIPPED_ADDRESSING + SKIPPED_OTHERS,
    UNROLLED: SKIPPED_MOVES + SKIPPED_ADDRESSING + SKIPPED_OTHERS,
    INLINED: SKIPPED_MOVES + SKIPPED_OTHERS,
}
SUPPORTED_VERSIONS = range(15, 23)  # LLVM versions with these options: an unknown option ends the process
# Part of the cache key: whatever else changes the object code of unchanged text.
RECIPE = (
    "O2, loop and SLP vectoriser, 512 bits where there are; stores past the caches; tiles in the order of their text"
)

# Held while a kernel is compiled: LLVM has locks of its own, which a fork must not inherit locked.
COMPILING = LockAcrossForks()


@functools.cache
def binding() -> Any:
    """Returns llvmlite's binding, initialized for the host."""
    import llvmlite.binding

    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    return llvmlite.binding


def is_available() -> bool:
    """Whether machine code can be made: llvmlite is installed, and RUSHLIGHT_JIT is not 0."""
    if os.environ.get("RUSHLIGHT_JIT") == "0":
        return False
    try:
        binding()
    except ModuleNotFoundError:
        return False
    return True


class Host:
    """The host machine: optimises modules, emits object code and loads it."""

    def __init__(self):
        llvm = binding()
        self.cpu = llvm.get_host_cpu_name()
        features = llvm.get_host_cpu_features()
        # LLVM prefers half vectors on many AVX-512 machines; full ones are faster for whole arrays.
        self.features = features.flatten() + ",-prefer-256-bit" * bool(features.get("avx512f"))
        self.triple = llvm.get_process_triple()
        target = llvm.Target.from_triple(self.triple)
        make = functools.partial(target.create_target_machine, self.cpu, self.features, reloc="pic", jit=True)
        self.machine, self.quick = make(opt=3), make(opt=0)
        self.layout = str(self.machine.target_data)
        self.linker = llvm.create_lljit_compiler(self.machine)
        self.numbers = itertools.count()
        self.loaded: list = []  # code is never unloaded: NumPy's ufuncs hold its addresses

    @functools.cached_property
    def fit(self) -> bool:
        """Whether there is FMA, on which the formulas rely."""
        return not self.triple.startswith("x86_64") or "+fma" in self.features.split(",")

    @property
    def scales(self) -> bool:
        """Whether there are vector instructions that scale by powers of two."""
        return self.has("avx512f")

    @property
    def masks(self) -> bool:
        """Whether masked stores are as fast as full ones."""
        return self.has("avx512f")

    @property
    def reads_ahead(self) -> bool:
        """Whether hardware prefetching crosses pages: software prefetches then cost time."""
        return self.cpu == "znver4"

    @property
    def halves(self) -> bool:
        """Whether 512-bit registers are processed in halves: then loads of half vectors are faster."""
        return self.cpu == "znver4"

    @property
    def lanes(self) -> int:
        """float32 elements per register."""
        return 16 if self.has("avx512f") else 8 if self.has("avx2") else 4

    def has(self, feature: str) -> bool:
        """Returns whether the processor has an LLVM feature."""
        return f"+{feature}" in self.features.split(",")

    @property
    def name(self) -> str:
        """The parts of the cache key that describe the host."""
        version = ".".join(map(str, binding().llvm_version_info))
        return f"{RECIPE}; LLVM {version}; {self.triple} {self.cpu} {self.features}"

    def skipped_passes(self, passes: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
        """Returns the options that disable passes; with 16 vector registers, addresses of long loops are still
        optimised.
        """
        options = SKIPPED.get(passes, ())
        return options if self.scales or passes != UNROLLED else SKIPPED_MOVES + SKIPPED_OTHERS

    def optimised(self, text: str, passes: tuple[str, ...] = ()):
        """Returns the module after these passes, or O2's."""
        llvm = binding()
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = self.triple, self.layout
        module.verify()
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = True
        builder = llvm.create_pass_builder(self.machine, tuning)
        order = llvm.create_new_module_pass_manager() if passes else builder.getModulePassManager()
        for name in passes:
            getattr(order, f"add_{name}_pass")()
        order.run(module, builder)
        return module

    def key(self, text: str, passes: tuple[str, ...]) -> str:
        """Returns the name of a module's object code in the cache."""
        return cache.key_of(self.name, text, *passes)

    def is_known(self, text: str, passes: tuple[str, ...]) -> bool:
        """Whether the cache has the object code of a module."""
        return cache.read(self.key(text, passes)) is not None

    def compiled(self, text: str, passes: tuple[str, ...]) -> bytes:
        """Returns the object code of a module, from the cache if possible."""
        key = self.key(text, passes)
        code = cache.read(key)
        if code is None:
            machine = self.quick if passes == COLD else self.machine
            module = self.optimised(text, passes)
            with llvm_options(self.skipped_passes(passes)):
                code = machine.emit_object(module)
            cache.write(key, code)
        return code

    def load(self, code: bytes, symbols: tuple[str, ...]) -> dict[str, int]:
        """Links object code into this process and returns the functions' addresses."""
        library = binding().JITLibraryBuilder().add_object_img(code).add_current_process()
        for symbol in symbols:
            library.export_symbol(symbol)
        tracker = library.link(self.linker, f"rushlight-{next(self.numbers)}")
        self.loaded.append(tracker)
        return {symbol: tracker[symbol] for symbol in symbols}


@contextlib.contextmanager
def llvm_options(options: tuple[tuple[str, str, str], ...]) -> Iterator[None]:
    """Sets LLVM options while object code is emitted: (name, value during, value after)."""
    supported = options if binding().llvm_version_info[0] in SUPPORTED_VERSIONS else ()
    try:
        for name, value, _ in supported:
            binding().set_option("rushlight", f"{name}={value}")
        yield
    finally:
        for name, _, value in supported:
            binding().set_option("rushlight", f"{name}={value}")


@functools.cache
def host() -> Host:
    """Returns the host, which is detected once."""
    return Host()


def build(text: str, *symbols: str, passes: tuple[str, ...] = ()) -> dict[str, int]:
    """Returns the addresses of functions that LLVM text defines, after these passes or O2's.

    Target and data layout are the host's. Functions that the text declares, such as the C library's, are found in the
    process.

        >>> address = build("define i32 @answer() { ret i32 42 }", "answer")["answer"]
        >>> import ctypes
        >>> ctypes.CFUNCTYPE(ctypes.c_int32)(address)()
        42
    """
    return host().load(host().compiled(text, passes), symbols)


def assembly(text: str) -> str:
    """Returns a module's assembly text."""
    return host().machine.emit_assembly(host().optimised(text))

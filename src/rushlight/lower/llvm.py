"""From the text of an LLVM module to the addresses of its functions, for the machine that runs it."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterator
from typing import Any

from rushlight.core.fork_locks import LockAcrossForks
from rushlight.lower import cache

# Instead of those of O2, for what says by itself where there are vectors: a twentieth of their time, or a third where
# functions become parts of what calls them and loops of a known count are unrolled. BARE are enough where the time goes
# by in machine code that is called.
BARE = ("sroa", "simplify_cfg")
FORMULA = ("simplify_cfg", "instruction_combine")
LIGHT = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "loop_rotate", "simplify_cfg")
INLINED = (*LIGHT[:5], "loop_unroll", "sroa", "instruction_combine", "new_gvn", "simplify_cfg")
# The same of what is bare.
UNROLLED = (*BARE, "always_inliner", *BARE, "loop_rotate", "loop_unroll", *BARE)
# For a loop of nothing but products, after which no pass is spared either.
TILES = ("instruction_combine",)
# Instead of all: machine code follows the text, in a sixth of the time, where it waits more than it works.
COLD = ("simplify_cfg", "sroa")
# Of what turns modules into object code, the passes that took half of its time and whose work cannot be measured where
# the text names its vectors. Options are the process's own, in which another library may compile.
#
# What moves to another block; the order of instructions, before registers are chosen and after, where no formula is
# longer than what a processor looks ahead; and where there are no loops over single numbers, cheaper addresses.
MOVED = (("-disable-cgp", "true", "false"),)
ORDERED = (("-enable-misched", "false", "true"), ("-disable-post-ra", "true", "false"))
ADDRESSED = (("-disable-lsr", "true", "false"),)
# Copies between registers and places for those that are spilled, what is computed in two blocks, or before the block
# that needs it, and what such text has nothing of.
SPENT = "copyprop ssc machine-cse machine-sink constant-hoisting early-ifcvt mergeicmps partial-libcall-inlining"
SETTLED = tuple((f"-disable-{name}", "true", "false") for name in SPENT.split())
SPARED = {
    FORMULA: SETTLED,
    TILES: ORDERED + ADDRESSED,
    LIGHT: MOVED + ORDERED + SETTLED,
    BARE: MOVED + ORDERED + ADDRESSED + SETTLED,
    UNROLLED: MOVED + ADDRESSED + SETTLED,
    INLINED: MOVED + SETTLED,
}
KNOWING = range(15, 23)  # versions of LLVM that know these: an option that one does not know ends the process
# Whatever changes the object code of an unchanged text and is not said by the host's name belongs into this word.
RECIPE = (
    "O2, loop and SLP vectoriser, 512 bits where there are; stores past the caches; tiles in the order of their text"
)

# Held by whoever makes a kernel: LLVM has locks of its own, which a fork must not catch another thread in.
COMPILING = LockAcrossForks()


@functools.cache
def binding() -> Any:
    """llvmlite's interface to LLVM, made ready for the host."""
    import llvmlite.binding

    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    return llvmlite.binding


class Host:
    """The machine that runs the program: it optimises modules, turns them into object code and loads that."""

    def __init__(self):
        llvm = binding()
        self.cpu = llvm.get_host_cpu_name()
        features = llvm.get_host_cpu_features()
        # Many AVX-512 machines are told to prefer half of their width; for whole arrays the full one is quicker.
        self.features = features.flatten() + ",-prefer-256-bit" * bool(features.get("avx512f"))
        self.triple = llvm.get_process_triple()
        target = llvm.Target.from_triple(self.triple)
        make = functools.partial(target.create_target_machine, self.cpu, self.features, reloc="pic", jit=True)
        self.machine, self.quick = make(opt=3), make(opt=0)
        self.layout = str(self.machine.target_data)
        self.linker = llvm.create_lljit_compiler(self.machine)
        self.numbers = itertools.count()
        self.loaded: list = []  # code is never unloaded: ufuncs of NumPy hold its addresses

    @functools.cached_property
    def fit(self) -> bool:
        """Whether products and sums are rounded once, on which the mathematics relies, without a call."""
        return not self.triple.startswith("x86_64") or "+fma" in self.features.split(",")

    @property
    def scales(self) -> bool:
        """Whether there are vector instructions that scale by powers of two."""
        return self.has("avx512f")

    @property
    def masks(self) -> bool:
        """Whether it takes no longer to write some lanes of a vector than all."""
        return self.has("avx512f")

    @property
    def reads_ahead(self) -> bool:
        """Whether it reads ahead by itself, across pages, what is read in order: to be asked for more costs it time."""
        return self.cpu == "znver4"

    @property
    def halves(self) -> bool:
        """Whether it works on registers of 512 bits by halves, and so is quicker to read memory by halves itself."""
        return self.cpu == "znver4"

    @property
    def lanes(self) -> int:
        """How many float32 a register holds."""
        return 16 if self.has("avx512f") else 8 if self.has("avx2") else 4

    def has(self, feature: str) -> bool:
        """Whether the processor has what LLVM calls so."""
        return f"+{feature}" in self.features.split(",")

    @property
    def name(self) -> str:
        """What object code for this host depends on."""
        version = ".".join(map(str, binding().llvm_version_info))
        return f"{RECIPE}; LLVM {version}; {self.triple} {self.cpu} {self.features}"

    def spared(self, passes: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
        """What is spared of object code: not the addresses of long loops where there are 16 registers for vectors."""
        found = SPARED.get(passes, ())
        return found if self.scales or passes != UNROLLED else MOVED + SETTLED

    def optimised(self, text: str, passes: tuple[str, ...] = ()):
        """The module of that text after these passes, those of O2 if none are named."""
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

    def compiled(self, text: str, passes: tuple[str, ...]) -> bytes:
        """The object code of a module, from the cache if it is there."""
        key = cache.key_of(self.name, text, *passes)
        found = cache.read(key)
        if found is None:
            machine = self.quick if passes == COLD else self.machine
            module = self.optimised(text, passes)
            with sparing(self.spared(passes)):
                found = machine.emit_object(module)
            cache.write(key, found)
        return found

    def load(self, code: bytes, symbols: tuple[str, ...]) -> dict[str, int]:
        """Links object code into this process and finds functions in it."""
        library = binding().JITLibraryBuilder().add_object_img(code).add_current_process()
        for symbol in symbols:
            library.export_symbol(symbol)
        tracker = library.link(self.linker, f"rushlight-{next(self.numbers)}")
        self.loaded.append(tracker)
        return {symbol: tracker[symbol] for symbol in symbols}


@contextlib.contextmanager
def sparing(options: tuple[tuple[str, str, str], ...]) -> Iterator[None]:
    """Object code is made with these options of LLVM: their names, and what they are set to before and after."""
    known = options if binding().llvm_version_info[0] in KNOWING else ()
    try:
        for name, value, _ in known:
            binding().set_option("rushlight", f"{name}={value}")
        yield
    finally:
        for name, _, value in known:
            binding().set_option("rushlight", f"{name}={value}")


@functools.cache
def host() -> Host:
    """The host, which is looked at once."""
    return Host()


def build(text: str, *symbols: str, passes: tuple[str, ...] = ()) -> dict[str, int]:
    """The addresses of functions that the text of an LLVM module defines, after these passes or those of O2.

    The text says nothing of the machine: target and data layout are the host's. Functions that it declares, such as
    those of the C library, are found in the process.

    >>> address = build("define i32 @answer() { ret i32 42 }", "answer")["answer"]
    >>> import ctypes
    >>> ctypes.CFUNCTYPE(ctypes.c_int32)(address)()
    42
    """
    return host().load(host().compiled(text, passes), symbols)


def assembly(text: str) -> str:
    """The machine code of a module as a human reads it."""
    return host().machine.emit_assembly(host().optimised(text))

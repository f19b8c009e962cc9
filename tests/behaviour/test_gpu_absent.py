"""Every public name of torch.cuda, torch.accelerator and torch.backends.cuda where there is no GPU.

Against PyTorch's CPU build: the same answer, or the same error and its first line.
"""

import importlib
import inspect
import re
import warnings
from types import ModuleType

import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")

MODULES = (
    "cuda cuda.amp cuda.comm cuda.graphs cuda.memory cuda.nccl cuda.nvtx cuda.profiler cuda.random cuda.streams "
    "backends.cuda backends.cudnn accelerator accelerator.graphs accelerator.memory"
).split()

# Names that are not there: an AttributeError says so, as for any other name that is missing.
MISSING = {
    "GreenContext": "shares of a GPU's processors",
    "jiterator": "CUDA C++ from text",
    "sparse": "legacy types of sparse tensors",
    "tunable": "trials of kernels of libraries that are not there",
    **dict.fromkeys(("all_gather", "all_reduce", "nccl.broadcast", "reduce", "reduce_scatter"), "NCCL"),
    "blas_workspace_size": "memory of cuBLAS", "cublas_workspace_size": "memory of cuBLAS",
    "cublaslt_workspace_size": "memory of cuBLAS", "cuFFTPlanCacheAttrContextProp": "a helper of PyTorch's",
    "amp_definitely_not_available": "a helper of PyTorch's",
}  # fmt: skip

# PyTorch's CPU build fails for want of a function in its C library; here these raise what the others raise.
ABSENT = AssertionError, "Torch not compiled with CUDA enabled"
INSTEAD = {
    "cuda.get_allocator_backend": ABSENT,
    "cuda.memory_snapshot": ABSENT,
    "cuda.memory.get_allocator_backend": ABSENT,
    "cuda.memory.memory_snapshot": ABSENT,
    **{
        f"cuda.{module}{name}": ABSENT
        for module in ("", "memory.")
        for name in (
            "reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_peak_host_memory_stats "
            "reset_peak_memory_stats reset_max_memory_allocated reset_max_memory_cached"
        ).split()
    },
    "cuda.set_device": ABSENT,
    "cuda.check_error": ABSENT,
    "cuda.caching_allocator_disabled": ABSENT,
    "cuda.memory.caching_allocator_disabled": ABSENT,
    "cuda.nvtx.range_end": (RuntimeError, "NVTX functions not installed. Are you sure you have a CUDA build?"),
    "cuda.nvtx.range_start": (RuntimeError, "NVTX functions not installed. Are you sure you have a CUDA build?"),
    "cuda.CudaError": ABSENT,
    # A program may ask: builds for GPUs answer so.
    "cuda.is_current_stream_capturing": False,
    "cuda.graphs.is_current_stream_capturing": False,
    "cuda.ExternalStream": (RuntimeError, "cuda.Stream requires CUDA support"),
    "cuda.streams.ExternalStream": (RuntimeError, "cuda.Stream requires CUDA support"),
}

CALL = "torch.backends.cuda.SDPAParams(*[torch.ones(1, 1, 2, 8)] * 3, None, 0.0, False, False)"
# Arguments for names that need some.
ARGUMENTS = {
    "CUDAPluggableAllocator": None,  # loads a library
    "CudaError": "(2,)", "check_error": "(2,)", "ExternalStream": "(1,)", "get_stream_from_external": "(1,)",
    "StreamContext": "(None,)", "stream": "(None,)", "set_stream": "(None,)", "set_device": "(0,)", "device": "(0,)",
    "device_of": "(torch.ones(1),)", "manual_seed": "(3,)", "manual_seed_all": "(3,)",
    "set_rng_state": "(torch.get_rng_state(),)",
    "set_rng_state_all": "([],)", "caching_allocator_alloc": "(8,)", "caching_allocator_delete": None,
    "can_device_access_peer": "(0, 1)", "change_current_allocator": None, "set_sync_debug_mode": "('warn',)",
    "set_per_process_memory_fraction": "(0.5,)", "use_mem_pool": "(None,)", "graph": "(None,)",
    "make_graphed_callables": "(abs, (torch.ones(1),))", "mark": "('x',)", "range": "('x',)", "range_push": "('x',)",
    "range_start": "('x',)", "range_end": "(1,)", "broadcast": None, "broadcast_coalesced": None, "gather": None,
    "reduce_add": None, "reduce_add_coalesced": None, "scatter": None, "is_acceptable": "(torch.ones(1),)",
    "device_index": "(0,)", "set_device_idx": "(0,)", "set_device_index": "(0,)", "custom_bwd": "(abs,)",
    "set_stream_of_accelerator": "(torch.Stream(),)", "SDPAParams": None, "cuFFTPlanCache": "(0,)",
    **{f"enable_{name}_sdp": "(True,)" for name in ("cudnn", "flash", "math", "mem_efficient")},
    "allow_fp16_bf16_reduction_math_sdp": "(False,)",
    **{f"can_use_{name}_attention": f"({CALL},)" for name in ("cudnn", "efficient", "flash")},
}  # fmt: skip


def public_names():
    for module in MODULES:
        theirs = importlib.import_module(f"torch.{module}")
        names = getattr(theirs, "__all__", None) or [
            name
            for name, value in vars(theirs).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == theirs.__name__
        ]
        for name in sorted(set(names)):
            if not isinstance(getattr(theirs, name), ModuleType):
                yield pytest.param(module, name, id=f"{module}.{name}")


def outcome(library, module, name):
    """What a name is, or what a call of it gives: a plain answer, the kind of an object, or an error's first line."""
    value = getattr(importlib.import_module(f"{library.__name__}.{module}"), name)
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception) and name != "CudaError"):
        return plain(value)
    written = ARGUMENTS.get(f"{name}_of_accelerator" if module == "accelerator" else name, ARGUMENTS.get(name, "()"))
    if written is None:
        return "not called"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = value(*eval(written, {"torch": library, "abs": abs}))
            if hasattr(type(result), "__enter__") and not isinstance(result, library.Stream):
                with result:
                    pass
    except Exception as error:
        return next(cls for cls in type(error).__mro__ if cls.__module__ == "builtins"), first_line(error)
    return plain(result)


def first_line(error):
    line = (str(error).splitlines() or [""])[0]
    return re.sub(r"\w+\.__(init|new)__\(\)", "call()", line).removeprefix("torch.").removeprefix("rushlight.")


def plain(value):
    simple = (bool, int, float, str, type(None), dict, list, tuple)
    return value if isinstance(value, simple) and "object at" not in repr(value) else type(value).__name__.lower()


@pytest.mark.parametrize(("module", "name"), list(public_names()))
def test_a_name_answers_as_in_a_build_without_a_gpu(module, name):
    if name in MISSING or f"{module.removeprefix('cuda.')}.{name}" in MISSING:
        with pytest.raises(AttributeError):
            getattr(importlib.import_module(f"rushlight.{module}"), name)
        return
    ours, theirs = outcome(rushlight, module, name), outcome(torch, module, name)
    expected = INSTEAD.get(f"{module}.{name}", theirs)
    assert ours == expected
    if f"{module}.{name}" in INSTEAD:
        assert theirs != expected, "PyTorch does the same now"

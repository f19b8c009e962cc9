"""`torch.backends.cpu`: capabilities of the processor."""

import numpy as np

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """Returns the widest vector extension that NumPy finds: "AVX512", "AVX2", or "DEFAULT"."""
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    names = {*extensions.get("baseline", ()), *extensions.get("found", ())}
    if "X86_V4" in names or any(name.startswith("AVX512") for name in names):
        return "AVX512"
    return "AVX2" if names & {"AVX2", "X86_V3"} else "DEFAULT"

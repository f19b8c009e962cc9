"""`torch.backends.cpu`: what the processor can do."""

import numpy as np

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """The widest vectors that NumPy finds here: "AVX512", "AVX2", or "DEFAULT"."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]
    names = {*found.get("baseline", ()), *found.get("found", ())}
    if "X86_V4" in names or any(each.startswith("AVX512") for each in names):
        return "AVX512"
    return "AVX2" if names & {"AVX2", "X86_V3"} else "DEFAULT"

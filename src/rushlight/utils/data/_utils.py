"""`torch.utils.data._utils`: the loader's parts under PyTorch's private module names.

Each of its modules is one of `torch.utils.data`. `signal_handling` is empty: the pipe of a dead worker reports it.
"""

import sys

from rushlight.utils.data import collate, fetch, worker
from rushlight.utils.data import pinning as pin_memory
from rushlight.utils.data.worker import CHECK_INTERVAL as MP_STATUS_CHECK_INTERVAL

__all__ = ["MP_STATUS_CHECK_INTERVAL", "collate", "fetch", "pin_memory", "worker"]

for _name, _module in (("collate", collate), ("fetch", fetch), ("pin_memory", pin_memory), ("worker", worker)):
    sys.modules[f"{__name__}.{_name}"] = _module

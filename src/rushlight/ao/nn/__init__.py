"""`torch.ao.nn`: the modules of `torch.nn` with quantized layers, under their newer names."""

import sys

from rushlight.nn import qat, quantizable, quantized

__all__ = ["qat", "quantizable", "quantized"]

for _module in (qat, quantizable, quantized):
    _name = f"{__name__}.{_module.__name__.rpartition('.')[2]}"
    sys.modules[_name] = sys.modules[f"{_name}.modules"] = _module

"""`torch.special`: special functions, elementwise."""

from rushlight._generated.names_of_special import *  # noqa: F403
from rushlight._generated.names_of_special import __all__ as __all__
from rushlight.dispatch.methods import alias as _alias

# Messages name this namespace, also for functions that the root has.
for _name in __all__:
    if globals()[_name].__name__ == _name:
        globals()[_name] = _alias(globals()[_name], f"special_{_name}")

"""`torch.special`: special functions, element by element."""

from rushlight._generated.names_of_special import *  # noqa: F403
from rushlight._generated.names_of_special import __all__ as __all__
from rushlight.dispatch.methods import alias as _alias

# Those that the root has as well go by a name of this namespace in messages.
for _name in __all__:
    if globals()[_name].__name__ == _name:
        globals()[_name] = _alias(globals()[_name], f"special_{_name}")

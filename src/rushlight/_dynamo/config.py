"""`torch._dynamo.config`: settings that programs change.

Those that have a meaning here: `recompile_limit`, `error_on_recompile`, `fail_on_recompile_limit_hit`, `disable`, and
`suppress_errors`. The others can be set, and change nothing.
"""

from typing import Any

from rushlight._dynamo.settings import ALIASES, SETTINGS
from rushlight.compiler import captured
from rushlight.utils._config_module import install


def follow(name: str, value: Any) -> None:
    """Tells what compiled functions read of a setting."""
    stance = captured("stance").STANCE
    if hasattr(stance, name) and name not in ("name", "backend"):
        setattr(stance, name, value)


install(__name__, SETTINGS, ALIASES, follow)

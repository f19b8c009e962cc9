"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""


__all__ = []

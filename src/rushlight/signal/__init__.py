"""`torch.signal`: the window functions of signal processing."""

from rushlight.signal import windows

__all__ = ["windows"]

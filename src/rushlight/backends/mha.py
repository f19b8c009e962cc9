"""`torch.backends.mha`: the switch of the fast path of attention layers in evaluation; it has no effect."""

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]


class Switch:
    """The stored value."""

    enabled = True


def get_fastpath_enabled() -> bool:
    """Returns the stored value; there is only one path."""
    return Switch.enabled


def set_fastpath_enabled(value: bool) -> None:
    """Stores the value. Results do not change."""
    Switch.enabled = value

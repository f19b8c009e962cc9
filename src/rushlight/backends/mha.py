"""`torch.backends.mha`: the second path of attention layers in evaluation, which is not there: the switch is kept."""

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]


class Switch:
    """What a program has set."""

    enabled = True


def get_fastpath_enabled() -> bool:
    """What was set: there is one path in either case."""
    return Switch.enabled


def set_fastpath_enabled(value: bool) -> None:
    """Sets it. Results are those of the one path."""
    Switch.enabled = value

"""`torch.xpu`: Intel's GPUs, of which none is used: programs ask for one before they take the CPU."""

__all__ = ["device_count", "empty_cache", "is_available", "is_initialized", "manual_seed", "manual_seed_all"]


def is_available() -> bool:
    """Whether one of Intel's GPUs can be used: never."""
    return False


def is_initialized() -> bool:
    """Whether one is ready: never."""
    return False


def device_count() -> int:
    """How many there are: none."""
    return 0


def empty_cache() -> None:
    """Gives back memory of theirs: there is none."""


def manual_seed(seed: int) -> None:
    """Starts the random numbers of a GPU that is not there: nothing."""


def manual_seed_all(seed: int) -> None:
    """Starts the random numbers of all GPUs that are not there: nothing."""

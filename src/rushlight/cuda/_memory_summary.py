"""The table of `torch.cuda.memory_summary`, in PyTorch's layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping

COLUMNS = ("current", "peak", "allocated", "freed")
RULE, LINE = "=" * 75, "-" * 75
BY_POOL = {"large_pool": "      from large pool", "small_pool": "      from small pool"}


def in_units(amount: int, total: int, units: list[str], step: int, least: int, width: int) -> str:
    """Returns an amount in the unit in which the number `total` has few digits."""
    unit = units[0]
    for larger in units[1:]:
        if total < least:
            break
        unit, amount, total = larger, amount // step, total // step
    return f"{amount:{width}d} {unit}"


def size(amount: int, total: int) -> str:
    return in_units(amount, total, ["B  ", "KiB", "MiB", "GiB", "TiB", "PiB"], 1024, 768 * 1024, 6)


def count(amount: int, total: int) -> str:
    return in_units(amount, total, ["  ", "K ", "M "], 1000, 750_000, 7)


SHOWN: tuple[tuple[str, str, Callable[[int, int], str]], ...] = (
    ("allocated_bytes", "Allocated memory", size),
    ("active_bytes", "Active memory", size),
    ("requested_bytes", "Requested memory", size),
    ("reserved_bytes", "GPU reserved memory", size),
    ("inactive_split_bytes", "Non-releasable memory", size),
    ("allocation", "Allocations", count),
    ("active", "Active allocs", count),
    ("segment", "GPU reserved segments", count),
    ("inactive_split", "Non-releasable allocs", count),
)
OVERSIZE = (("oversize_allocations", "Oversize allocations"), ("oversize_segments", "Oversize GPU segments"))


def summary(stats: Mapping[str, int], device: int, abbreviated: bool) -> str:
    """Returns the table for the counters of a device; abbreviated without the rows of pools."""
    rows = []
    for key, title, shown in SHOWN:
        rows.append(LINE)
        total = values(stats, f"{key}.all")
        pools = {"all": title} if abbreviated else {"all": title, **BY_POOL}
        rows += [row(name, values(stats, f"{key}.{pool}"), total, shown) for pool, name in pools.items()]
    for key, title in OVERSIZE:
        rows += [LINE, row(title, values(stats, key), values(stats, key), count)]
    head = [
        RULE, f" {'':16} PyTorch CUDA memory summary, device ID {device:<17d} ", LINE,
        f"  {'':9} CUDA OOMs: {stats['num_ooms']:<12d} | {'':6} cudaMalloc retries: {stats['num_alloc_retries']:<8d}  ",
        RULE, "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
    ]  # fmt: skip
    return "|" + "|\n|".join([*head, *rows, RULE]) + "|\n"


def values(stats: Mapping[str, int], key: str) -> list[int]:
    return [stats[f"{key}.{column}"] for column in COLUMNS]


def row(title: str, numbers: list[int], total: list[int], shown: Callable[[int, int], str]) -> str:
    cells = [shown(number, other) for number, other in zip(numbers, total, strict=True)]
    return f" {title:<21} | {' | '.join(cells)} "

"""The argument `reduction`, and the two deprecated arguments that it replaced."""

import warnings

REDUCTIONS = ("none", "mean", "sum")


def get_enum(reduction: str) -> int:
    """Returns PyTorch's number of a reduction: none 0, mean 1, sum 2."""
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        return 1
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS.index(reduction)


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Returns the reduction that the deprecated `size_average` and `reduce` mean."""
    reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=3,
        )
    return reduction


def chosen(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Returns the reduction of a call, which may use the deprecated arguments."""
    if size_average is not None or reduce is not None:
        return legacy_get_string(size_average, reduce)
    return reduction if reduction in REDUCTIONS else REDUCTIONS[get_enum(reduction)]

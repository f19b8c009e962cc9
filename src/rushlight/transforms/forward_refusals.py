"""What PyTorch does not differentiate in forward mode."""

from __future__ import annotations

from rushlight.declarations.declare import Op

# Operators that have no tangent, with PyTorch's names. A name of grid sampling has the number of dimensions.
NOT_YET = {
    "alignment": "_ctc_loss",
    "bag_sums": "_embedding_bag",
    "cdist": "_cdist_forward",
    "cholesky_factor": "cholesky",
    "gamma_drawn": "_standard_gamma",
    "gamma_grad": "_standard_gamma_grad",
    "geqrf": "geqrf",
    "grid_sampled": "grid_sampler_{dims}d",
    "igamma": "igamma",
    "igammac": "igammac",
    "index_reduce": "index_reduce",
    "margin_losses": "multi_margin_loss",
    "multilabel_margin": "multilabel_margin_loss_forward",
    "ormqr": "ormqr",
    "pdist": "_pdist_forward",
    "special_zeta": "special_zeta",
    "unique_elements": "_unique2",
    "unique_runs": "unique_consecutive",
    "unique_with_places": "_unique2",
}
NEVER = {
    "floor_divide": "floor_divide",
    "histogram_in_edges": "histogram",
    "histogram_in_ranges": "histogram",
    "linalg_ldl_factor_ex": "linalg_ldl_factor_ex",
    "linalg_ldl_solve": "linalg_ldl_solve",
    "step": "heaviside",
    "undifferentiated": "{2}",  # the function that made the values
}
REFUSED = NOT_YET.keys() | NEVER.keys()


def refuse(op: Op, arguments: list) -> None:
    """Raises NotImplementedError for an operator in `REFUSED`."""
    if op.name in NEVER:
        name = NEVER[op.name].format(*arguments)
        raise NotImplementedError(f"Trying to use forward AD with aten::{name} that does not support it.")
    name = NOT_YET[op.name].format(dims=arguments[0].ndim - 2)
    raise NotImplementedError(
        f"Trying to use forward AD with {name} that does not support it because it has not been implemented yet.\n"
        "Please file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml "
        "so that we can prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
    )

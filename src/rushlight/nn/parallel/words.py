"""PyTorch's messages about backward passes under `DistributedDataParallel`."""

UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
    "your module has parameters that were not used in producing loss. You can enable unused parameter detection by "
    "passing the keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by "
    "\nmaking sure all `forward` function outputs participate in calculating loss. \nIf you already have done the "
    "above, then the distributed data parallel module wasn't able to locate the output tensors in the return value of "
    "your module's `forward` function. Please include the loss function and the structure of the return value of "
    "`forward` of your module when reporting this issue (e.g. list, dict, iterable)."
)

CHANGED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
    "your training graph has changed in this iteration, e.g., one parameter is used in first iteration, but then got "
    "unused in the second iteration. this is not compatible with static_graph set to True."
)

TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a "
    "module parameter outside the `forward` function. Please make sure model parameters are not shared across multiple "
    "concurrent forward-backward passes. or try to use _set_static_graph() as a workaround if this module graph does "
    "not change during training loop.2) Reused parameters in multiple reentrant backward passes. For example, if you "
    "use multiple `checkpoint` functions to wrap the same part of your model, it would result in the same set of "
    "parameters been used by different reentrant backward passes multiple times, and hence marking a variable ready "
    "multiple times. DDP does not support such use cases in default. You can try to use _set_static_graph() as a "
    "workaround if your module graph does not change over iterations."
)

NEVER_UNUSED = (
    "find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the "
    "forward pass. This flag results in an extra traversal of the autograd graph every iteration,  which can adversely "
    "affect performance. If your model indeed never has any unused parameters in the forward pass, consider turning "
    "this flag off. Note that this warning may be a false positive if your model has flow control causing later "
    "iterations to have unused parameters."
)

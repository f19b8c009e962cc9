"""Function transforms: `torch.func`, `vmap` and forward mode."""

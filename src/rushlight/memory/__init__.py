"""How tensors share bytes: storages, pickles, other processes, other libraries."""

"""`torch.distributed.algorithms.model_averaging`: processes train on their own and average their models at times."""

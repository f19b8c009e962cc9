"""`torch.fx.passes.dialect.common`: passes for graphs of any set of operators."""

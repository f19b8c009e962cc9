"""rushlight in the place of PyTorch: what `import torch` gives, and what installers and `importlib.metadata` see."""

"""rushlight as `torch`: for `import torch`, for installers, and for `importlib.metadata`."""

"""Generated functions, nodes and methods."""

try:
    import rushlight._generated.lazy_names  # noqa: F401  written last: if it is there, so are the others
except ModuleNotFoundError as error:
    raise ImportError(
        "rushlight's generated code is missing: write it with `python scripts/generate` in the checkout, or install "
        "the package with `python -m pip install -e .`"
    ) from error

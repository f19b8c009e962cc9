"""Generated functions, nodes and methods."""

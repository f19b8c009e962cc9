"""Generated descriptions of the package: type stubs, and the table of operators."""

"""The command line, `python -m rushlight`."""

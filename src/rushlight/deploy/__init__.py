"""A trained model as a file that needs NumPy only: `rushlight.export`."""

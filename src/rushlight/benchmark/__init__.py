"""The benchmark: cases, how they are measured, and what is said about the result."""

"""From declarations to callable functions."""

"""The one clock. Its ticks number the nodes, and newest first is an order in which backward may run."""

from itertools import count

tick = count(1).__next__

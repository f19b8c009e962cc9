"""The numbers that torch exports."""

import math

e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
newaxis = None

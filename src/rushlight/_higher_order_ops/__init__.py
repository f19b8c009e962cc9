"""`torch._higher_order_ops`: operators that take functions, which they call directly here."""

from rushlight._higher_order_ops.associative_scan import associative_scan as associative_scan

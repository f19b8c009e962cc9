"""`torch._higher_order_ops`: operators that take functions. Here they call them, as they are written."""

from rushlight._higher_order_ops.associative_scan import associative_scan as associative_scan
